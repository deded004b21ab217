"""`grouped`: items of a stream that come close together, as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import Generic, TypeVar

from .aio import cancel_and_drain

T = TypeVar('T')


async def grouped(source: AsyncIterable[T], seconds: float | None) -> AsyncIterator[list[T]]:
    """Yield lists of items that come within some time of each other's first.

    Args:
        source: The items. At most one is read ahead of the consumer.
        seconds: How long a group may last; `None` makes every item a group.
    """
    if seconds is None:
        async for item in source:
            yield [item]
        return
    reader = _Reader(source, seconds)
    try:
        while group := await reader.next_group():
            yield group
    finally:
        await reader.close()


class _Reader(Generic[T]):
    """Reads a stream in a task of its own while a group is open."""

    def __init__(self, source: AsyncIterable[T], seconds: float) -> None:
        self.iterator = source.__aiter__()
        self.seconds = seconds
        self.group: list[T] = []
        self.due = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.ended = False
        self.error: BaseException | None = None

    async def next_group(self) -> list[T]:
        """Return the next group; an empty one at the end. An error comes after the items before it."""
        if not self.ended:
            self.due.clear()
            if self.group:  # read ahead
                self.start_clock()
            if self.task is None or self.task.done():
                self.task = asyncio.ensure_future(self.read())
            await self.due.wait()
        group, self.group = self.group, []
        if not group and self.error is not None:
            raise self.error
        return group

    async def read(self) -> None:
        """Collect items until the group is due; one that is being waited for then opens the next group."""
        try:
            while True:
                self.group.append(await self.iterator.__anext__())
                if self.due.is_set():
                    return
                if len(self.group) == 1:
                    self.start_clock()
        except StopAsyncIteration:
            self.ended = True
            self.due.set()
        except BaseException as error:
            self.ended, self.error = True, error
            self.due.set()

    def start_clock(self) -> None:
        """Let the group be due after its time."""
        asyncio.get_running_loop().call_later(self.seconds, self.due.set)

    async def close(self) -> None:
        """Stop reading."""
        if self.task is not None and not self.task.done():
            await cancel_and_drain(self.task)
