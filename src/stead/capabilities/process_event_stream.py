"""`ProcessEventStream`: a function reads or replaces the events of a run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from dataclasses import field
from typing import Any, Union

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.aio import cancel_and_drain
from .._kit.keywords import dataclass
from ..exceptions import UserError
from ..messages import AgentStreamEvent

EventStreamProcessor: TypeAlias = Callable[
    [RunContext[AgentDepsT], AsyncIterable[AgentStreamEvent]],
    Union[Awaitable[None], AsyncIterable[AgentStreamEvent]],
]
"""An async function that reads events, or an async generator that yields the events to pass on instead."""


@dataclass
class ProcessEventStream(AbstractCapability[AgentDepsT]):
    """A handler for the events of a run: a function that reads them, or a generator that replaces them.

    A function may return early. The run waits for it if it is more than one event behind. An error that it raises ends the
    run.
    """

    handler: EventStreamProcessor[AgentDepsT] = field(kw_only=False)
    """The function or generator function."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    async def wrap_run_event_stream(
        self, ctx: RunContext[AgentDepsT], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """Pass on the events, or those that the generator yields.

        Raises:
            UserError: The handler is neither an async function nor an async generator.
        """
        events = _HandlerStream(stream)
        handling = self.handler(ctx, events)
        if isinstance(handling, AsyncIterable):
            async for event in handling:
                yield event
            return
        if not isinstance(handling, Awaitable):
            name = getattr(self.handler, '__name__', repr(self.handler))
            raise UserError(
                f'The event stream handler {name!r} must be an async function, or an async generator, of the run '
                f'context and the stream; it returned {handling!r}.'
            )
        events.feed = feed = _Feed()
        task = asyncio.ensure_future(handling)
        task.add_done_callback(feed.stop)
        try:
            async for event in stream:
                await feed.put(event)
                if task.done():
                    task.result()
                yield event
            await feed.end()
            await task
        finally:
            await cancel_and_drain(task)


class _HandlerStream:
    """The stream that a handler iterates over.

    It reads the stream of the run directly if the handler is a generator. If the handler is a function, which runs in a
    task beside the run, it reads the feed that the run fills. Which one it is shows only after the call.
    """

    def __init__(self, stream: AsyncIterable[AgentStreamEvent]) -> None:
        self.stream = stream
        self.feed: _Feed | None = None

    def __aiter__(self) -> AsyncIterator[AgentStreamEvent]:
        return self.feed if self.feed is not None else self.stream.__aiter__()


_END: Any = object()


class _Feed:
    """A queue that hands events to a reader in another task, one at a time."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[AgentStreamEvent] = asyncio.Queue(1)
        self.stopped = False

    def stop(self, _: object) -> None:
        """Stop waiting for the reader, whose task has ended."""
        self.stopped = True
        while not self.queue.empty():  # wakes a waiting `put`
            self.queue.get_nowait()

    async def put(self, event: AgentStreamEvent) -> None:
        """Hand over an event, after waiting until the reader has taken the previous one."""
        if not self.stopped:
            await self.queue.put(event)
            await asyncio.sleep(0)  # lets the reader see the event first

    async def end(self) -> None:
        """Signal the end of the stream to the reader."""
        await self.put(_END)

    def __aiter__(self) -> AsyncIterator[AgentStreamEvent]:
        return self

    async def __anext__(self) -> AgentStreamEvent:
        event = await self.queue.get()
        if event is _END:
            raise StopAsyncIteration
        return event
