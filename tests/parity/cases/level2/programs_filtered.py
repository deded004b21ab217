"""A response of which a content filter or the token limit left nothing to show ends the run; one with text or a call does not."""

import asyncio

from _programs import call, in_short, out
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart
from pydantic_ai.models.function import FunctionModel

LEFT = {
    'nothing': [],
    'thinking': [ThinkingPart('th')],
    'empty thinking': [ThinkingPart('')],
    'empty text': [TextPart('')],
    'thinking and empty text': [ThinkingPart('t'), TextPart('')],
    'a call': [call('t')],
    'text': [ThinkingPart('t'), TextPart('x')],
}


async def main():
    for reason in ('content_filter', 'length'):
        for name, parts in LEFT.items():
            responses = iter(
                [ModelResponse(parts=parts, finish_reason=reason), ModelResponse(parts=[TextPart('second')])]
            )
            agent = Agent(FunctionModel(lambda messages, info, left=responses: next(left)))

            @agent.tool_plain
            def t() -> str:
                return 'r'

            try:
                result = await agent.run('x')
                out(reason, name, result.output, in_short(result.all_messages()))
            except Exception as error:
                out(reason, name, type(error).__name__)


asyncio.run(main())
