"""Worker threads for sync functions: a bounded number of them, also while functions go on that nobody waits for."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any, Generic, TypeVar, cast
from weakref import WeakKeyDictionary

T = TypeVar('T')

# For each event loop the limiter of the threads, and one without a limit. (Their class is anyio's, which loads on use.)
_limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Any, Any]] = WeakKeyDictionary()
_guard = Lock()


async def run_in_worker_thread(func: Callable[[], T]) -> T:
    """Call a sync function in one of anyio's worker threads, which are reused, and gone with the event loop.

    As many run at once as anyio has threads by default, which is 40. When the caller is cancelled it does not wait for
    the function, but the function keeps its place among these until it is done: a thread cannot be stopped, and a server
    whose tools hang must not collect threads.
    """
    from anyio import WouldBlock
    from anyio.to_thread import run_sync

    loop = asyncio.get_running_loop()
    places, no_limit = limiters(loop)
    call = _Call(func, loop, places)
    try:
        places.acquire_on_behalf_of_nowait(call)
    except WouldBlock:
        await places.acquire_on_behalf_of(call)
    try:
        return cast(T, await run_sync(call, abandon_on_cancel=True, limiter=no_limit))
    finally:
        call.leave()


def limiters(loop: asyncio.AbstractEventLoop) -> tuple[Any, Any]:
    """Return the limiter of the threads of a loop, and one without a limit.

    The first call takes a tenth of a second to import what is needed, so it is made before a clock starts to tick.
    """
    if (known := _limiters.get(loop)) is not None:
        return known
    from anyio import CapacityLimiter
    from anyio.to_thread import current_default_thread_limiter

    made = CapacityLimiter(current_default_thread_limiter().total_tokens), CapacityLimiter(math.inf)
    with _guard:
        return _limiters.setdefault(loop, made)


class _Call(Generic[T]):
    """A function on its way through a thread, and the place that it takes among those that run."""

    def __init__(self, func: Callable[[], T], loop: asyncio.AbstractEventLoop, places: Any) -> None:
        self.func = func
        self.loop = loop
        self.places = places
        self.lock = Lock()
        self.running = self.left = False

    def __call__(self) -> T | None:
        with self.lock:
            if self.left:  # before there was a thread
                return None
            self.running = True
        try:
            return without_stop_iteration(self.func)
        finally:
            with self.lock:
                self.running = False
                left = self.left
            if left:
                with suppress(RuntimeError):  # the loop is closed
                    self.loop.call_soon_threadsafe(self.free)

    def leave(self) -> None:
        """Note that nobody waits any more; the place is free now, or when the function is done."""
        with self.lock:
            self.left = True
            running = self.running
        if not running:
            self.free()

    def free(self) -> None:
        self.places.release_on_behalf_of(self)


def without_stop_iteration(func: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Call a function.

    Raises:
        RuntimeError: In place of `StopIteration`, which nobody can await: on some versions of Python they wait for ever.
    """
    try:
        return func(*args, **kwargs)
    except StopIteration as error:
        name = getattr(getattr(func, 'func', func), '__name__', repr(func))  # of a partial, that of its function
        raise RuntimeError(f'{name!r} raised StopIteration.') from error
