"""Tools that report progress: the values that a generator yields are progress, and its return value is the result."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Generator
from typing import cast

from .._kit import aio
from ..messages import ToolReturn


async def run_generator(
    generator: Generator[object, None, object] | AsyncGenerator[object, None], report: Callable[[object], None] | None
) -> object:
    """Run the generator of a tool to its end.

    Args:
        generator: The generator; a sync one runs in a worker thread. It is closed when the call is cancelled.
        report: Called in the event loop with each value that it yields; `None` to discard them.

    Returns:
        The return value of a sync generator. An async one has none: its result is the last `ToolReturn` that it yields,
        or `None`.
    """
    if isinstance(generator, Generator):
        return await _run_sync(generator, report)
    result: object = None
    try:
        async for value in generator:
            if isinstance(value, ToolReturn):
                result = cast('ToolReturn[object]', value)
            elif report is not None:
                report(value)
    finally:
        await generator.aclose()
    return result


async def _run_sync(generator: Generator[object, None, object], report: Callable[[object], None] | None) -> object:
    loop = aio.get_running_loop()
    caller = threading.current_thread()
    cancelled = threading.Event()

    def exhaust() -> object:
        try:
            while not cancelled.is_set():
                value = next(generator)
                if report is None or cancelled.is_set():
                    continue
                if threading.current_thread() is caller:  # threads are disabled: this is the event loop
                    report(value)
                else:
                    loop.call_soon_threadsafe(report, value)
        except StopIteration as end:
            return end.value
        finally:
            generator.close()
        return None

    try:
        return await aio.run_in_executor(exhaust)
    except BaseException:
        cancelled.set()
        raise
