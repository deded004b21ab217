"""Worker threads for sync functions, bounded in number even if callers no longer wait for some of them."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Full
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from typing_extensions import ParamSpec

T = TypeVar('T')
P = ParamSpec('P')


class _Limiter(Protocol):
    """The part of anyio's `CapacityLimiter` that is used here."""

    async def acquire_on_behalf_of(self, borrower: object) -> None: ...

    def acquire_on_behalf_of_nowait(self, borrower: object) -> None: ...

    def release_on_behalf_of(self, borrower: object) -> None: ...


# For each event loop the limiter of its threads, and one without a limit. (Their class is in anyio, imported on use.)
_limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[_Limiter, Any]] = WeakKeyDictionary()
_guard = Lock()
_LONGEST_HELD = 5.0
"""Seconds after which the lock of a queue, which others hold for microseconds, counts as one that no one will give back."""


async def run_in_worker_thread(func: Callable[[], T]) -> T:
    """Call a sync function in a worker thread of anyio; these are reused, and end with the event loop.

    The limit is the number of threads that anyio has by default, 40. A caller that is cancelled does not wait for the
    function, but the function counts towards the limit until it is done: a thread cannot be stopped, and a server whose
    tools hang must not accumulate threads.
    """
    from anyio import WouldBlock
    from anyio.to_thread import run_sync

    loop = asyncio.get_running_loop()
    limiter, unlimited = limiters(loop)
    call = _Call(func, loop, limiter)
    try:
        limiter.acquire_on_behalf_of_nowait(call)
    except WouldBlock:
        await limiter.acquire_on_behalf_of(call)
    try:
        return cast(T, await run_sync(call, abandon_on_cancel=True, limiter=unlimited))
    finally:
        call.leave()


def limiters(loop: asyncio.AbstractEventLoop) -> tuple[_Limiter, Any]:
    """Return the limiter of the threads of a loop, and one without a limit.

    The first call imports anyio, which takes a tenth of a second; make it before time limits start.
    """
    if (known := _limiters.get(loop)) is not None:
        return known
    from anyio import CapacityLimiter
    from anyio.to_thread import current_default_thread_limiter

    created = CapacityLimiter(current_default_thread_limiter().total_tokens), CapacityLimiter(math.inf)
    with _guard:
        return _limiters.setdefault(loop, created)


def stop_threads(loop: asyncio.AbstractEventLoop) -> None:
    """Let the worker threads of a loop end that was left in the middle of its work.

    They end with the task that `run_until_complete` waits for. If that is never done, they would wait for more work, and the
    process for them. Those that are busy end when their function does.
    """
    for thread in threading.enumerate():
        if getattr(thread, 'loop', None) is loop and callable(stop := getattr(thread, 'stop', None)):
            # The signal may have come between taking the lock of the queue and the block that would give it back.
            mutex: Any = getattr(getattr(thread, 'queue', None), 'mutex', None)
            if mutex is not None:
                mutex.acquire(timeout=_LONGEST_HELD)
                mutex.release()
            with suppress(Full):  # it was stopped before
                stop()


class _Call(Generic[T]):
    """A function that runs in a thread, and the token of the limiter that it holds."""

    def __init__(self, func: Callable[[], T], loop: asyncio.AbstractEventLoop, limiter: _Limiter) -> None:
        self.func = func
        self.loop = loop
        self.limiter = limiter
        self.lock = Lock()
        self.running = self.left = False

    def __call__(self) -> T | None:
        with self.lock:
            if self.left:  # before it got a thread
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
                    self.loop.call_soon_threadsafe(self.release)

    def leave(self) -> None:
        """Stop waiting; the token is released now, or when the function is done."""
        with self.lock:
            self.left = True
            running = self.running
        if not running:
            self.release()

    def release(self) -> None:
        self.limiter.release_on_behalf_of(self)


def without_stop_iteration(func: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function whose result is awaited.

    Raises:
        RuntimeError: The function raised `StopIteration`, which a future cannot carry: some versions of Python hang on it.
    """
    try:
        return func(*args, **kwargs)
    except StopIteration as error:
        name = getattr(getattr(func, 'func', func), '__name__', repr(func))  # for a partial, the name of its function
        raise RuntimeError(f'{name!r} raised StopIteration.') from error
