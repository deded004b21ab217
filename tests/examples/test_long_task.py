"""`make durable`: the support desk is killed while it pays an order back, and another process continues."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from stead.journal import Journal

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, '-W', 'error', '-m', 'examples.long_task']


def test_each_refund_happens_once_though_its_process_is_killed(tmp_path: Path) -> None:
    process = subprocess.run(
        [*COMMAND, '--keep', str(tmp_path / 'kept')], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert (process.returncode, process.stderr) == (0, '')
    assert process.stdout.count('kill -9') == 2
    assert 'was B-02 paid back before? No.' in process.stdout
    assert 'was B-11 paid back before? Yes.' in process.stdout
    assert 'Each refund happened once.' in process.stdout
    assert max(map(len, process.stdout.splitlines()[:-1])) <= 100

    with closing(sqlite3.connect(tmp_path / 'kept' / 'orders.db')) as orders:
        assert orders.execute('select order_id, amount from payments').fetchall() == [('B-02', 219.0), ('B-11', 149.0)]
    runs = asyncio.run(Journal[None](tmp_path / 'kept' / 'runs.db').runs())
    assert [(run.agent, run.status, run.steps, run.token) for run in runs] == [('support desk', 'done', 4, 2)] * 2

    again = subprocess.run([*COMMAND, '--keep', str(tmp_path / 'kept')], cwd=ROOT, capture_output=True, text=True)
    assert again.returncode == 2
    assert 'is not empty' in again.stderr


@pytest.mark.skipif(sys.platform == 'win32', reason='signals')
def test_it_can_be_interrupted() -> None:
    with subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # a shell may have started the tests without
    ) as process:
        assert process.stdout is not None
        while 'customer' not in process.stdout.readline():
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)  # what a terminal does on Ctrl+C
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, 'long_task: interrupted\n')


@pytest.mark.skipif(sys.platform == 'win32', reason='signals')
def test_it_can_be_interrupted_while_the_other_process_starts() -> None:
    """A process that has not installed a handler yet would print a traceback."""
    with subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
        env={**os.environ, 'PYTHONUNBUFFERED': '1'},
    ) as process:
        assert process.stdout is not None
        while 'The process is killed' not in process.stdout.readline():
            assert process.poll() is None
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, 'long_task: interrupted\n')
