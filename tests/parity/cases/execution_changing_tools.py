"""Tools that change between steps: hidden, shown, renamed, added during the run."""

from dataclasses import replace

from _common import call, run, script
from _execution import caller, logged, sleeper
from pydantic_ai import Agent, FunctionToolset, RunContext, Tool
from pydantic_ai.messages import TextPart


def steps(*responses, **options):
    return Agent(script(*responses, [TextPart('done')]), **options)


async def a(ctx: RunContext):
    return sorted(ctx.tools)


async def b():
    return 'b'


def only(*run_steps):
    async def prepare(ctx, definition):
        return definition if ctx.run_step in run_steps else None

    return prepare


CALL_A, CALL_B = call('a', {}), call('b', {})
run('hidden when it is called', steps([CALL_B], [CALL_A], tools=[a, Tool(b, prepare=only(2))]), 'q')
run('shown later', steps([CALL_A], [CALL_B], tools=[a, Tool(b, prepare=only(2))]), 'q')
run('hidden later', steps([CALL_B], [CALL_B], [CALL_B], tools=[a, Tool(b, prepare=only(1, 3))]), 'q')


async def rename(ctx, definition):
    return replace(definition, name=f'b{ctx.run_step}')


run(
    'renamed for a step',
    steps([call('b1', {})], [call('b2', {})], [call('b1', {})], tools=[Tool(b, prepare=rename)]),
    'q',
)


async def fast(ctx, definition):
    return replace(definition, timeout=0.02, sequential=True)


logged(
    'prepared to be sequential',
    caller('x', 'y', tools=[Tool(sleeper('x', 0).function, name='x', prepare=fast), sleeper('y', 0.01)]),
)
logged(
    'prepared with a timeout',
    caller('x', 'y', tools=[Tool(sleeper('x', 0.5).function, name='x', prepare=fast), sleeper('y', 0.01)]),
)
desk = FunctionToolset()


@desk.tool_plain
async def grow():
    desk.add_function(b)
    return sorted(desk.tools)


run('added by a tool', steps([call('grow', {})], [CALL_B], toolsets=[desk]), 'q')
run(
    'called in the step that adds it',
    steps([call('grow', {}), CALL_B], toolsets=[desk := FunctionToolset([grow])]),
    'q',
)
