"""Streams of a `FallbackModel`: when they show something, and how a response starts again with another model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from typing import Optional

from typing_extensions import TypeAlias

from .._contracts.model import ModelRequestParameters
from .._kit.held import HeldOpen
from .._kit.short import short
from ..messages import (
    ModelRequestAttempt,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    ResponseRestartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from ..usage import RequestUsage, UsageLimits, countable
from ._base import Model
from ._streaming.streamed import StreamedResponse

MOST_HELD_BACK = 1000
"""The most events without content that are held back."""

OpenStream: TypeAlias = AbstractAsyncContextManager[StreamedResponse]
"""What `Model.request_stream` returns."""


def shows_something(event: ModelResponseStreamEvent) -> bool:
    """Return whether a reader of an event sees anything of the response: text, thinking, a call, a file."""
    if isinstance(event, PartStartEvent):
        return not isinstance(event.part, (TextPart, ThinkingPart)) or event.part.has_content()
    if isinstance(event, PartDeltaEvent):
        empty = isinstance(event.delta, (TextPartDelta, ThinkingPartDelta)) and not event.delta.content_delta
        return not empty
    return False


async def wait_for_content(response: StreamedResponse) -> None:
    """Wait until a stream shows something, or has ended, and put back what has come, so that it can still be read."""
    events = response.__aiter__()
    held: list[ModelResponseStreamEvent] = []
    async for event in events:
        held.append(event)
        if shows_something(event) or len(held) == MOST_HELD_BACK:
            break
    response._event_iterator = _with_first(held, events)


async def _with_first(
    first: list[ModelResponseStreamEvent], rest: AsyncIterator[ModelResponseStreamEvent]
) -> AsyncIterator[ModelResponseStreamEvent]:
    for event in first:
        yield event
    async for event in rest:
        yield event


class Attempt:
    """The stream of one model. It is opened and closed in a task of its own, whatever task reads it."""

    response: StreamedResponse

    def __init__(self, model: Model, opened: OpenStream) -> None:
        self.model = model
        self._opened = opened
        self._held: HeldOpen[None, None] = HeldOpen()

    async def open(self) -> None:
        """Send the request, and wait until the response shows something.

        Raises:
            Exception: What the model raised.
        """
        await self._held.open(self._hold)

    async def _hold(self) -> None:
        async with self._opened as self.response:
            await wait_for_content(self.response)
            await self._held.park()

    async def close(self, error: BaseException | None = None) -> None:
        """Close the stream, after an error if there was one."""
        if error is None:
            await self._held.close(None)
            return
        try:
            await self._held.fail(error)
        except BaseException as raised:
            if raised is not error:
                raise


NextAttempt: TypeAlias = Callable[[Model, Exception], Awaitable[Optional[Attempt]]]
"""Opens the stream of the next model after one failed with an error; `None` if the error is not one to fall back on.

Raises a `FallbackExceptionGroup` if no further model answers.
"""


class RestartingStream(StreamedResponse):
    """The response of the first model that completes it.

    The usage includes that of broken responses.
    """

    def __init__(
        self,
        model_request_parameters: ModelRequestParameters,
        attempt: Attempt,
        following: NextAttempt,
        failed_attempts: list[ModelRequestAttempt],
    ) -> None:
        self.model_request_parameters = model_request_parameters
        self.attempt = attempt
        """The attempt that is read."""
        self._following = following
        self._attempts, self._noted = failed_attempts, 0
        self._restarts = 0
        self._lost = RequestUsage()
        self._usage = RequestUsage()
        self._event_iterator = None
        self._limits: UsageLimits | None = None
        self._cancelled = self._finished = False
        self.failure: BaseException | None = None
        self._note()
        self.failed_attempts = None
        self._note_attempts()
        self.__post_init__()

    @property
    def _current(self) -> StreamedResponse:
        return self.attempt.response

    def limit_calls(self, limits: UsageLimits) -> None:
        """End the stream with a `UsageLimitExceeded` when it has more calls than a response may have."""
        self._limits = limits
        self._current.limit_calls(limits)

    def _note(self) -> None:
        current = self._current
        self.final_result_event = current.final_result_event
        self.canonical_system = current.canonical_system
        self.provider_response_id = current.provider_response_id
        self.provider_details = current.provider_details
        self.finish_reason = current.finish_reason

    def _note_attempts(self) -> None:
        new = self._attempts[self._noted :]
        self._noted += len(new)
        if new:
            self.failed_attempts = [*(self.failed_attempts or ()), *new]

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        """Iterate over the events. A second iteration continues where the first one stopped."""
        if self._event_iterator is None:
            self._event_iterator = self._get_event_iterator()
        return self._event_iterator

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        while True:
            failed = self.attempt
            try:
                async for event in failed.response:
                    self._note()
                    yield event
                self._note()
                return
            except Exception as error:
                self.failure = error
                restart = await self._restart(failed, error)
                if restart is None:
                    raise
            self.failure = None
            yield restart

    async def _restart(self, failed: Attempt, error: Exception) -> ResponseRestartEvent | None:
        """Continue with the next model, and return the event that says so; `None` if the error is not one to fall back on."""
        try:
            attempt = await self._following(failed.model, error)
        except Exception as failure:
            self.failure = failure
            raise
        if attempt is None:
            return None
        broken = failed.response.get()
        self._lost = self._lost + countable(broken.usage)
        self.attempt, self._restarts = attempt, self._restarts + 1
        if self._limits is not None:
            attempt.response.limit_calls(self._limits)
        await failed.close(error)
        self._note()
        self._note_attempts()
        return ResponseRestartEvent(
            model_name=attempt.response.model_name,
            failed_model_name=failed.response.model_name,
            error=short(f'{type(error).__name__}: {error}'),
        )

    def get(self) -> ModelResponse:
        """Return the response of the current model so far."""
        response = self._current.get()
        if self._restarts:
            response = replace(response, usage=self._lost + response.usage)
        if not self.failed_attempts:
            return response
        return replace(response, failed_attempts=[*self.failed_attempts, *(response.failed_attempts or ())])

    @property
    def restarts(self) -> int:
        """How many times the response started again."""
        return self._restarts

    @property
    def is_open(self) -> bool:
        """Whether more of the response may come."""
        return not self._cancelled and self.failure is None and self._current.is_open

    @property
    def usage(self) -> RequestUsage:
        """The usage so far, including that of broken responses."""
        return self._lost + self._current.get().usage if self._restarts else self._current.usage

    async def cancel(self) -> None:
        """Cancel the stream, and close its connection."""
        self._cancelled = True
        await self._current.cancel()

    async def close_stream(self) -> None:
        """Close the connection."""
        await self._current.close_stream()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the errors that the client raises if the connection is closed while it reads."""
        return self._current.get_stream_cancel_errors()

    @property
    def model_name(self) -> str:
        """The name of the model that answers."""
        return self._current.model_name

    @property
    def provider_name(self) -> str | None:
        """Its provider."""
        return self._current.provider_name

    @property
    def provider_url(self) -> str | None:
        """The URL that the response comes from."""
        return self._current.provider_url

    @property
    def timestamp(self) -> datetime:
        """When the response was created."""
        return self._current.timestamp
