"""Where the events of a run go: `EventSink` shows them to hooks and handler, `EventFeed` takes them to another task."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from typing_extensions import TypeAlias

from .._contracts.run_context import RunContext
from .._kit.short import short_repr
from ..capabilities._chain import HookChain
from ..exceptions import UserError
from ..messages import AgentStreamEvent, CapabilityEvent, CustomEvent

EventT = TypeVar('EventT')
T = TypeVar('T')
ReaderT = TypeVar('ReaderT')
EventHandler: TypeAlias = Callable[[RunContext[Any], AsyncIterable[AgentStreamEvent]], Awaitable[None]]
"""Receives the run context and the events of a step."""


@dataclass
class EventSink:
    """Shows the events of a run to hooks, which may change them, and to a handler."""

    chain: HookChain
    """The hooks of the run."""
    handler: EventHandler | None = None
    """Called once for each step of the run."""
    direct: EventFeed[AgentStreamEvent] | None = field(default=None, init=False)
    """Where the events go as they are, if the handler is a feed and no hook changes them: tools then write there themselves."""

    def __post_init__(self) -> None:
        handler = self.handler
        if isinstance(handler, EventFeed) and not self.chain.sees_events:
            self.direct = cast('EventFeed[AgentStreamEvent]', handler)

    def show(self, context: RunContext[object], events: AsyncIterable[AgentStreamEvent]) -> Awaitable[None]:
        """Show the events of a step to hooks and handler; all of them are read, even if one of these stops early."""
        return self.direct(context, events) if self.direct is not None else self._show(context, events)

    async def _show(self, context: RunContext[object], events: AsyncIterable[AgentStreamEvent]) -> None:
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
        return self.chain.wrap_event_stream(context, events) if self.chain.sees_events else events


class EventFeed(Generic[EventT]):
    """Events on their way from the task that works, with the calls of a response or with a whole run, to one reader.

    The reader sets the pace: a task that uses `hand_over` or `flush` waits until the reader asks for more. The
    feed does not start the task, and does not cancel it. A feed is an `EventHandler`.
    """

    task: asyncio.Task[Any]
    """The task in which the events happen."""

    def __init__(self) -> None:
        self.waiting: list[EventT] = []
        """Events that have not been read."""
        self.news: asyncio.Event = asyncio.Event()
        """Set when there is an event to read, or the task is done."""
        self.read: asyncio.Event = asyncio.Event()
        """Set when everything has been read, so that the task may continue."""
        self.has_reader: bool = True
        """Whether anything reads; without a reader, the task never waits."""
        self.is_stopped: bool = False
        """Whether the reader has cancelled the task, so that its cancellation is the end of the events."""

    async def __call__(self, _: RunContext[Any], events: AsyncIterable[EventT]) -> None:
        """Take the events of a step to the reader, as an event handler; waits with each of them."""
        async for event in events:
            self.waiting.append(event)
            self.news.set()
            if self.has_reader:
                self.read.clear()
                await self.read.wait()

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

    async def carry(self, work: Awaitable[T]) -> T:
        """Await work that puts its events here; whether it fails or not, they have been read then."""
        try:
            result = await work
        except Exception:
            await self.flush()
            raise
        await self.flush()
        return result

    def leave(self) -> None:
        """Note that the reader has left, so that nothing waits for it."""
        self.has_reader = False
        self.read.set()

    def follow(self, task: asyncio.Task[Any]) -> None:
        """Read the events of a task until it is done."""
        self.task = task
        task.add_done_callback(self.end)

    def end(self, _: object) -> None:
        """Wake the reader for the last time; called when the task is done."""
        self.news.set()

    def __aiter__(self) -> AsyncIterator[EventT]:
        return self

    async def __anext__(self) -> EventT:
        """Return the next event; a reader that is cancelled loses none.

        Raises:
            StopAsyncIteration: The task in which the events happen is done.
            BaseException: What the task raised.
        """
        try:
            while not self.waiting:
                self.read.set()
                if self.task.done():
                    self.task.result()
                    raise StopAsyncIteration
                self.news.clear()
                await self.news.wait()
        except asyncio.CancelledError:
            if self.is_stopped:
                raise StopAsyncIteration from None
            raise
        return self.waiting.pop(0)

    async def events(self) -> AsyncIterator[EventT]:
        """Yield events until the task in which they happen is done; raises what it raised."""
        while True:
            while self.waiting:
                waiting, self.waiting = self.waiting, []
                for event in waiting:
                    yield event
                self.read.set()
            if self.task.done():
                self.task.result()
                return
            self.news.clear()
            await self.news.wait()


class RunFeed(EventFeed[AgentStreamEvent]):
    """Takes the events of a run to their reader, with what the reader may know of the run."""

    def __init__(self) -> None:
        super().__init__()
        self.context: RunContext[Any] | None = None
        """The context of the last step; `None` before the first."""
        self.result: Any = None
        """Its `AgentRunResult`; `None` until it has ended."""
        self.is_cancelled: bool = False
        """Whether the reader has cancelled the run."""
        self.reason: str | None = None
        """Why."""

    async def __call__(self, ctx: RunContext[Any], events: AsyncIterable[AgentStreamEvent]) -> None:
        """Take the events of a step to the reader, as an event handler; waits with each of them."""
        self.context = ctx
        if self.is_cancelled:
            ctx.cancel(self.reason)
        await super().__call__(ctx, events)

    def holds(self, budget: Any) -> bool:
        """Return whether a request of the run, which waits for its reader, has something reserved in a budget."""
        return self.context is not None and self.context.budget is not None and self.context.budget.holds(budget)

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the run, also before its first step; one that has not started is not started."""
        self.is_cancelled, self.reason = True, reason
        if self.context is not None:
            self.context.cancel(reason)


async def no_events() -> AsyncGenerator[Any, None]:
    """Yield nothing."""
    return
    yield


def emitted_in(ctx: RunContext[Any], event: object) -> None:
    """Note in an event that is emitted which tool call and which capability it comes from.

    Raises:
        UserError: It is not an event of a program or of a capability, or one of a capability that no hook or tool of one emits.
    """
    if not isinstance(event, (CustomEvent, CapabilityEvent)):
        raise UserError(
            f'Only events of a `CustomEvent` or `CapabilityEvent` of your own are emitted, not {short_repr(event, 100)}. '
            'Define a dataclass that inherits from one of them.'
        )
    if isinstance(event, CapabilityEvent) and event.capability_id is None:
        tool = ctx.tools.get(ctx.tool_name) if ctx.tool_name is not None else None
        event.capability_id = None if tool is None else tool.capability_id
        if event.capability_id is None and not ctx.capability_loaded:
            raise UserError(
                f'The event `{type(event).__name__}` is one of a capability, and emitted by none. Emit it in a hook or tool of '
                'the capability, or make it a `CustomEvent`.'
            )
    if event.tool_call_id is None:
        event.tool_call_id = ctx.tool_call_id
    if event.tool_name is None:
        event.tool_name = ctx.tool_name


async def with_emitted(run: Any, reader: ReaderT, handle: Callable[[Any, ReaderT], Awaitable[T]], ctx: Any) -> T:
    """Handle a response, and show its reader what was emitted before, and what is emitted meanwhile.

    Args:
        run: What stops the run, which has the events.
        reader: Takes the events.
        handle: Handles the response.
        ctx: The first argument of `handle`; the other is the reader.
    """
    if run.emitted:
        for event in emitted_before(run):
            cast(Any, reader).put(event)
    run.reader = reader
    try:
        return await handle(ctx, reader)
    finally:
        run.reader = None


def emitted_before(run: Any) -> Iterator[Any]:
    """Take the events that wait for a reader, the oldest first.

    Args:
        run: What stops the run, which has the events.
    """
    while run.emitted:
        yield run.emitted.popleft()
