"""`ReadAhead`: a stream that is read item by item or in groups, by one reader after another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from .aio import cancel_and_drain

T = TypeVar('T')


class ReadAhead(Generic[T]):
    """A stream whose readers take turns.

    Groups are read in a task, which may still wait for an item when its reader leaves. The task belongs to the stream:
    what it receives goes to the next reader, and nothing is lost.
    """

    def __init__(self, iterator: AsyncIterator[T]) -> None:
        self.iterator = iterator
        self.items: list[T] = []
        """Items that were read, but not yet returned."""
        self.task: asyncio.Task[None] | None = None
        self.due = asyncio.Event()
        self.timer: asyncio.TimerHandle | None = None
        self.ended = False
        self.error: BaseException | None = None

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        while not self.items:
            if self.task is None or self.task.done():
                self._raise_error()
                return await self.iterator.__anext__()
            self.due.set()  # the task then ends with the item that it waits for
            await asyncio.wait([self.task])
        return self.items.pop(0)

    async def groups(self, seconds: float) -> AsyncIterator[list[T]]:
        """Yield lists of items, each of those that arrive within some time of the first."""
        while (group := await self.group(seconds)) is not None:
            yield group

    async def group(self, seconds: float, *, begun: bool = False) -> list[T] | None:
        """Return the next group, `None` at the end. An error comes after the items before it.

        Args:
            seconds: The time from the first item to the end of the group.
            begun: Whether the time starts now, so that the group may be empty.
        """
        if not self.ended:
            self.due.clear()
            if self.timer is not None:
                self.timer.cancel()
            if begun or self.items:
                self._start_timer(seconds)
            if self.task is None or self.task.done():
                self.task = asyncio.ensure_future(self._read(seconds))
            await self.due.wait()
        if not self.items and self.ended:
            self._raise_error()
            return None
        group, self.items = self.items, []
        return group

    async def _read(self, seconds: float) -> None:
        """Collect items until the group is due; the item that it is waiting for then starts the next group."""
        try:
            while True:
                item = await self.iterator.__anext__()
                self.items.append(item)  # the list may have been replaced during the wait
                if self.due.is_set():
                    return
                if len(self.items) == 1:
                    self._start_timer(seconds)
        except StopAsyncIteration:
            self.ended = True
        except BaseException as error:
            self.ended, self.error = True, error
        self.due.set()

    def _start_timer(self, seconds: float) -> None:
        self.timer = asyncio.get_running_loop().call_later(seconds, self.due.set)

    def _raise_error(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error

    async def close(self) -> None:
        """Stop reading."""
        if self.timer is not None:
            self.timer.cancel()
        if self.task is not None and not self.task.done():
            await cancel_and_drain(self.task)
