"""`ModelFallback`, alone and with `RaiseContentFilterError`: which model answers, what is counted, what fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import ModelFallback, RaiseContentFilterError
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

DOWN = ModelHTTPError(500, 'x')


def model(name: str, error: Exception | None = None, reason: Any = None) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if error is not None:
            raise error
        return ModelResponse(parts=[TextPart(name)], finish_reason=reason)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        if error is not None:
            raise error
        yield name

    return FunctionModel(respond, stream_function=stream, model_name=name)


CASES: dict[str, tuple[FunctionModel, list[Any]]] = {
    'first': (model('a'), [ModelFallback(model('b'))]),
    'second': (model('a', DOWN), [ModelFallback(model('b'))]),
    'third': (model('a', DOWN), [ModelFallback(model('b', DOWN), model('c'))]),
    'none': (model('a', DOWN), [ModelFallback(model('b', DOWN), model('c', DOWN))]),
    'another error': (model('a', ValueError('v')), [ModelFallback(model('b'))]),
    'fallback_on': (model('a', ValueError('v')), [ModelFallback(model('b'), fallback_on=(ValueError,))]),
    'filtered': (model('a', None, 'content_filter'), [RaiseContentFilterError()]),
    'filtered, fallback': (
        model('a', None, 'content_filter'),
        [RaiseContentFilterError(), ModelFallback(model('b'))],
    ),
}


async def main() -> None:
    for name, (first, capabilities) in CASES.items():
        agent = Agent(first, capabilities=capabilities)
        for stream in (False, True):
            try:
                if stream:
                    async with agent.run_stream('q') as streamed:
                        output: Any = await streamed.get_output()
                        names = [
                            message.model_name for message in streamed.all_messages() if message.kind == 'response'
                        ]
                        print(name, stream, output, streamed.usage, names)
                else:
                    result = await agent.run('q')
                    names = [message.model_name for message in result.all_messages() if message.kind == 'response']
                    print(name, stream, result.output, result.usage, names)
            except Exception as error:
                inner = [type(each).__name__ for each in getattr(error, 'exceptions', ())]
                print(name, stream, type(error).__name__, str(error).splitlines()[0], inner)


asyncio.run(main())
