"""The tool that has X searched by another agent: what that agent is asked, and what comes back."""

import json

from _native_or_local import settings
from pydantic_ai import Agent
from pydantic_ai.common_tools.x_search import x_search_tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import XSearchTool
from pydantic_ai.profiles import ModelProfile


def searcher(parts):
    def answer(messages, info):
        parameters = info.model_request_parameters
        print(
            json.dumps(
                [
                    'asked',
                    [
                        [part.part_kind, str(getattr(part, 'content', ''))[:40]]
                        for message in messages
                        for part in message.parts
                    ],
                    messages[-1].instructions,
                    [settings(tool) for tool in parameters.native_tools],
                    parameters.output_mode,
                    parameters.allow_text_output,
                ]
            )
        )
        return ModelResponse(parts=parts)

    return FunctionModel(answer, profile=ModelProfile(supported_native_tools=frozenset({XSearchTool})))


for label, tool in [
    ('found', x_search_tool(searcher([TextPart('found')]), XSearchTool())),
    ('nothing', x_search_tool(searcher([]), XSearchTool())),
    (
        'function',
        x_search_tool(
            lambda ctx: searcher([TextPart(ctx.tool_name)]), XSearchTool(include_output=True), instructions='Look.'
        ),
    ),
    ('without', x_search_tool(TestModel(), XSearchTool())),
]:

    def outer(messages, info):
        if len(messages) == 1:
            definition = info.function_tools[0]
            print(json.dumps([label, definition.name, definition.description, definition.parameters_json_schema]))
            return ModelResponse(parts=[ToolCallPart('x_search', {'query': 'cat'})])
        print(
            json.dumps(
                [
                    label,
                    [
                        [part.part_kind, part.content if part.part_kind == 'tool-return' else '']
                        for part in messages[-1].parts
                    ],
                ]
            )
        )
        return ModelResponse(parts=[TextPart('done')])

    try:
        result = Agent(FunctionModel(outer), tools=[tool]).run_sync('go')
        print(json.dumps([label, result.output, result.usage().requests, result.usage().tool_calls]))
    except Exception as error:
        print(json.dumps([label, type(error).__name__]))
