"""Functions of the run context that make capabilities, and state per run."""

import asyncio
from dataclasses import dataclass

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, CombinedCapability, DynamicCapability
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

log = []


class Note(AbstractCapability):
    def __init__(self, name):
        self.name = name

    def get_instructions(self):
        return f'I am {self.name}.'

    async def before_model_request(self, ctx, request_context):
        log.append(self.name)
        return request_context


class Outer(Note):
    def get_ordering(self):
        return CapabilityOrdering(position='outermost')


@dataclass
class Counter(AbstractCapability):
    count: int = 0

    async def for_run(self, ctx):
        log.append(['for_run', self.count])
        return Counter()

    async def before_model_request(self, ctx, request_context):
        self.count += 1
        log.append(self.count)
        return request_context


def show(agent, **options):
    log.clear()
    try:
        result = agent.run_sync('hi', **options)
        print(log, result.all_messages()[0].instructions, result.output)
    except Exception as error:
        print(log, type(error).__name__)


async def later(ctx):
    await asyncio.sleep(0)
    return Note(f'async {ctx.deps}')


def by_deps(ctx):
    return {'a': Note('alice'), 'o': Outer('outer')}.get(ctx.deps)


agent = Agent(TestModel(), deps_type=str, capabilities=[Note('first'), by_deps, later])
for deps in 'aoz':
    show(agent, deps=deps)
show(agent, deps='a', capabilities=[lambda ctx: Note('of the run'), Note('plain')])
show(Agent(TestModel(), capabilities=[lambda ctx: CombinedCapability([Note('x'), Outer('y')]), Note('z')]))
show(Agent(TestModel(), capabilities=[lambda ctx: lambda ctx: Note('never')]), deps=None) if False else None
counter = Counter()
agent = Agent(TestModel(), capabilities=[counter])


@agent.tool_plain
def step() -> int:
    return 1


show(agent)
show(agent)
print(counter.count)
show(Agent(TestModel(), capabilities=[lambda ctx: counter]))
print(counter.count)


async def direct():
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    nothing = DynamicCapability(lambda ctx: None, id='q')
    per_run = await nothing.for_run(ctx)
    print(per_run is nothing, per_run.id)
    note = Note('n')
    print((await DynamicCapability(lambda ctx: note).for_run(ctx)) is note)
    try:
        DynamicCapability(lambda ctx: None, id='q', defer_loading=True)
    except Exception as error:
        print(type(error).__name__)


asyncio.run(direct())
