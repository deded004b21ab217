"""Instructions of capabilities: texts, functions, sequences, their order beside those of agent, toolsets and run."""

import asyncio

from pydantic_ai import Agent, FunctionToolset, RunContext
from pydantic_ai.capabilities import AbstractCapability, Capability, CombinedCapability, Toolset, WrapperCapability
from pydantic_ai.models.test import TestModel


class Says(AbstractCapability):
    def __init__(self, what):
        self.what = what

    def get_instructions(self):
        return self.what


async def later(ctx):
    await asyncio.sleep(0)
    return f'later {ctx.run_step}'


def plain():
    return 'plain'


def of_context(ctx: RunContext[int]):
    return f'deps {ctx.deps}'


def nothing():
    return None


def show(label, capabilities, instructions='agent', of_run=None, **options):
    agent = Agent(TestModel(), deps_type=int, instructions=instructions, capabilities=capabilities)
    agent.tool_plain(lambda: 1, name='step')

    @agent.instructions
    def registered():
        return 'registered'

    try:
        result = agent.run_sync('hi', deps=3, capabilities=of_run, **options)
        print(label, [message.instructions for message in result.all_messages() if message.kind == 'request'])
    except Exception as error:
        print(label, type(error).__name__)


show('text', [Says('one')])
show('texts', [Says(['one', 'two']), Says('three')])
show('functions', [Says([plain, of_context, later, nothing, lambda ctx: 'lambda'])])
show('single function', [Says(of_context)])
show('nothing', [Says(None), Says(''), Says([]), Says(nothing)])
show('blank', [Says('  '), Says(['one', '', 'two'])])
show('of the run', [Says('one')], instructions=None)
show('for the run', [Says('one')], of_run=[Says('two'), Says(plain)])
show('dynamic', [lambda ctx: Says(f'made {ctx.deps}'), Says('static')])
show('combined', [CombinedCapability([Says('a'), Says(['b', plain])]), Says('c')])
show('wrapped', [WrapperCapability(Says('inside'))])
bundle = Capability(instructions=['first'])


@bundle.instructions
def second(ctx):
    return 'second'


@bundle.instructions()
async def third():
    return 'third'


show('bundle', [bundle])
toolset = FunctionToolset(instructions='of the toolset')
show('toolset', [Toolset(toolset), Says('after')])
