"""Tools of one name: in the agent, in two toolsets, and as an output tool."""

from _common import M, attempt, fact
from pydantic_ai import Agent, FunctionToolset


def f():
    return 1


agent = Agent('test', tools=[f])
fact('twice', attempt(lambda: agent.tool_plain(name='f')(lambda: 2)))
fact(
    'two toolsets', attempt(lambda: Agent('test', toolsets=[FunctionToolset([f]), FunctionToolset([f])]).run_sync('q'))
)


def final_result():
    return 1


fact('output tool', attempt(lambda: Agent('test', output_type=M, tools=[final_result]).run_sync('q')))
