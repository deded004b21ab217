"""Instructions that come with loading: text, functions with and without context, of toolsets, or none."""

from _disclosure import LOCAL, capability, function, load, model, run, show
from pydantic_ai import Agent
from pydantic_ai.capabilities import Capability
from pydantic_ai.toolsets import FunctionToolset


async def later(ctx):
    return f'step {ctx.run_step}'


cases = {
    'several': capability('c', instructions=['first', lambda ctx: f'for {ctx.deps}', later, lambda: 'last ']),
    'none': capability('c', instructions=None),
    'nothing': capability('c', instructions=lambda: 'x'),
    'toolset': Capability(
        id='c',
        defer_loading=True,
        instructions='own',
        toolsets=[FunctionToolset([function('t')], instructions='how to use')],
    ),
    'only toolset': Capability(
        id='c', defer_loading=True, toolsets=[FunctionToolset([function('t')], instructions=['one', lambda: 'two'])]
    ),
}
for label, one in cases.items():
    show(label)
    run(Agent(model(load('c'), wire='last', **LOCAL), deps_type=str, capabilities=[one]), deps='Ada')

late = Capability(id='late', defer_loading=True)


@late.instructions
def added(ctx):
    return 'added later'


run(Agent(model(load('late'), wire='last', **LOCAL), capabilities=[late]))
