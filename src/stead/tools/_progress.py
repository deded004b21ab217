"""Tools that say how far they are: what a generator yields is progress, and what it returns is the result."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

from .._kit.aio import run_in_executor
from ..messages import ToolReturn


async def run_generator(
    generator: Generator[Any, None, Any] | AsyncGenerator[Any, None], report: Callable[[Any], None] | None
) -> Any:
    """Run the generator of a tool to its end.

    Args:
        generator: A sync one runs in a worker thread. It is closed when the call is cancelled.
        report: Receives what it yields, in the event loop; `None` if nobody wants it.

    Returns:
        What a sync generator returns. An async one can return nothing: its result is the `ToolReturn` that it yields last,
        if it yields one.
    """
    if isinstance(generator, Generator):
        return await _run_sync(generator, report)
    result: Any = None
    try:
        async for value in generator:
            if isinstance(value, ToolReturn):
                result = value  # type: ignore[reportUnknownVariableType]
            elif report is not None:
                report(value)
    finally:
        await generator.aclose()
    return result  # type: ignore[reportUnknownVariableType]


async def _run_sync(generator: Generator[Any, None, Any], report: Callable[[Any], None] | None) -> Any:
    loop = asyncio.get_running_loop()
    caller = threading.current_thread()
    given_up = threading.Event()

    def exhaust() -> Any:
        try:
            while not given_up.is_set():
                value = next(generator)
                if report is None or given_up.is_set():
                    continue
                if threading.current_thread() is caller:  # threads are disabled
                    report(value)
                else:
                    loop.call_soon_threadsafe(report, value)
        except StopIteration as end:
            return end.value
        finally:
            generator.close()
        return None

    try:
        return await run_in_executor(exhaust)
    except BaseException:
        given_up.set()
        raise
