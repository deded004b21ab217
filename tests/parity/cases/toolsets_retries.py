"""Retries of tools in toolsets: which limit holds, and under which name they are counted."""

from dataclasses import replace

from _common import call, fact, run, script
from _toolsets import Watched, f
from pydantic_ai import Agent, ModelRetry, RunContext, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset, WrapperToolset


async def boom(ctx: RunContext, a: int = 0):
    fact('boom', [ctx.tool_name, ctx.retry, ctx.max_retries, ctx.last_attempt, dict(sorted(ctx.retries.items()))])
    raise ModelRetry('again')


def tried(title, toolset, name='boom', args=None, **options):
    run(title, Agent(script([call(name, args or {})]), toolsets=[toolset], **options), 'q')


tried('default', FunctionToolset([boom]))
tried('of the toolset', FunctionToolset([boom], max_retries=2))
tried('of the tool', FunctionToolset([Tool(boom, max_retries=0)], max_retries=2))
tried('of the agent', FunctionToolset([boom]), retries=2)
tried('of the agent, tools only', FunctionToolset([boom]), retries={'tools': 2, 'output': 0})
tried('toolset over agent', FunctionToolset([boom], max_retries=0), retries=3)
tried('prefixed', FunctionToolset([boom], max_retries=1).prefixed('p'), 'p_boom')
tried('renamed', FunctionToolset([boom], max_retries=1).renamed({'z': 'boom'}), 'z')
tried(
    'swapped', FunctionToolset([boom, Tool(f, max_retries=5)], max_retries=1).renamed({'f': 'boom', 'boom': 'f'}), 'f'
)
tried('approved by nobody', FunctionToolset([boom]).approval_required(lambda ctx, definition, args: False))
tried('invalid arguments', FunctionToolset([boom], max_retries=1).prefixed('p'), 'p_boom', {'a': 'x'})
tried('made by a function', lambda ctx: FunctionToolset([boom], max_retries=2))
tried(
    'wrapper that changes it',
    Watched(FunctionToolset([boom], max_retries=2).prefixed('p')).filtered(lambda ctx, definition: True),
    'p_boom',
)


class More(WrapperToolset):
    async def get_tools(self, ctx):
        return {
            name: replace(tool, max_retries=tool.max_retries + 1)
            for name, tool in (await super().get_tools(ctx)).items()
        }


tried('one more', More(FunctionToolset([boom], max_retries=1)))
tried(
    'one more above a combination',
    More(CombinedToolset([FunctionToolset([boom], max_retries=1), FunctionToolset([f])])),
)
print('== two tools of one name in two toolsets count for themselves')
agent = Agent(
    script([call('p_boom', {}), call('q_boom', {})], [call('p_boom', {})], [TextPart('done')]),
    toolsets=[
        FunctionToolset([boom], max_retries=2).prefixed('p'),
        FunctionToolset([boom], max_retries=2).prefixed('q'),
    ],
)
run('both', agent, 'q')
