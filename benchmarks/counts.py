"""Count what a run costs on any machine: `python benchmarks/counts.py`, and with `--write` keep the counts for the tests.

For each row of `rows.py` and one unit of it: functions of stead that are entered; all functions that are called, those in C too;
blocks of memory that are allocated and not freed by the end, which the garbage collector has not looked at. And how many modules
are loaded. `tests/test_counts.py` fails when one of these has grown by more than 5%.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pydantic

if __package__:
    from .rows import rows
else:
    from rows import rows

COUNTS = Path(__file__).parent / 'counts.json'
PACKAGE = str(Path(__file__).resolve().parent.parent / 'src' / 'stead')
IMPORT = 'from stead import Agent'
FIRST_RUN = """
import asyncio
from stead import Agent, ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel

def reply(messages, info):
    return ModelResponse([TextPart('done') if len(messages) > 1 else ToolCallPart('double', {'x': 2})])

agent = Agent(FunctionModel(reply))

@agent.tool_plain
async def double(x: int) -> int:
    "Double a number."
    return 2 * x

assert asyncio.run(agent.run('go')).output == 'done'
"""


def environment() -> str:
    """Return what all counts depend on."""
    return f'Python {sys.version_info.major}.{sys.version_info.minor}'


def modules(code: str) -> dict[str, int]:
    """Return how many modules a program has loaded at its end."""
    program = (
        f'{code}\nimport sys; print(len([name for name in sys.modules if name.startswith("stead")]), len(sys.modules))'
    )
    process = subprocess.run(
        [sys.executable, '-S', '-c', f'import sys; sys.path[:] = {sys.path!r}\n{program}'],
        check=True,
        capture_output=True,
        text=True,
    )
    own, loaded = map(int, process.stdout.split())
    return {'modules of stead': own, 'modules': loaded}


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the garbage collector away: when it comes, and what it calls, depends on what was made before."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def calls(work: Callable[[], Awaitable[object]]) -> tuple[int, int]:
    """Return how many functions of stead some work enters, and how many functions it calls in all."""
    own = every = 0

    def count(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal own, every
        if event == 'call':
            every += 1
            own += frame.f_code.co_filename.startswith(PACKAGE)
        elif event == 'c_call':
            every += 1

    async def counted() -> None:
        with without_collector():
            sys.setprofile(count)
            try:
                await work()
            finally:
                sys.setprofile(None)

    asyncio.run(counted())
    return own, every


def blocks(work: Callable[[], Awaitable[object]]) -> int:
    """Return how many blocks of memory some work leaves to the garbage collector, or with its result."""

    async def counted() -> int:
        with without_collector():
            before = sys.getallocatedblocks()
            await work()
            return sys.getallocatedblocks() - before

    return asyncio.run(counted())


def counted() -> dict[str, dict[str, float]]:
    """Return all counts, by row and by what is counted."""
    found: dict[str, dict[str, float]] = {
        'import of Agent': {**modules(IMPORT)},
        'a first run': {**modules(FIRST_RUN)},
    }
    for row in rows():
        for _ in range(2):  # what is done once is not counted
            asyncio.run(_run_once(row.ours))
        own, every = calls(row.ours)
        left = min(blocks(row.ours) for _ in range(3))
        figures = {'functions of stead': own, 'functions': every, 'blocks': left}
        found[row.name] = {name: round(figure / row.count, 2) for name, figure in figures.items()}
    return found


async def _run_once(work: Callable[[], Awaitable[object]]) -> None:
    await work()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n\n')[0])
    parser.add_argument('--write', action='store_true', help='keep the counts for this version of Python')
    options = parser.parse_args()
    recorded: dict[str, Any] = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    before, now = recorded.get(environment(), {}).get('counts', {}), counted()
    for name, figures in now.items():
        changes = ', '.join(
            f'{figure:g} {what} ({before.get(name, {}).get(what, 0):g})' for what, figure in figures.items()
        )
        print(f'{name}: {changes}')
    if options.write:
        recorded[environment()] = {'pydantic': pydantic.VERSION, 'counts': now}
        COUNTS.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + '\n')


if __name__ == '__main__':
    main()
