"""A call that needs approval, where the output type has no place for the request."""

from _common import call, run, script
from pydantic_ai import Agent

agent = Agent(script([call('need', {'x': 1})]))


@agent.tool_plain(requires_approval=True)
def need(x: int):
    return 1


run('no place', agent, 'q')
