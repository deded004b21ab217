"""An error in a tool ends the run."""

from _common import call, run, script
from pydantic_ai import Agent

agent = Agent(script([call('z', {})]))


@agent.tool_plain
def z():
    raise RuntimeError('boom')


run('error', agent, 'hi')
