"""Ways to wait that do not measure the machine: for what is to happen, and on a clock that jumps."""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from stead.journal import Journal, RunInfo

T = TypeVar('T')


class _Jumping(selectors.DefaultSelector):
    """Where the loop would wait for a timer, the clock goes on to it instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:  # nothing is to happen at a time, so something real is waited for
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self.now += max(timeout, 0)
        return ready


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


class _HeldLoop(asyncio.SelectorEventLoop):
    def __init__(self, held: Callable[[], bool]) -> None:
        self._held = held
        self._lost = 0.0
        self._now = time.monotonic()
        super().__init__()

    def time(self) -> float:
        now = time.monotonic() - self._lost
        if self._held():
            self._lost += now - self._now
            return self._now
        self._now = now
        return now


def run_in_virtual_time(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a loop of its own, in which a second of waiting takes no time and is exactly a second.

    Threads have no part in that time: what waits for both a thread and a timer sees the timer first. So tools are
    async functions here; sync functions and generators are called in threads.
    """
    return _run(_VirtualLoop(), main)


def run_with_time_held(main: Coroutine[Any, Any, T], held: Callable[[], bool]) -> T:
    """Run a coroutine in a loop of its own, whose clock stands still while `held` holds.

    So timeouts do not run out before a thread has started, however long the machine takes to begin it.
    """
    return _run(_HeldLoop(held), main)


def _run(loop: asyncio.AbstractEventLoop, main: Coroutine[Any, Any, T]) -> T:
    try:
        return loop.run_until_complete(main)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def until(condition: Callable[[], Any], most: float = 20) -> None:
    """Wait until something holds; `most` seconds, on the clock of the loop, are to end a test that hangs."""
    loop = asyncio.get_running_loop()
    end = loop.time() + most
    while not condition():
        assert loop.time() < end, 'what is waited for does not come'
        await asyncio.sleep(0.001)


async def free_runs(journal: Journal[Any]) -> list[RunInfo]:
    """Return the runs of a journal, once no process holds one: a thread gives back those that were left."""
    while any(run.holder for run in await journal.runs()):  # noqa: ASYNC110 - it takes moments
        await asyncio.sleep(0.001)
    return await journal.runs()


async def timed_out_when(ready: Callable[[], bool], work: Coroutine[Any, Any, Any]) -> None:
    """Let the time for some work run out, but not before it has come so far that `ready` holds."""
    task = asyncio.ensure_future(work)
    await until(lambda: ready() or task.done())
    assert ready(), f'the work did not come so far: {task}'
    await asyncio.wait_for(task, 0.001)


def settles(condition: Callable[[], bool], most: float = 20) -> bool:
    """Whether something holds at last, within `most` seconds: threads and connections take a moment to end."""
    end = time.monotonic() + most
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
