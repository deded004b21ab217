"""Runs that begin at the same moment, in processes of their own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stead.journal import Journal, RunInfo
from tests.journal.beginners import NAMES, ROUNDS

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope='module')
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp('at-once')


@pytest.fixture(scope='module')
def printed(directory: Path) -> list[list[str]]:
    """What two processes print that begin runs at the same moments."""
    processes = [
        subprocess.Popen(
            [sys.executable, '-m', 'tests.journal.beginners', str(directory), name],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in NAMES
    ]
    lines: list[list[str]] = []
    try:
        for process in processes:
            output, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
            lines.append(output.splitlines())
    finally:
        for process in processes:  # if one failed, the other waits for it
            process.kill()
            process.communicate()
    return lines


def outcomes(printed: list[list[str]], mode: str) -> list[list[str]]:
    return [[line.partition(' ')[2] for line in lines if line.startswith(mode)] for lines in printed]


def talks(directory: Path, mode: str, count: int) -> list[tuple[list[RunInfo], list[Any]]]:
    async def main() -> list[tuple[list[RunInfo], list[Any]]]:
        journal: Journal[Any] = Journal(directory / f'{mode}.db')
        found = []
        for number in range(count):
            talk = journal.conversation(f'talk {number}')
            found.append((await talk.runs(), await talk.messages()))
        return found

    return asyncio.run(main())


def test_runs_of_one_conversation_take_turns(directory: Path, printed: list[list[str]]) -> None:
    assert 'refused' not in [line for lines in outcomes(printed, 'wait') for line in lines]
    for runs, messages in talks(directory, 'wait', ROUNDS // 2):
        # Each of the four runs continues from the one before, so that nothing that was said is missing.
        assert [run.base_id for run in runs] == [*(run.run_id for run in runs[1:]), None]
        assert len(runs) == 4
        assert len(messages) == 8
        assert sorted(messages[-1].parts[0].content.split()) == ['a', 'a', 'b', 'b']


def test_one_of_two_is_refused(directory: Path, printed: list[list[str]]) -> None:
    lines = [line for lines in outcomes(printed, 'refuse') for line in lines]
    assert 'refused' in lines
    found = talks(directory, 'refuse', ROUNDS // 2)
    for runs, messages in found:
        assert [run.base_id for run in runs] == [*(run.run_id for run in runs[1:]), None]
        assert len(messages) == 2 * len(runs)
    assert sum(line != 'refused' for line in lines) == sum(len(runs) for runs, _ in found)


def test_one_run_begins_for_a_key(directory: Path, printed: list[list[str]]) -> None:
    first, second = outcomes(printed, 'key')
    assert first == second
    assert set(first) == {'one of us'}
    for runs, messages in talks(directory, 'key', ROUNDS):
        assert [(run.key is not None, run.status) for run in runs] == [(True, 'done')]
        assert len(messages) == 2
