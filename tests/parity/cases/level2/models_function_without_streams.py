"""A `FunctionModel` that has whole responses only does not stream."""

import asyncio

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel


async def main():
    agent = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('whole')])))
    try:
        async with agent.run_stream('go') as result:
            fact('streamed', await result.get_output())
    except AssertionError:
        fact('refused', True)
    except NotImplementedError:
        fact('refused', 'otherwise')


asyncio.run(main())
