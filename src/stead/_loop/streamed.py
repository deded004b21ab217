"""A model request whose response is streamed: opened, read by somebody, and closed with the hooks around all of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from .._contracts.model import ModelRequestContext
from .._contracts.run_context import RunContext
from .._kit.held import HeldOpen
from ..capabilities._chain import HookChain
from ..messages import ModelResponse
from ..models import StreamedResponse
from ..models.wrapper import CompletedStreamedResponse
from .request import Exchange, take_over

EventHandler = Callable[[RunContext[Any], AsyncIterable[Any]], Awaitable[None]]
"""Receives the run context and the events of a step."""


@dataclass
class StreamedExchange(Exchange):
    """A request whose response is streamed; the hooks around it are held open until its reader is done."""

    held: HeldOpen[None, ModelResponse] | None = field(default=None, init=False)
    connection: Any = field(default=None, init=False)
    stream: StreamedResponse | None = field(default=None, init=False)

    async def open(self) -> StreamedResponse:
        """Send the request and return the stream; one without events if a hook has answered.

        Raises:
            ModelRetry: A hook asks for another try.
        """
        if not self.ctx.deps.chain.model_request:
            self.connection, self.stream = await self._connect(await take_over(self.ctx, self.step.request))
            return self.stream
        self.held = HeldOpen()
        if not await self.held.open(self.send):
            parameters = self.step.request.model_request_parameters
            self.stream = CompletedStreamedResponse(parameters, self.held.result)
        assert self.stream is not None, 'hooks wait with a stream'
        return self.stream

    async def _connect(self, prepared: ModelRequestContext) -> tuple[Any, StreamedResponse]:
        self._fit(prepared)
        connection: Any = prepared.model.request_stream(
            prepared.messages, prepared.model_settings, prepared.model_request_parameters, self.step.context
        )
        return connection, await connection.__aenter__()

    async def _request(self, prepared: ModelRequestContext) -> ModelResponse:
        assert self.held is not None, 'hooks are called from `open`'
        connection, stream = await self._connect(prepared)
        try:
            if self.held.parked:  # a hook asks once more, after the reader of the first stream
                async for _ in stream:
                    pass
            else:
                self.stream = stream
                await self.held.park()
        except BaseException as error:
            await _disconnect(connection, error)
            raise
        await _disconnect(connection, None)
        return self._received(stream)

    def _received(self, stream: StreamedResponse) -> ModelResponse:
        self.response = stream.get()
        return self.response

    async def close(self) -> ModelResponse:
        """End the request, and return the response as far as it was read, as the hooks leave it.

        Raises:
            ModelRetry: A hook asks for another try; `response` holds what it objects to.
        """
        assert self.stream is not None, 'only what was opened is closed'
        if self.held is not None:
            return await self.held.close(None)
        await _disconnect(self.connection, None)
        return self._received(self.stream)

    async def fail(self, error: BaseException) -> ModelResponse | None:
        """End the request because reading the stream failed; returns a response if a hook recovers, else `None`.

        Raises:
            ModelRetry: A hook asks for another try.
            Exception: What a hook raised in place of the error.
        """
        if self.held is not None:
            return await self.held.fail(error)
        try:
            await _disconnect(self.connection, error)
        except BaseException as raised:
            if raised is not error:
                raise
        return None


async def _disconnect(connection: Any, error: BaseException | None) -> None:
    await connection.__aexit__(error and type(error), error, error and error.__traceback__)


@dataclass
class EventSink:
    """Who is shown the events of a run: hooks that see or change them, and a handler."""

    chain: HookChain
    handler: EventHandler | None = None

    async def take(self, context: RunContext[Any], events: AsyncIterable[Any]) -> None:
        """Show the events of a step to hooks and handler; all of them are read, even if one of these stops early."""
        stream = self.shown(context, events)
        if self.handler is not None:
            await self.handler(context, stream)
        async for _ in stream:
            pass
        if stream is not events:
            async for _ in events:  # a response that is not read to its end counts as interrupted
                pass

    def shown(self, context: RunContext[Any], events: AsyncIterable[Any]) -> AsyncIterable[Any]:
        """Return the events as the hooks leave them."""
        return self.chain.wrap_event_stream(context, events) if self.chain.wrap_run_event_stream else events


class EventFeed:
    """Hands the events of tool calls from those who run them to whoever reads them."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.news = asyncio.Event()
        self.taken = asyncio.Event()
        self.left = False

    def put(self, event: Any) -> None:
        """Add an event."""
        self.waiting.append(event)
        self.news.set()

    async def hand_over(self, event: Any) -> None:
        """Add an event, and wait until the reader has taken it and asks for the next one."""
        self.put(event)
        await self.flush()

    async def flush(self) -> None:
        """Wait until the reader has taken everything; returns at once when the reader has left."""
        if self.waiting and not self.left:
            self.taken.clear()
            await self.taken.wait()

    def leave(self) -> None:
        """Take note that nobody reads any more."""
        self.left = True
        self.taken.set()

    def end(self, _: Any) -> None:
        """Wake the reader for the last time."""
        self.news.set()

    async def next(self, task: asyncio.Task[Any]) -> Any:
        """Return the next event.

        Raises:
            StopAsyncIteration: The task that makes the events is done.
            BaseException: What the task raised.
        """
        while not self.waiting:
            self.taken.set()
            if task.done():
                task.result()
                raise StopAsyncIteration
            self.news.clear()
            await self.news.wait()
        return self.waiting.pop(0)

    async def events(self, task: asyncio.Task[Any]) -> AsyncIterator[Any]:
        """Yield events until the task that makes them is done; raises what it raised."""
        while True:
            while self.waiting:
                waiting, self.waiting = self.waiting, []
                for event in waiting:
                    yield event
                self.taken.set()
            if task.done():
                task.result()
                return
            self.news.clear()
            await self.news.wait()


async def no_events() -> AsyncIterator[Any]:
    """Yield nothing."""
    return
    yield
