"""The order of capabilities of the agent and of the run, as their hooks show it; constraints across both."""

import asyncio

from _hooks import scripted
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering

log = []


class Named(AbstractCapability):
    order = None

    def __init__(self, name):
        self.name = name

    def get_ordering(self):
        return self.order

    async def before_run(self, ctx):
        log.append(f'{self.name}>')

    async def after_run(self, ctx, *, result):
        log.append(f'<{self.name}')
        return result

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        log.append(f'({self.name}')
        result = await handler(args)
        log.append(f'{self.name})')
        return result


def kind(name, **constraints):
    return type(name, (Named,), {'order': CapabilityOrdering(**constraints)})


A, B, C = (type(name, (Named,), {}) for name in 'ABC')
Outer, Inner = kind('Outer', position='outermost'), kind('Inner', position='innermost')
WrapsA, InA, NeedsB = kind('WrapsA', wraps=[A]), kind('InA', wrapped_by=[A]), kind('NeedsB', requires=[B])


def show(label, of_agent, of_run):
    log.clear()

    async def main():
        model, _ = scripted(None, 'text')
        agent = Agent(model, capabilities=of_agent)

        @agent.tool_plain
        def double(x: int) -> int:
            return x * 2

        return (await agent.run('hi', capabilities=of_run)).output

    try:
        print(label, asyncio.run(main()), ' '.join(log))
    except Exception as error:
        print(label, type(error).__name__)


show('agent only', [A('a'), B('b'), C('c')], None)
show('run only', [], [A('a'), B('b')])
show('both', [A('a'), B('b')], [C('c')])
show('tiers of the run', [A('a'), Inner('i')], [Outer('o'), B('b')])
show('two of a tier', [Outer('o1'), A('a')], [Outer('o2')])
show('wraps one of the agent', [B('b'), A('a'), C('c')], [WrapsA('w')])
show('inside one of the run', [InA('i'), B('b')], [A('a')])
show('needs one of the run', [NeedsB('n')], [B('b')])
show('needs one of the agent', [B('b')], [NeedsB('n')])
show('needs one that is not there', [A('a')], [NeedsB('n')])
show('made for the run', [lambda ctx: Outer('o'), A('a')], [lambda ctx: WrapsA('w')])
show('made for the run, needing', [lambda ctx: NeedsB('n')], [lambda ctx: B('b')])
