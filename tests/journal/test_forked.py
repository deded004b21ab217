"""Processes that are forked while a run is under way, as `multiprocessing` does on Linux, have nothing of its journal."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stead.journal import Journal, RunInUse
from tests.journal.forking import CHILDREN, LEASE, payer

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='no fork here')
def test_forked_processes_do_not_keep_the_runs_of_their_parent(tmp_path: Path) -> None:
    command = [sys.executable, '-W', 'ignore', '-m', 'tests.journal.forking', str(tmp_path)]
    try:
        process = subprocess.run(command, cwd=ROOT, timeout=60)
        assert process.returncode == -signal.SIGKILL
        asyncio.run(continue_run(tmp_path))
    finally:
        (tmp_path / 'over').touch()


async def continue_run(directory: Path) -> None:
    children = [(directory / f'child {number}').read_text().splitlines() for number in range(CHILDREN)]
    assert [files for _, *files in children] == [[]] * CHILDREN  # no connection was handed on
    journal: Journal[Any] = Journal(directory / 'runs.db', lease_seconds=LEASE)
    runs = {run.run_id: run for run in await journal.runs()}
    for run_id, *_ in children:
        run = runs.pop(run_id)  # each has a run of its own, which is not inside of the call that forked
        assert (run.agent, run.parent_id, run.status) == ('helper', None, 'done')
    ((run_id, left),) = runs.items()
    assert (left.agent, left.status, left.steps) == ('payer', 'running', 1)
    # The children are still there, and do not renew the lease.
    deadline = time.monotonic() + 30
    while True:
        try:
            result = await journal.resume(payer(journal, directory), run_id)
            break
        except RunInUse:
            assert time.monotonic() < deadline, 'the lease does not end'
            await asyncio.sleep(0.05)
    assert result.output == 'done'
