"""The tool that searches with DuckDuckGo, with a client of one's own."""

import json

from pydantic_ai import Agent
from pydantic_ai.common_tools.duckduckgo import duckduckgo_search_tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class Client:
    def __init__(self, results):
        self.found = results

    def text(self, query, max_results=None, **more):
        print(json.dumps(['searched', query, max_results, more]))
        return self.found


FOUND = [{'title': 't', 'href': 'h', 'body': 'b'}]
for label, tool in [
    ('some', duckduckgo_search_tool(Client(FOUND))),
    ('limited', duckduckgo_search_tool(Client(FOUND), max_results=3)),
    ('more than asked for', duckduckgo_search_tool(Client([{**FOUND[0], 'x': 1}, *FOUND]))),
    ('none', duckduckgo_search_tool(Client([]))),
]:

    def outer(messages, info):
        if len(messages) == 1:
            definition = info.function_tools[0]
            print(
                json.dumps(
                    [
                        label,
                        definition.name,
                        definition.description,
                        definition.parameters_json_schema,
                        definition.sequential,
                    ]
                )
            )
            return ModelResponse(parts=[ToolCallPart('duckduckgo_search', {'query': 'cats'})])
        print(json.dumps([label, [[part.part_kind, part.content] for part in messages[-1].parts]]))
        return ModelResponse(parts=[TextPart('done')])

    print(json.dumps(Agent(FunctionModel(outer), tools=[tool]).run_sync('go').output))
print(json.dumps(duckduckgo_search_tool(Client([])).function_schema.return_schema, sort_keys=True))
