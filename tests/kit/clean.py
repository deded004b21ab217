"""Runs a coroutine on an event loop of its own, which must be left as it was found."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar('T')


def run_clean(main: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns.

    No task may be left when it ends, and nothing may be reported to the event loop: no error that was never retrieved, no
    task that was destroyed.
    """
    reports: list[Any] = []

    async def watched() -> tuple[T, set[Any]]:
        asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
        result = await main
        left = asyncio.all_tasks() - {asyncio.current_task()}
        gc.collect(0)
        return result, left

    result, left = asyncio.run(watched())
    assert (left, reports) == (set(), [])
    return result


async def ticks(number: int) -> None:
    """Let the event loop go round so many times."""
    for _ in range(number):
        await asyncio.sleep(0)


async def outcome(task: asyncio.Task[Any]) -> Any:
    """Return what a task returned or raised."""
    return (await asyncio.gather(task, return_exceptions=True))[0]
