"""Where the events of a run go: `EventSink` shows them to hooks and handler, `EventFeed` takes them to another task."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from typing_extensions import TypeAlias

from .._contracts.run_context import RunContext
from ..capabilities._chain import HookChain
from ..messages import AgentStreamEvent

EventT = TypeVar('EventT')
EventHandler: TypeAlias = Callable[[RunContext[Any], AsyncIterable[AgentStreamEvent]], Awaitable[None]]
"""Receives the run context and the events of a step."""


@dataclass
class EventSink:
    """Shows the events of a run to hooks, which may change them, and to a handler."""

    chain: HookChain
    """The hooks of the run."""
    handler: EventHandler | None = None
    """Called once for each step of the run."""

    async def take(self, context: RunContext[object], events: AsyncIterable[AgentStreamEvent]) -> None:
        """Show the events of a step to hooks and handler; all of them are read, even if one of these stops early."""
        stream = self.shown(context, events)
        if self.handler is not None:
            await self.handler(context, stream)
        async for _ in stream:
            pass
        if stream is not events:
            async for _ in events:  # a response that is not read to its end counts as interrupted
                pass

    def shown(
        self, context: RunContext[object], events: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """Return the events after the hooks, which may add, change and drop some."""
        return self.chain.wrap_event_stream(context, events) if self.chain.wrap_run_event_stream else events


class EventFeed(Generic[EventT]):
    """Events on their way from the task that works, with the calls of a response or with a whole run, to one reader.

    The reader sets the pace: a task that uses `hand_over` or `flush` waits until the reader asks for more. The
    feed does not start the task, and does not cancel it; `end` has to be a callback of it.
    """

    def __init__(self) -> None:
        self.waiting: list[EventT] = []
        """Events that have not been read."""
        self.news: asyncio.Event = asyncio.Event()
        """Set when there is an event to read, or the task is done."""
        self.read: asyncio.Event = asyncio.Event()
        """Set when everything has been read, so that the task may go on."""
        self.has_reader: bool = True
        """Whether anything reads; without a reader, the task never waits."""

    def put(self, event: EventT) -> None:
        """Add an event."""
        self.waiting.append(event)
        self.news.set()

    async def hand_over(self, event: EventT) -> None:
        """Add an event, and wait until the reader has read it and asks for the next one."""
        self.put(event)
        await self.flush()

    async def flush(self) -> None:
        """Wait until the reader has read everything; returns at once when the reader has left."""
        if self.waiting and self.has_reader:
            self.read.clear()
            await self.read.wait()

    def leave(self) -> None:
        """Note that the reader has left, so that nothing waits for it."""
        self.has_reader = False
        self.read.set()

    def end(self, _: object) -> None:
        """Wake the reader for the last time; to be called when the task is done."""
        self.news.set()

    async def next(self, task: asyncio.Task[object]) -> EventT:
        """Return the next event.

        Raises:
            StopAsyncIteration: The task in which the events happen is done.
            BaseException: What the task raised.
        """
        while not self.waiting:
            self.read.set()
            if task.done():
                task.result()
                raise StopAsyncIteration
            self.news.clear()
            await self.news.wait()
        return self.waiting.pop(0)

    async def events(self, task: asyncio.Task[object]) -> AsyncIterator[EventT]:
        """Yield events until the task in which they happen is done; raises what it raised."""
        while True:
            while self.waiting:
                waiting, self.waiting = self.waiting, []
                for event in waiting:
                    yield event
                self.read.set()
            if task.done():
                task.result()
                return
            self.news.clear()
            await self.news.wait()


async def no_events() -> AsyncGenerator[Any, None]:
    """Yield nothing."""
    return
    yield
