"""Toolsets built by functions, once per run or per step, beside other toolsets, with conflicting names."""

from _common import attempt, call, fact, run, script
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset


def named(name):
    return FunctionToolset([Tool(lambda: name, name=name, takes_ctx=False)])


log = []
seen = []
agent = Agent(
    script([call('own', {})], [TextPart('ok')], seen=seen),
    deps_type=str,
    toolsets=[lambda ctx: named(f'given_{ctx.deps}')],
)


@agent.tool_plain
def own():
    return 1


@agent.toolset
def each_step(ctx: RunContext[str]):
    log.append(['step', ctx.run_step, ctx.deps])
    return named(f'step_{ctx.run_step}')


@agent.toolset(per_run_step=False, id='per-run')
async def each_run(ctx: RunContext[str]):
    log.append(['run', ctx.run_step, ctx.deps])
    return named('per_run')


@agent.toolset()
def never(ctx):
    return None


run('one', agent, 'q', deps='a')
fact('log', log)
fact('offered', [[tool.name for tool in info.function_tools] for _, info in seen])
fact('toolsets', [type(toolset).__name__ for toolset in agent.toolsets[1:]])
run('of the run', agent, 'q', deps='b', toolsets=[named('extra')])
fact('offered', [tool.name for tool in seen[-1][1].function_tools])
fact('conflict', attempt(lambda: agent.run_sync('q', deps='b', toolsets=[named('own')])))
