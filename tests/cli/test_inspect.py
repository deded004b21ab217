"""`stead inspect`."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

pytest.importorskip('starlette', reason='the package starlette is not installed')
pytest.importorskip('uvicorn', reason='the package uvicorn is not installed')

from stead import Agent
from stead._cli import main
from stead.journal import Journal


def test_a_journal_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(['inspect', str(tmp_path / 'none.db')]) == 2
    assert 'there is no journal' in capsys.readouterr().err


def test_it_serves_the_journal_to_those_who_have_the_address(tmp_path: Path) -> None:
    asyncio.run(Agent('test').run('hello', capabilities=[Journal(tmp_path / 'runs.db')]))
    with closing(sqlite3.connect(tmp_path / 'runs.db')) as connection:
        connection.execute('PRAGMA user_version=1')  # a file of an older version, which stays one
    command = [sys.executable, '-m', 'stead', 'inspect', 'runs.db', '--port', '0', '--no-browser']
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r'(http://localhost:\d+/)#token=(\S+)', process.stdout.readline())
            assert found is not None
            for _ in range(200):
                try:
                    assert 'built/inspect.js' in httpx.get(found[1]).text
                    break
                except httpx.ConnectError:
                    time.sleep(0.05)
            runs = f'{found[1]}api/inspect/runs'
            assert httpx.get(runs).status_code == 403
            (run,) = httpx.get(runs, headers={'x-stead-token': found[2]}).json()['runs']
            assert run['prompt'] == 'hello'
            post = httpx.post(f'{runs}/{run["id"]}/fork', headers={'x-stead-token': found[2]}, json={'at': 1})
            assert (post.status_code, 'only reads' in post.text) == (403, True)
            with closing(sqlite3.connect(tmp_path / 'runs.db')) as connection:
                assert connection.execute('PRAGMA user_version').fetchone() == (1,)
        finally:
            process.terminate()
