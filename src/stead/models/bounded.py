"""Requests within the time that the settings `request_timeout` and `first_event_timeout` allow.

The vendors' SDKs have limits of their own (`timeout`), which differ in what they apply to: a connection, a read, a try. These
two mean the same for all models, also for `TestModel`, `FunctionModel` and those of other packages. They are kept here, around
the model, by whatever sends a request: a run, `stead.direct`, and a `FallbackModel`, which has them around each of its models,
so that one that is too slow is followed by the next.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final, get_args

from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import RunContext
from .._kit.aio import TimeLimitReached, within
from ..exceptions import ModelRequestTimeout, RequestTimeoutSetting, UserError
from ..messages import ModelMessage, ModelResponse, ModelResponseStreamEvent
from ..settings import ModelSettings
from ._base import Model
from ._streaming.streamed import StreamedResponse

_TIME_LIMITS: Final = frozenset(get_args(RequestTimeoutSetting))


def has_time_limits(settings: ModelSettings | None, of_model: ModelSettings | None) -> bool:
    """Return whether any settings bound the time of a request. If none do, there is nothing to do here."""
    return bool(
        (settings and not _TIME_LIMITS.isdisjoint(settings)) or (of_model and not _TIME_LIMITS.isdisjoint(of_model))
    )


async def bounded_request(
    model: Model, messages: list[ModelMessage], settings: ModelSettings | None, params: ModelRequestParameters
) -> ModelResponse:
    """Send a request to a model; arguments and errors as `Model.request`.

    Raises:
        ModelRequestTimeout: It took longer than `request_timeout`.
    """
    seconds = _limit(model, settings, 'request_timeout')
    if seconds is None:
        return await model.request(messages, settings, params)
    try:
        return await within(seconds, model.request(messages, settings, params))
    except TimeLimitReached:
        raise ModelRequestTimeout(model.model_name, seconds) from None


def bounded_stream(
    model: Model,
    messages: list[ModelMessage],
    settings: ModelSettings | None,
    params: ModelRequestParameters,
    run_context: RunContext[Any] | None = None,
) -> AbstractAsyncContextManager[StreamedResponse]:
    """Return the context manager of a streamed response; arguments and errors as `Model.request_stream`.

    Entering it, or reading the stream, raises a `ModelRequestTimeout` when a limit is reached.
    """
    opened = model.request_stream(messages, settings, params, run_context)
    total = _limit(model, settings, 'request_timeout')
    first = _limit(model, settings, 'first_event_timeout')
    return opened if total is None and first is None else _bounded(opened, _Clock(model.model_name, total, first))


def _limit(model: Model, settings: ModelSettings | None, name: RequestTimeoutSetting) -> float | None:
    """Return a limit in the settings of a request, or else in those of the model; `None` if there is none.

    Raises:
        UserError: It is not a number of seconds.
    """
    for layer in (settings, model.settings):
        if layer and name in layer:
            break
    else:
        return None
    seconds: object = layer.get(name)
    if seconds is None or getattr(model, 'has_members', False):
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or math.isnan(seconds):
        raise UserError(f'The setting `{name}` must be a number of seconds, not {seconds!r:.100}.')
    return None if math.isinf(seconds) else seconds


class _Clock:
    """The time that is left for one response."""

    def __init__(self, model_name: str, total: float | None, first: float | None) -> None:
        self._model_name = model_name
        self._total, self._first = total, first
        self._now = asyncio.get_running_loop().time
        self._start = self._now()

    def begun(self) -> bool:
        """Note that the response has started, and return whether it is still limited."""
        self._first = None
        return self._total is not None

    async def wait(self, work: Any) -> Any:
        """Await some work within the time that is left.

        Raises:
            ModelRequestTimeout: It took longer.
        """
        total, first = self._total, self._first
        setting: RequestTimeoutSetting = 'request_timeout'
        seconds = total
        if first is not None and (total is None or first < total):
            setting, seconds = 'first_event_timeout', first
        assert seconds is not None, 'there is a limit while there is a clock'
        try:
            return await within(max(self._start + seconds - self._now(), 0), work)
        except TimeLimitReached:
            raise ModelRequestTimeout(self._model_name, seconds, setting=setting) from None


@asynccontextmanager
async def _bounded(
    opened: AbstractAsyncContextManager[StreamedResponse], clock: _Clock
) -> AsyncGenerator[StreamedResponse, None]:
    async with AsyncExitStack() as stack:
        response: StreamedResponse = await clock.wait(stack.enter_async_context(opened))
        response._event_iterator = _within_time(response, response.__aiter__(), clock)
        yield response


async def _within_time(
    response: StreamedResponse, events: AsyncIterator[ModelResponseStreamEvent], clock: _Clock
) -> AsyncGenerator[ModelResponseStreamEvent, None]:
    limited = True
    while True:
        try:
            event: ModelResponseStreamEvent = await (clock.wait(events.__anext__()) if limited else events.__anext__())
        except StopAsyncIteration:
            return
        except ModelRequestTimeout as error:
            response.failure = error
            raise
        limited = clock.begun()
        yield event


__all__ = ('bounded_request', 'bounded_stream', 'has_time_limits')
