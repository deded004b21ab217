"""`PerLoop`: one object for every event loop, closed when its loop ends."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar('T')


_waiting: dict[Any, list[Any]] = {}
"""What nobody needs any more, by its loop, as long as that does not run."""


class PerLoop(Generic[T]):
    """Keeps one object per event loop, for what is bound to the loop it was first used on, such as HTTP connections.

    An object is closed when its loop shuts down its async generators, as `asyncio.run` does before it closes a loop:
    each object is held by such a generator. It is closed earlier, by its loop, when nobody needs the `PerLoop` any more.
    Outside of a loop there is one more object, which nobody closes.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[Any]]) -> None:
        """Prepare to keep objects.

        Args:
            make: Makes an object.
            close: Closes one.
        """
        self._make = make
        self._close = close
        # A loop has one thread, and only that thread looks for its own entry, so no lock is needed.
        self._kept: dict[Any, tuple[T, Any]] = {}
        weakref.finalize(self, _close_all, self._kept).atexit = False

    def get(self) -> T:
        """Return the object of the running event loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        found = self._kept.get(loop)
        if found is not None:
            return found[0]
        for entries in (self._kept, _waiting):
            for other in list(entries):
                if other is not None and other.is_closed():
                    entries.pop(other, None)
        if loop is not None:
            for orphan in _waiting.pop(loop, ()):
                _close_soon(loop, orphan)
        made = self._make()
        keeper = None
        if loop is not None:
            # It knows nothing of `self`, which could not be collected otherwise as long as the loop goes on.
            keeper = _keep(made, self._close, self._kept, loop)
            _start(keeper)
        self._kept[loop] = (made, keeper)
        return made

    async def close(self) -> None:
        """Close the object of the running event loop, if there is one; the next `get` makes another."""
        found = self._kept.get(asyncio.get_running_loop())
        if found is not None:
            await found[1].aclose()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._make, self._close)  # what is bound to a loop is not copied


async def _keep(
    made: Any, close: Callable[[Any], Awaitable[Any]], kept: dict[Any, Any], loop: Any
) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        kept.pop(loop, None)
        await close(made)


def _start(generator: AsyncGenerator[None, None]) -> None:
    """Run an async generator to its first `yield`, before which it awaits nothing; the running loop then knows of it."""
    step: Any = generator.asend(None)
    try:
        step.send(None)
    except StopIteration:
        return


def _close_all(kept: dict[Any, Any]) -> None:
    """Let every loop close its object: at once if it runs, else when it is used again or shuts down."""
    for loop, (_, keeper) in list(kept.items()):
        if loop is None or loop.is_closed():
            continue
        if not loop.is_running():
            _waiting.setdefault(loop, []).append(keeper)
            continue
        try:
            loop.call_soon_threadsafe(_close_soon, loop, keeper)
        except RuntimeError:  # closed meanwhile
            continue


def _close_soon(loop: asyncio.AbstractEventLoop, keeper: Any) -> None:
    loop.create_task(_closed(keeper))


async def _closed(keeper: Any) -> None:
    await keeper.aclose()
