"""Calls of a tool that does not exist, and the names that the model is shown."""

from _common import call, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart

run('then text', Agent(script([call('nope', {})], [TextPart('ok')])), 'hi')
run('for ever', Agent(script([call('nope', {})])), 'hi')
agent = Agent(script([call('nope', {})], [TextPart('ok')]))


@agent.tool_plain
def b():
    return 1


@agent.tool_plain
def a():
    return 1


run('others exist', agent, 'hi')
