"""The fields of the run context, as a tool sees them."""

from _common import call, fact, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart

agent = Agent(
    script([call('w', {'x': 1})], [TextPart('x')]), deps_type=int, validation_context=lambda ctx: {'d': ctx.deps}
)


@agent.tool
def w(ctx: RunContext[int], x: int):
    return [
        ctx.deps,
        ctx.validation_context,
        ctx.agent is agent,
        ctx.usage.requests,
        ctx.metadata,
        ctx.partial_output,
        len(ctx.run_id or ''),
        ctx.model_settings,
        len(ctx.messages),
        ctx.prompt,
        ctx.tool_call_approved,
    ]


result = agent.run_sync('q', deps=5, model_settings={'temperature': 0.5})
fact('context', result.all_messages()[2].parts[0].content)
