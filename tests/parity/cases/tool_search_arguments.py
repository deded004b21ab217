"""Arguments of the search that are JSON text, or have more in them than is asked for."""

from _disclosure import *

tools = lambda: [function('one', defer_loading=True)]
for arguments in ('{"queries": ["one"]}', {'queries': ['one'], 'most': 1}):
    run(Agent(model([ToolCallPart('search_tools', arguments, tool_call_id='c')], wire='last', **LOCAL), tools=tools()))
