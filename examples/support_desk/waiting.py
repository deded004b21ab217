"""What is shown while a model has not answered yet."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

FRAMES = '|/-\\'
LINE_EVERY = 10
"""Without a terminal, how many seconds pass between two lines."""


@asynccontextmanager
async def waiting_shown(label: str) -> AsyncIterator[None]:
    """Show how many seconds the block has taken: in a terminal in one line, which is erased at the end, and else in lines.

    Args:
        label: What stands before the seconds.
    """
    showing = asyncio.create_task(_spin(label) if sys.stdout.isatty() else _count(label))
    try:
        yield
    finally:
        showing.cancel()
        with suppress(asyncio.CancelledError):
            await showing


async def _spin(label: str) -> None:
    began = time.monotonic()
    try:
        while True:
            seconds = time.monotonic() - began
            # The cursor stays at the beginning: what the engine reports in a line of its own then covers this.
            print(f'{label}  {FRAMES[int(seconds * 5) % 4]} {seconds:.0f} s', end='\r', flush=True)
            await asyncio.sleep(0.2)
    finally:
        print(' ' * (len(label) + 12), end='\r', flush=True)


async def _count(label: str) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(LINE_EVERY)
        print(f'{label}  ... {time.monotonic() - began:.0f} s', flush=True)
