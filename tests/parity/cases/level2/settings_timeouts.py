"""`request_timeout` and `first_event_timeout`: what they bound, with streams, fallbacks and settings of a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, ModelFallback
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import ModelRequestTimeout
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel

SHORT, LONG = 0.02, 5.0


async def slow(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    await asyncio.sleep(LONG)
    return ModelResponse(parts=[TextPart('slow')])


async def slow_stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    await asyncio.sleep(LONG)
    yield 'slow'


async def broken_stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    yield 'begun '
    await asyncio.sleep(LONG)
    yield 'slow'


async def fast(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart('fast')])


async def fast_stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    yield 'fast '
    yield 'fast'


SLOW = FunctionModel(slow, stream_function=slow_stream, model_name='slow')
BROKEN = FunctionModel(slow, stream_function=broken_stream, model_name='broken')
FAST = FunctionModel(fast, stream_function=fast_stream, model_name='fast')
LIMITED = FunctionModel(slow, stream_function=slow_stream, model_name='limited', settings={'request_timeout': SHORT})


class Around(AbstractCapability[Any]):
    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        await asyncio.sleep(2 * SHORT)
        return await handler(request_context)


async def run(model: Any, settings: Any = None, *capabilities: Any) -> Any:
    return (await Agent(model, capabilities=capabilities).run('q', model_settings=settings)).output


async def stream(model: Any, settings: Any = None, *capabilities: Any) -> Any:
    pieces: list[str] = []
    try:
        async with Agent(model, capabilities=capabilities).run_stream('q', model_settings=settings) as result:
            async for piece in result.stream_text(delta=True, debounce_by=None):
                pieces.append(piece)
    except ModelRequestTimeout:
        print('  read:', pieces)
        raise
    return pieces


async def direct_stream(model: Any, settings: Any) -> Any:
    request: list[ModelMessage] = [ModelRequest.user_text_prompt('q')]
    async with model_request_stream(model, request, model_settings=settings) as response:
        return [type(event).__name__ async for event in response]


async def shown(name: str, work: Awaitable[Any]) -> None:
    try:
        print(name, await work)
    except ModelRequestTimeout as error:
        print(name, type(error).__name__, error, error.timeout, error.setting, error.model_name)
    except Exception as error:
        print(name, type(error).__name__)


async def main() -> None:
    request: list[ModelMessage] = [ModelRequest.user_text_prompt('q')]
    total, first = {'request_timeout': SHORT}, {'first_event_timeout': SHORT}
    both: Any = {'request_timeout': LONG, 'first_event_timeout': SHORT}
    for name, model in (('slow', SLOW), ('broken', BROKEN), ('fast', FAST), ('wrapped', WrapperModel(SLOW))):
        await shown(f'{name} run', run(model, total))
        await shown(f'{name} stream', stream(model, total if model is not FAST else {'request_timeout': LONG}))
        await shown(f'{name} first', stream(model, first) if name != 'broken' else stream(FAST, first))
        await shown(f'{name} both', stream(model, both) if name != 'broken' else stream(FAST, both))
    await shown('first, run', run(FAST, first))
    await shown('model', run(LIMITED))
    await shown('model, stream', stream(LIMITED))
    await shown('no limit', run(FAST, {'request_timeout': None, 'first_event_timeout': None}))
    await shown('hook', run(FAST, total, Around()))
    await shown('hook, slow', run(SLOW, total, Around()))
    await shown('fallback', run(FallbackModel(SLOW, FAST), total))
    await shown('fallback, stream', stream(FallbackModel(SLOW, FAST), total))
    await shown('fallback, first', stream(FallbackModel(SLOW, FAST), first))
    await shown('fallback, broken', stream(FallbackModel(BROKEN, FAST), total))
    await shown('fallback of a model', run(FallbackModel(LIMITED, FAST)))
    await shown('wrapped fallback', run(WrapperModel(FallbackModel(SLOW, FAST)), total))
    await shown('capability', run(SLOW, total, ModelFallback(FAST)))
    await shown('direct', model_request(SLOW, request, model_settings={'request_timeout': SHORT}))
    await shown('direct, stream', direct_stream(BROKEN, total))
    await shown('direct, fast', direct_stream(FAST, total))


asyncio.run(main())
