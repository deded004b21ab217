"""`ModelRetry` from a tool, once and forever."""

from _common import call, run, script
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import TextPart

agent = Agent(script([call('y', {})], [TextPart('ok')]))


@agent.tool_plain(retries=2)
def y():
    raise ModelRetry('again')


run('once', agent, 'hi')
agent = Agent(script([call('y', {})]))
agent.tool_plain(retries=2)(y)
run('for ever', agent, 'hi')
