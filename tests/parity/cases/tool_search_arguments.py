"""Arguments of the search that are JSON text, or have more in them than is asked for."""

from _disclosure import LOCAL, function, model, run
from pydantic_ai import Agent
from pydantic_ai.messages import ToolCallPart


def tools():
    return [function('one', defer_loading=True)]


for arguments in ('{"queries": ["one"]}', {'queries': ['one'], 'most': 1}):
    run(Agent(model([ToolCallPart('search_tools', arguments, tool_call_id='c')], wire='last', **LOCAL), tools=tools()))
