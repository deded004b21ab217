"""What a run makes of responses in which the provider only shortened the conversation."""

import asyncio
import json

from pydantic_ai import Agent, NativeOutput, TextOutput
from pydantic_ai.messages import (
    CompactionPart,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile


def short(content):
    return CompactionPart(content=content, provider_name='anthropic')


def loud(text: str) -> str:
    return text.upper()


searched = [
    NativeToolCallPart(tool_name='web_search', args={}, tool_call_id='1'),
    NativeToolReturnPart(tool_name='web_search', content='x', tool_call_id='1'),
]
responses = {
    'alone': [short('so far')],
    'nothing to read': [short(None)],
    'empty': [short('')],
    'two': [short('a'), short('b')],
    'before text': [short('a'), TextPart('x')],
    'after text': [TextPart('x'), short('a')],
    'beside empty text': [TextPart(''), short('a')],
    'after thinking': [ThinkingPart('t'), short('a')],
    'before a search': [short('a'), *searched],
    'after a search': [*searched, short('a')],
    'text, a search': [TextPart('x'), *searched, short('a')],
}


async def main():
    for output_type, then in (
        (str, 'after'),
        (TextOutput(loud), 'after'),
        (int, None),
        (NativeOutput(int), '{"response": 3}'),
    ):
        for name, parts in responses.items():

            def answer(messages, info):
                if len(messages) == 1:
                    return ModelResponse(parts=parts, provider_name='anthropic')
                if then is None:
                    from pydantic_ai.messages import ToolCallPart

                    return ModelResponse(parts=[ToolCallPart('final_result', {'response': 3})])
                return ModelResponse(parts=[TextPart(then)])

            model = FunctionModel(answer, profile=ModelProfile(supports_json_schema_output=True))
            try:
                result = await Agent(model, output_type=output_type).run('hi')
                kinds = [part.part_kind for message in result.all_messages() for part in message.parts]
                print(json.dumps([name, result.output, kinds]))
            except Exception as error:
                print(json.dumps([name, type(error).__name__]))


asyncio.run(main())
