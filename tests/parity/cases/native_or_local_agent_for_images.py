"""The tool that has images made by another agent: what that agent is asked, and what comes back."""

import json

from _native_or_local import settings
from pydantic_ai import Agent
from pydantic_ai.common_tools.image_generation import image_generation_tool
from pydantic_ai.messages import BinaryImage, FilePart, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.native_tools import ImageGenerationTool
from pydantic_ai.profiles import ModelProfile

IMAGE = FilePart(BinaryImage(data=b'\x89PNG', media_type='image/png'))


def maker(parts):
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
                    parameters.allow_image_output,
                ]
            )
        )
        return ModelResponse(parts=parts)

    return FunctionModel(
        answer,
        profile=ModelProfile(supports_image_output=True, supported_native_tools=frozenset({ImageGenerationTool})),
    )


async def later(ctx):
    return maker([IMAGE])


for label, tool in [
    ('image', image_generation_tool(maker([IMAGE]), ImageGenerationTool())),
    ('text', image_generation_tool(maker([TextPart('no')]), ImageGenerationTool())),
    ('nothing', image_generation_tool(maker([]), ImageGenerationTool())),
    ('function', image_generation_tool(lambda ctx: maker([IMAGE]), ImageGenerationTool(size='1K'))),
    ('async function', image_generation_tool(later, ImageGenerationTool(), instructions='Draw.')),
    ('unknown', image_generation_tool('nope:model', ImageGenerationTool())),
]:

    def outer(messages, info):
        if len(messages) == 1:
            definition = info.function_tools[0]
            print(json.dumps([label, definition.name, definition.description, definition.parameters_json_schema]))
            return ModelResponse(parts=[ToolCallPart('generate_image', {'prompt': 'cat'})])
        print(json.dumps([label, [[part.part_kind, type(part.content).__name__] for part in messages[-1].parts]]))
        return ModelResponse(parts=[TextPart('done')])

    try:
        result = Agent(FunctionModel(outer), tools=[tool]).run_sync('go')
        print(json.dumps([label, result.output, result.usage().requests, result.usage().tool_calls]))
    except Exception:
        print(json.dumps([label, 'raised']))
try:
    image_generation_tool('test')
except TypeError:
    print(json.dumps('a native tool is required'))
