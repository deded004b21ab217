"""Provider-adaptive capabilities that are loaded on demand, and with prefixes."""

import json

from _native_or_local import mine, model_with, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import WebFetch, WebSearch
from pydantic_ai.native_tools import WebFetchTool, WebSearchTool

run(['prefixed', 'with'], WebSearch(local=mine).prefix_tools('web'), WebSearchTool)
run(['prefixed', 'without'], WebSearch(local=mine).prefix_tools('web'))
for options in [{'id': 's', 'description': 'd'}, {'id': 's'}]:
    print(json.dumps([WebSearch(local=mine, **options).id, WebSearch(local=mine, **options).get_description()]))
try:
    Agent('test', capabilities=[WebSearch(local=mine, defer_loading=True)]).run_sync('go')
except Exception as error:
    print(json.dumps(['no id', type(error).__name__]))
for kind in (WebSearch, WebFetch):
    run(['two', kind.__name__], kind(local=mine), WebSearchTool, WebFetchTool)
model, offered = model_with(WebSearchTool, WebFetchTool)
Agent(model, capabilities=[WebSearch(local=mine), WebFetch(local=True)]).run_sync('go')
print(json.dumps(offered))
model, offered = model_with(WebFetchTool)
Agent(model, capabilities=[WebSearch(local=mine), WebFetch(local=True)]).run_sync('go')
print(json.dumps(offered))
