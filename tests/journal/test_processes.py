"""Real processes are killed and stopped, and others continue their runs."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journal.shop import LEASE, shop

ROOT = Path(__file__).parent.parent.parent
pytestmark = [
    pytest.mark.skipif(sys.platform == 'win32', reason='signals'),
    pytest.mark.skipif(os.environ.get('STEAD_TRUST_FULL') != '1', reason='many processes; `make trust` runs these'),
]


def start(directory: Path, pause_at: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, '-m', 'tests.journal.shop', str(directory), pause_at],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, 'it takes too long'
        time.sleep(0.02)


def log_of(directory: Path) -> list[str]:
    lines = (directory / 'log').read_text().splitlines()
    return ['refund' if line.startswith('refund') else line for line in lines]


EVERYTHING = ['model 0', 'look up', 'model 1', 'refund', 'model 2']


@pytest.mark.parametrize(
    ('place', 'twice'),
    [
        ('model 0', 'model 0'),
        ('model 1', 'model 1'),
        ('before refund', None),
        ('after refund', None),
        ('model 2', 'model 2'),
    ],
)
def test_a_killed_process_is_followed_by_another_one(tmp_path: Path, place: str, twice: str | None) -> None:
    process = start(tmp_path, place)
    wait_for((tmp_path / 'paused').exists, process)
    process.kill()
    process.communicate()

    agent, journal = shop(tmp_path)
    result = asyncio.run(journal.run(agent, key='order-17'))
    assert result.output == 'refunded'
    log = log_of(tmp_path)
    if twice is not None:
        log.remove(twice)  # the response did not come
    if log.count('look up') == 2:  # it changes nothing, so its process did not wait for the record
        log.remove('look up')
    assert log == EVERYTHING


def test_a_stopped_process_does_nothing_more_when_it_wakes_up(tmp_path: Path) -> None:
    process = start(tmp_path, 'model 1')
    wait_for((tmp_path / 'paused').exists, process)
    os.kill(process.pid, signal.SIGSTOP)
    try:
        time.sleep(LEASE)
        other = start(tmp_path, 'work')
        output, errors = other.communicate(timeout=60)
        assert (output, errors) == ('', '')
        log = log_of(tmp_path)
        assert log[-2:] == ['refund', 'model 2']
        assert log.count('refund') == 1
        (tmp_path / 'go').touch()
    finally:
        os.kill(process.pid, signal.SIGCONT)
    _, errors = process.communicate(timeout=60)
    assert 'LeaseLost' in errors
    assert log_of(tmp_path) == log


def test_many_processes_begin_a_run_once(tmp_path: Path) -> None:
    (tmp_path / 'go').touch()
    processes = [start(tmp_path, '') for _ in range(4)]
    for process in processes:
        output, errors = process.communicate(timeout=60)
        assert output == 'refunded\n', errors
    assert log_of(tmp_path) == EVERYTHING
