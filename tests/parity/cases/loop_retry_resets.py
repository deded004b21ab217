"""Retries of a tool start again after a success, and not after calls of other tools."""

from _common import call, fact, run, script
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import TextPart

seen = []
agent = Agent(script([call('y', {})], [call('y', {})], [call('y', {})], [call('y', {})], [TextPart('done')]))


@agent.tool
def y(ctx: RunContext):
    seen.append(ctx.retry)
    if len(seen) % 2:
        raise ModelRetry('odd')
    return 'even'


run('every other', agent, 'x')
fact('seen', seen)
agent, seen_again = Agent(script([call('y', {})], [call('z', {})], [call('y', {})], [TextPart('done')])), []


@agent.tool(name='y')
def refuses(ctx: RunContext):
    seen_again.append((ctx.retry, dict(ctx.retries)))
    raise ModelRetry('odd')


@agent.tool_plain
def z():
    return 1


run('another between', agent, 'x')
fact('seen', seen_again)
