"""The example with the growing table, as a user would run it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples.growing_table.__main__ import COLUMNS, LAKES, agent, line

ROOT = Path(__file__).parent.parent.parent


def table(*arguments: str) -> list[str]:
    process = subprocess.run(
        [sys.executable, '-W', 'error', '-m', 'examples.growing_table', *arguments],
        cwd=ROOT,
        env={**os.environ, 'PYTHONIOENCODING': 'utf-8'},
        capture_output=True,
        text=True,
        encoding='utf-8',
        timeout=60,
    )
    assert (process.returncode, process.stderr) == (0, '')
    return process.stdout.splitlines()


def test_the_table_is_whole():
    assert table() == [COLUMNS, *(line(lake) for lake in LAKES), '5 lakes, 1 request(s)']


def test_rows_come_one_after_the_other():
    async def main() -> list[int]:
        async with agent.run_stream('q', until='end') as result:
            return [len(lakes) async for lakes in result.stream_output(debounce_by=None)]

    counts = asyncio.run(main())
    assert counts == sorted(counts)
    assert set(counts) >= {1, 2, 3, 4, 5}, 'a row is shown when it is there, not at the end'


@pytest.mark.skipif(sys.platform == 'win32', reason='there are no pseudo-terminals')
def test_in_a_terminal_nothing_is_shown_twice():
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, '-m', 'examples.growing_table'],
        cwd=ROOT,
        env={**os.environ, 'PYTHONIOENCODING': 'utf-8'},
        stdout=follower,
    )
    os.close(follower)
    data = b''
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        data += piece
    os.close(leader)
    assert process.wait(30) == 0
    screen: list[str] = []
    for text in data.decode().split('\r\n')[:-1]:
        while text.startswith('\x1b['):
            count, _, text = text[2:].partition('A\x1b[J')
            del screen[-int(count) :]
        screen.append(text)
    assert screen == [COLUMNS, *(line(lake) for lake in LAKES), '5 lakes, 1 request(s)']
