"""A hook of a capability that is always there sends calls back until the capability they need is loaded."""

from _disclosure import LOCAL, call, capability, function, load, model, run
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability


class ReadFirst(AbstractCapability):
    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        if tool_def.name == 'pay' and 'rules' not in ctx.loaded_capability_ids:
            raise ModelRetry('Load the rules first.')
        return args


run(
    Agent(
        model([call('pay', 'early', x=1)], load('rules'), [call('pay', 'late', x=1)], wire=None, **LOCAL),
        tools=[function('pay')],
        capabilities=[capability('rules'), ReadFirst()],
    )
)
