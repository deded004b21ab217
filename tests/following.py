"""Follow a run through the files of stead."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import FrameType
from typing import Any

from stead import Agent
from stead._kit import ids

SRC = Path(__file__).parent.parent / 'src' / 'stead'


COMPREHENSIONS = ('<listcomp>', '<dictcomp>', '<setcomp>', '<genexpr>')
"""Code that is a function of its own in some versions of Python only."""


async def run(agent: Agent[Any, Any]) -> None:
    """Run an agent."""
    await agent.run('go')


async def stream_to_the_answer(agent: Agent[Any, Any]) -> None:
    """Read the text of an agent as it comes in."""
    async with agent.run_stream('go') as result:
        async for _ in result.stream_text(debounce_by=None):
            pass


async def read_events(agent: Agent[Any, Any]) -> None:
    """Read the events of a run."""
    async with agent.run_stream_events('go') as events:
        async for _ in events:
            pass


def functions_entered(
    agent: Agent[Any, Any], way: Callable[[Agent[Any, Any]], Coroutine[Any, Any, None]] = run
) -> list[tuple[str, str]]:
    """Return file and name of each function of stead that a run enters, in this order.

    Args:
        agent: The agent, which runs once before it is followed.
        way: How it is run.
    """
    entered: list[tuple[str, str]] = []
    frames: set[FrameType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        own = path.is_relative_to(SRC)
        if event == 'call' and frame not in frames and own and frame.f_code.co_name not in COMPREHENSIONS:
            frames.add(frame)  # a coroutine that continues is entered again
            entered.append((path.relative_to(SRC).as_posix(), frame.f_code.co_name))

    async def main() -> None:
        await way(agent)
        sys.setprofile(note)
        try:
            await way(agent)
        finally:
            sys.setprofile(None)

    # Engines whose runs are replayed provide ids, once they were imported: another test may have done so in this process.
    finders, ids._finders = ids._finders, ()
    try:
        asyncio.run(main())
    finally:
        ids._finders = finders
    return entered
