"""Two calls of one tool in a response, both of which ask for a retry."""

from _common import call, fact, run, script
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import TextPart

seen = []
agent = Agent(
    script([call('y', {}, '1'), call('y', {}, '2')], [call('y', {}, '3'), call('y', {}, '4')], [TextPart('ok')])
)


@agent.tool
async def y(ctx: RunContext):
    seen.append((ctx.retry, ctx.tool_call_id))
    raise ModelRetry('x')


run('two', agent, 'x')
fact('seen', sorted(seen))
