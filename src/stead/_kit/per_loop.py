"""`PerLoop`: one object for every event loop, closed when its loop ends."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar('T')


_Loop = asyncio.AbstractEventLoop
_Keeper = AsyncGenerator[None, None]
"""Holds an object until it is closed."""

_waiting: dict[_Loop, list[_Keeper]] = {}
"""Orphaned objects to close, by their loop, while that loop does not run."""


class PerLoop(Generic[T]):
    """One object per event loop, for objects bound to the loop they are first used on, such as HTTP connections.

    An object is closed when its loop shuts down its async generators, as `asyncio.run` does before it closes a loop:
    each object is held by such a generator. It is closed earlier, by its loop, when the `PerLoop` is garbage-collected.
    Outside any loop there is one more object, which is never closed.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[object]]) -> None:
        """Prepare the objects.

        Args:
            make: A function that creates an object.
            close: A function that closes one.
        """
        self._make = make
        self._close = close
        # A loop has one thread, and only that thread looks for its own entry, so no lock is needed.
        self._kept: dict[_Loop | None, tuple[T, _Keeper | None]] = {}
        weakref.finalize(self, _close_all, self._kept).atexit = False

    def get(self) -> T:
        """Return the object of the running event loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        entry = self._kept.get(loop)
        if entry is not None:
            return entry[0]
        for entries in (self._kept, _waiting):
            for other in list(entries):
                if other is not None and other.is_closed():
                    entries.pop(other, None)
        if loop is not None:
            for orphan in _waiting.pop(loop, ()):
                _close_soon(loop, orphan)
        created = self._make()
        keeper = None
        if loop is not None:
            # The generator has no reference to `self`, which could not be collected otherwise while the loop exists.
            keeper = _keep(created, self._close, self._kept, loop)
            _start(keeper)
        self._kept[loop] = (created, keeper)
        return created

    async def close(self) -> None:
        """Close the object of the running event loop, if there is one; the next `get` creates another."""
        entry = self._kept.get(asyncio.get_running_loop())
        if entry is not None and entry[1] is not None:
            await entry[1].aclose()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._make, self._close)  # objects bound to a loop are not copied


async def _keep(
    created: T, close: Callable[[T], Awaitable[object]], kept: dict[_Loop | None, Any], loop: _Loop
) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        kept.pop(loop, None)
        await close(created)


def _start(generator: AsyncGenerator[None, None]) -> None:
    """Run an async generator to its first `yield`, before which it awaits nothing, so that the running loop registers it."""
    step: Any = generator.asend(None)
    try:
        step.send(None)
    except StopIteration:
        return


def _close_all(kept: dict[_Loop | None, tuple[T, _Keeper | None]]) -> None:
    """Let every loop close its object: at once if it runs, otherwise when it is used again or shuts down."""
    for loop, (_, keeper) in list(kept.items()):
        if loop is None or keeper is None or loop.is_closed():
            continue
        if not loop.is_running():
            _waiting.setdefault(loop, []).append(keeper)
            continue
        try:
            loop.call_soon_threadsafe(_close_soon, loop, keeper)
        except RuntimeError:  # closed in the meantime
            continue


def _close_soon(loop: asyncio.AbstractEventLoop, keeper: _Keeper) -> None:
    loop.create_task(_closed(keeper))


async def _closed(keeper: _Keeper) -> None:
    await keeper.aclose()
