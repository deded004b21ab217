"""Follow a run through the files of stead."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from stead import Agent
from stead._kit import ids

SRC = Path(__file__).parent.parent / 'src' / 'stead'


def functions_entered(agent: Agent[Any, Any]) -> list[tuple[str, str]]:
    """Return file and name of each function of stead that a run enters, in this order."""
    entered: list[tuple[str, str]] = []
    frames: set[FrameType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        own = path.is_relative_to(SRC)
        if event == 'call' and frame not in frames and own:
            frames.add(frame)  # a coroutine that goes on is entered again
            entered.append((path.relative_to(SRC).as_posix(), frame.f_code.co_name))

    async def main() -> None:
        await agent.run('go')
        sys.setprofile(note)
        try:
            await agent.run('go')
        finally:
            sys.setprofile(None)

    # Engines whose runs are replayed provide ids, once they were imported: another test may have done so in this process.
    finders, ids._finders = ids._finders, ()
    try:
        asyncio.run(main())
    finally:
        ids._finders = finders
    return entered
