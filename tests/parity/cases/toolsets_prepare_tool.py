"""`prepare` of a tool: what it sees, what it may change, and what it does in a run."""

from dataclasses import replace

from _common import call, fact, run, script
from _toolsets import f, g, listing
from pydantic_ai import Agent, ModelRetry, RunContext, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset


def noting(ctx, definition):
    fact('prepare', [ctx.tool_name, ctx.retry, ctx.max_retries, ctx.tool_call_id, dict(ctx.retries), definition.name])
    return definition


async def noting_async(ctx, definition):
    return noting(ctx, definition)


def boom(ctx: RunContext):
    fact('boom', [ctx.tool_name, ctx.retry, ctx.max_retries, ctx.last_attempt, dict(sorted(ctx.retries.items()))])
    raise ModelRetry('again')


print('== what it is told')
listing(
    FunctionToolset([Tool(f, prepare=noting, max_retries=4), Tool(g, prepare=noting_async)]),
    retries={'f': 2},
    max_retries=9,
)
print('== what it may do')
fact('hide', listing(FunctionToolset([Tool(f, prepare=lambda ctx, definition: None), g])))
fact(
    'rename', listing(FunctionToolset([Tool(f, prepare=lambda ctx, definition: replace(definition, name='other')), g]))
)
fact(
    'rename onto a later tool',
    listing(FunctionToolset([Tool(f, prepare=lambda ctx, definition: replace(definition, name='g')), g])),
)
fact(
    'rename onto an earlier tool',
    listing(FunctionToolset([f, Tool(g, prepare=lambda ctx, definition: replace(definition, name='f'))])),
)
fact(
    'describe',
    listing(
        FunctionToolset(
            [Tool(f, prepare=lambda ctx, definition: replace(definition, description='new', metadata={'a': 1}))]
        ),
        'description',
        'metadata',
    ),
)


def in_place(ctx, definition):
    definition.description = f'{definition.description} {ctx.run_step}'
    return definition


toolset = FunctionToolset([Tool(f, prepare=in_place)])
fact('in place', [listing(toolset, 'description', run_step=step) for step in (1, 2)])
fact('error', listing(FunctionToolset([Tool(f, prepare=lambda ctx, definition: 1 / 0)])))
print('== in a run')
run(
    'same name',
    Agent(script([call('boom', {})]), toolsets=[FunctionToolset([Tool(boom, prepare=noting, max_retries=1)])]),
    'q',
)


def as_other(ctx, definition):
    noting(ctx, definition)
    return replace(definition, name='other')


run(
    'other name',
    Agent(script([call('other', {})]), toolsets=[FunctionToolset([Tool(boom, prepare=as_other, max_retries=1)])]),
    'q',
)
run(
    'old name',
    Agent(script([call('boom', {})], [TextPart('done')]), toolsets=[FunctionToolset([Tool(boom, prepare=as_other)])]),
    'q',
)


def only_first(ctx, definition):
    return definition if ctx.run_step == 1 else None


run(
    'gone',
    Agent(
        script([call('f', {})], [call('f', {})], [TextPart('done')]),
        toolsets=[FunctionToolset([Tool(f, prepare=only_first), g])],
    ),
    'q',
)
