"""Runs on DBOS, in a database in a file: processes that die, and the same messages as a plain run."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('dbos')
pytestmark = pytest.mark.filterwarnings('ignore')  # of its own packages

from dbos import DBOS

from tests.durable import dbos_scenes, scenes
from tests.durable.scripts import SCRIPTS, plain, random_script

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, '-m', 'tests.durable.dbos_scenes']


def process(folder: Path, script: Any, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, str(folder / 'dbos.db'), 'it', json.dumps(script)],
        cwd=ROOT,
        env={**os.environ, 'STEAD_WORLD': str(folder / 'world'), **variables},
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_when(folder: Path, script: Any, line: str) -> None:
    """Play a script in a process that is killed once a line was written."""
    world = folder / 'world'
    world.touch()
    with process(folder, script, STEAD_HANG='1') as one:
        end = time.monotonic() + 60
        while line not in world.read_text():
            assert time.monotonic() < end and one.poll() is None
            time.sleep(0.05)
        one.kill()


def finish(folder: Path, script: Any) -> list[Any]:
    """Play it in another process, and return what tools returned."""
    with process(folder, script) as other:
        messages = json.loads(other.communicate(timeout=60)[0])
    parts = [part for message in messages for part in message['parts']]
    return [part['content'] for part in parts if part['part_kind'] == 'tool-return']


@pytest.mark.parametrize(
    ('script', 'line', 'answers', 'count'),
    [
        ([[['write', {'line': 'a'}]], [['wait', {'seconds': 0}]]], 'wait begins', ['wrote a', 'DONE'], 1),
        ([[['look', {'what': 'slow'}]]], 'look slow', [{'what': 'slow', 'by': 'me', 'attempt': 0}], 2),
        ([[['book', {'room': 7}]]], 'book ', ['booked before'], 1),
    ],
    ids=['a write is asked about', 'a read is repeated', 'a booking is looked up'],
)
def test_a_process_is_killed_in_a_call(tmp_path: Path, script: Any, line: str, answers: list[Any], count: int) -> None:
    kill_when(tmp_path, script, line)
    said = 'a person says that it was done'
    assert finish(tmp_path, script) == [said if answer == 'DONE' else answer for answer in answers]
    world = (tmp_path / 'world').read_text()
    assert world.count(line) == count
    assert world.count('write a') <= 1


def test_random_agents_do_what_they_do_in_a_plain_run(tmp_path: Path) -> None:
    async def main() -> None:
        dbos_scenes.launch(str(tmp_path / 'dbos.db'))
        for seed in range(SCRIPTS):
            script = random_script(seed)
            try:
                result = await dbos_scenes.play(f'run-{seed}', json.dumps(script))
                got = scenes.masked(result.all_messages_json())
            except Exception as error:
                got = type(error).__name__
            assert got == await plain(script), script

    try:
        asyncio.run(main())
    finally:
        DBOS.destroy()


def test_killed_at_a_random_moment_it_comes_to_the_same_end(tmp_path: Path) -> None:
    rng = random.Random(7)
    script = [[['write', {'line': f'{n}'}], ['look', {'what': f'{n}'}]] for n in range(6)]
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        kill_when(folder, script, f'write {rng.randrange(6)}\n')
        answers = finish(folder, script)
        world = (folder / 'world').read_text().splitlines()
        writes = [line for line in world if line.startswith('write')]
        assert len(writes) == len(set(writes)), 'no write is repeated'
        wrote = [answer for answer in answers if isinstance(answer, str)]
        assert len(wrote) == 6 == len(answers) - len(wrote), 'each call has one answer'
        for n, answer in enumerate(wrote):
            assert answer in (f'wrote {n}', 'a person says that it was done')
