"""A tool call that was cut off because the response reached its maximum length."""

from _common import call, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse

agent = Agent(script(ModelResponse(parts=[call('q', '{"a":')], finish_reason='length')))


@agent.tool_plain
def q(a: int):
    return a


run('cut', agent, 'hi')
