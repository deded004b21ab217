"""`ReadAhead`: a stream that is read item by item or in groups, by one reader after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from .aio import cancel_and_drain

T = TypeVar('T')


class ReadAhead(Generic[T]):
    """A stream whose readers take turns.

    Groups are read in a task, which may wait for an item when their reader leaves. The task belongs to the stream: what
    it receives is for the next reader, and nothing is lost.
    """

    def __init__(self, iterator: AsyncIterator[T]) -> None:
        self.iterator = iterator
        self.items: list[T] = []
        """What was read, and is still to be taken."""
        self.task: asyncio.Task[None] | None = None
        self.due = asyncio.Event()
        self.clock: asyncio.TimerHandle | None = None
        self.ended = False
        self.error: BaseException | None = None

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        while not self.items:
            if self.task is None or self.task.done():
                self._raise_error()
                return await self.iterator.__anext__()
            self.due.set()  # the task returns with the item that it waits for
            await asyncio.wait([self.task])
        return self.items.pop(0)

    async def groups(self, seconds: float) -> AsyncIterator[list[T]]:
        """Yield lists of items that come within some time of each other's first."""
        while (group := await self.group(seconds)) is not None:
            yield group

    async def group(self, seconds: float, *, begun: bool = False) -> list[T] | None:
        """Return the next group, `None` at the end. An error comes after the items before it.

        Args:
            seconds: How long the group may last.
            begun: Whether the time runs already, so that the group may come without an item.
        """
        if not self.ended:
            self.due.clear()
            if self.clock is not None:
                self.clock.cancel()
            if begun or self.items:
                self._start_clock(seconds)
            if self.task is None or self.task.done():
                self.task = asyncio.ensure_future(self._read(seconds))
            await self.due.wait()
        if not self.items and self.ended:
            self._raise_error()
            return None
        group, self.items = self.items, []
        return group

    async def _read(self, seconds: float) -> None:
        """Collect items until the group is due; one that is being waited for then opens the next group."""
        try:
            while True:
                item = await self.iterator.__anext__()
                self.items.append(item)  # the list may be another one than before the wait
                if self.due.is_set():
                    return
                if len(self.items) == 1:
                    self._start_clock(seconds)
        except StopAsyncIteration:
            self.ended = True
        except BaseException as error:
            self.ended, self.error = True, error
        self.due.set()

    def _start_clock(self, seconds: float) -> None:
        self.clock = asyncio.get_running_loop().call_later(seconds, self.due.set)

    def _raise_error(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error

    async def close(self) -> None:
        """Stop reading."""
        if self.clock is not None:
            self.clock.cancel()
        if self.task is not None and not self.task.done():
            await cancel_and_drain(self.task)
