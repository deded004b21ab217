"""`ProcessEventStream`: a function sees the events of a run, or changes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Union

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.aio import cancel_and_drain
from ..exceptions import UserError
from ..messages import AgentStreamEvent

EventStreamProcessor: TypeAlias = Callable[
    [RunContext[AgentDepsT], AsyncIterable[AgentStreamEvent]],
    Union[Awaitable[None], AsyncIterable[AgentStreamEvent]],
]
"""An async function that reads events, or an async generator that yields those to pass on in their place."""


@dataclass
class ProcessEventStream(AbstractCapability[AgentDepsT]):
    """Shows the events of a run to a function while they go on, or replaces them with those that a generator yields.

    A function that only reads may stop early, or fall behind by one event; then the run waits for it. What it raises
    ends the run.
    """

    handler: EventStreamProcessor[AgentDepsT] = field(kw_only=False)
    """The function or generator."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None

    async def wrap_run_event_stream(
        self, ctx: RunContext[AgentDepsT], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterable[AgentStreamEvent]:
        """Pass on the events, or what the generator makes of them.

        Raises:
            UserError: The handler is neither an async function nor an async generator.
        """
        source = _Source(stream)
        made: Any = self.handler(ctx, source)
        if hasattr(made, '__aiter__'):
            async for event in made:
                yield event
            return
        if not hasattr(made, '__await__'):
            name = getattr(self.handler, '__name__', repr(self.handler))
            raise UserError(
                f'The event stream handler {name!r} must be an async function, or an async generator, of the run '
                f'context and the stream; it returned {made!r}.'
            )
        source.reader = feed = _Feed()
        task = asyncio.ensure_future(made)
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


class _Source:
    """What the handler iterates over: the stream itself, or a feed of its events."""

    def __init__(self, stream: AsyncIterable[Any]) -> None:
        self.stream = stream
        self.reader: _Feed | None = None

    def __aiter__(self) -> AsyncIterator[Any]:
        return self.reader if self.reader is not None else self.stream.__aiter__()


_END: Any = object()


class _Feed:
    """Hands events to a reader in another task, one at a time."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Any] = asyncio.Queue(1)
        self.stopped = False

    def stop(self, _: Any) -> None:
        """Let nobody wait for the reader, who is gone."""
        self.stopped = True
        while not self.queue.empty():  # wakes who waits in `put`
            self.queue.get_nowait()

    async def put(self, event: Any) -> None:
        """Hand over an event; waits until the reader has taken the one before."""
        if not self.stopped:
            await self.queue.put(event)
            await asyncio.sleep(0)  # lets the reader see the event first

    async def end(self) -> None:
        """Tell the reader that there are no more events."""
        await self.put(_END)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        event = await self.queue.get()
        if event is _END:
            raise StopAsyncIteration
        return event
