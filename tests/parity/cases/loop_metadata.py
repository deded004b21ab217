"""Metadata of runs: merged, by a function, and as tools see it."""

from _common import call, fact, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart

async_free = Agent(script([TextPart('x')]), metadata={'a': 1})
fact('merged', async_free.run_sync('q', metadata={'b': 2}).metadata)
fact(
    'function',
    Agent(script([TextPart('x')]), metadata=lambda ctx: {'n': len(ctx.messages), 'step': ctx.run_step})
    .run_sync('q')
    .metadata,
)
agent = Agent(script([call('y', {})], [TextPart('one')]), metadata=lambda ctx: {'n': len(ctx.messages)})


@agent.tool
def y(ctx: RunContext):
    return ctx.metadata


result = agent.run_sync('q')
fact('in a tool', [result.metadata, result.all_messages()[2].parts[0].content])
fact('none', Agent('test').run_sync('q').metadata)
