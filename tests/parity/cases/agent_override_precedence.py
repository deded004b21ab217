"""What wins where the agent, an override, an inner override and the run each set the same thing."""

from _common import fact, script
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset


def named(name):
    return Tool(lambda: name, name=name, takes_ctx=False)


def toolset(*names):
    return FunctionToolset([named(name) for name in names])


seen = []
agent = Agent(
    script([TextPart('x')], seen=seen),
    instructions='own',
    tools=[named('own')],
    toolsets=[toolset('set')],
    model_settings={'seed': 1, 'top_p': 0.1},
    metadata={'own': 1},
    deps_type=str,
)


@agent.instructions
def who(ctx: RunContext[str]):
    return f'for {ctx.deps}'


@agent.toolset
def built(ctx: RunContext[str]):
    return toolset('made')


def look(title, **options):
    del seen[:]
    result = agent.run_sync('q', **options)
    info = seen[0][1]
    fact(
        title,
        [info.instructions, sorted(tool.name for tool in info.function_tools), info.model_settings, result.metadata],
    )


RUN = {
    'instructions': 'run',
    'toolsets': [toolset('run')],
    'model_settings': {'seed': 3},
    'metadata': {'run': 3},
    'deps': 'run',
}
look('nothing')
look('run', **RUN)
for values in (
    {'instructions': 'new'},
    {'instructions': []},
    {'tools': [named('new')]},
    {'tools': []},
    {'toolsets': [toolset('new')]},
    {'toolsets': []},
    {'model_settings': {'seed': 2}},
    {'model_settings': {}},
    {'metadata': {'new': 2}},
    {'metadata': {}},
    {'deps': 'new'},
    {'deps': None},
):
    with agent.override(**values):
        look(f'{list(values)} {len(next(iter(values.values())) or ())}', **RUN)
        with agent.override(instructions='inner'):
            look('  inner', **RUN)
look('after')
