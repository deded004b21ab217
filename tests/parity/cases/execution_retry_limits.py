"""Limits of retries: of the tool, its toolset, the agent, the run and an override, and which one wins."""

from _common import call, script
from _execution import logged, note
from pydantic_ai import Agent, FunctionToolset, ModelRetry, RunContext, Tool


def failing(name='t', **options):
    def tool(ctx: RunContext):
        note([ctx.tool_name, ctx.retry, ctx.max_retries, ctx.last_attempt])
        raise ModelRetry(f'try {ctx.retry}')

    return Tool(tool, name=name, **options)


def forever(*names, **options):
    return Agent(script([call(name, {}) for name in names]), **options)


for tool in (None, 0, 2):
    for toolset in (None, 0, 3):
        for agent in (None, 0, 4):
            options = {} if agent is None else {'retries': agent}
            logged(
                f'tool {tool}, toolset {toolset}, agent {agent}',
                forever('t', toolsets=[FunctionToolset([failing(max_retries=tool)], max_retries=toolset)], **options),
            )
for limits in ({'tools': 2}, {'output': 3}, {'tools': 0, 'output': 2}, {}):
    logged(f'agent {limits}', forever('t', tools=[failing()], retries=limits))
    logged(f'run {limits}', forever('t', tools=[failing()]), retries=limits)
for limits in (0, 1, 3):
    logged(f'run {limits}', forever('t', tools=[failing()]), retries=limits)
    logged(f'run {limits} over agent 2', forever('t', tools=[failing()], retries=2), retries=limits)
    logged(f'run {limits} and tool 1', forever('t', tools=[failing(max_retries=1)], retries=2), retries=limits)
with (agent := forever('t', tools=[failing()])).override(tools=[failing(max_retries=0)]):
    logged('override', agent)
