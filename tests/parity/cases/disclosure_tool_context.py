"""What a tool sees of what has been loaded."""

from _disclosure import LOCAL, call, capability, load, model, run
from pydantic_ai import Agent, RunContext

agent = Agent(
    model([call('look')], load('a'), [call('look', 'again')], wire=None, **LOCAL), capabilities=[capability('a', 'one')]
)


@agent.tool
def look(ctx: RunContext) -> list:
    return [
        sorted(ctx.loaded_capability_ids),
        'a' in ctx.available_capability_ids,
        'a' in ctx.capabilities,
        sorted(ctx.discovered_tool_names),
        sorted(ctx.available_tool_names),
    ]


run(agent)
