"""The process of a run that is killed: `killed_with` starts it, `python -m stead.testing._crash_child` is it."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

from ._crash_story import CrashScene, Plot, Story

LONGEST = 120.0
"""After how many seconds a process that does not die is killed all the same."""


async def killed_with(plot: Plot, directory: Path, place: int, after: bool) -> None:
    """Run an agent in a process that is killed at a record.

    Args:
        plot: What happens there.
        directory: The directory of its scene.
        place: How many records come before the one at which it is killed.
        after: Whether it is killed after that record.

    Raises:
        RuntimeError: The process was not killed there.
        subprocess.TimeoutExpired: It did not come that far in time.
    """
    job = pickle.dumps((plot, directory, place, after))
    ended = await asyncio.to_thread(_run, job)
    if ended.returncode not in (-getattr(signal, 'SIGKILL', 9), signal.SIGTERM):
        lines = ended.stderr.decode('utf-8', 'replace').strip().splitlines()
        raise RuntimeError(f'its process was not killed, but ended with {ended.returncode}: {" ".join(lines[-1:])}')


def _run(job: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, '-m', 'stead.testing._crash_child'],
        input=job,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
        timeout=LONGEST,
        check=False,
    )


def main() -> None:
    """Run the agent that is described on the standard input."""
    plot, directory, place, after = pickle.loads(sys.stdin.buffer.read())
    asyncio.run(Story(plot, CrashScene(directory), place, after=after, is_killed=True).live())


if __name__ == '__main__':
    main()
