"""A lease that no living process needs is free at once, however long it would last."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.journal import Journal, RunInUse, SqliteStore, StoreError, _holders
from tests.journal.test_crashes import calls, scripted

ROOT = Path(__file__).parent.parent.parent
DIES = """
import os, signal, sys
from stead.journal import Journal
from tests.journal.test_left_behind import shop
journal = Journal(sys.argv[1], lease_seconds=3600)
shop(journal, lambda: os.kill(os.getpid(), signal.SIGKILL)).run_sync('go')
"""


def shop(journal: Journal[Any], act: Any) -> Agent[None, str]:
    agent: Agent[None, str] = Agent(scripted(calls(('pay', {}, 'p1'))), name='shop', capabilities=[journal])

    @agent.tool_plain(effect='idempotent')
    def pay() -> str:
        act()
        return 'paid'

    return agent


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='what is known of processes elsewhere is less')
def test_the_run_of_a_process_that_is_dead_goes_on_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / 'runs.db')
    process = subprocess.Popen([sys.executable, '-c', DIES, path], cwd=ROOT)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # until then it is a zombie

    async def main() -> None:
        journal: Journal[Any] = Journal(path)
        agent = shop(journal, lambda: None)
        (run,) = await journal.runs()
        assert run.is_abandoned
        process.wait()
        assert (await journal.runs())[0].is_abandoned
        async with journal.worker(agent) as worker:
            await worker.idle()
        assert worker.results[run.run_id].output == 'done'

    try:
        asyncio.run(main())
    finally:
        process.wait()


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='what is known of processes elsewhere is less')
def test_only_a_process_that_is_surely_dead_is(monkeypatch: pytest.MonkeyPatch) -> None:
    own = _holders.new_holder()
    assert not _holders.is_dead(own)
    pid, rest = own.split('.', 1)
    started, rest = rest.split('@', 1)
    assert _holders.is_dead(f'{pid}.{int(started) + 1}@{rest}')  # its pid was used again
    process = subprocess.Popen([sys.executable, '-c', ''])
    process.wait()
    assert _holders.is_dead(f'{process.pid}.{started}@{rest}')
    assert not _holders.is_dead(f'{process.pid}.{started}@{rest[::-1]}')  # elsewhere
    assert not _holders.is_dead(f'{process.pid}-{rest}')  # a name of an older version
    assert not _holders.is_dead(f'{10**30}.{started}@{rest}')
    assert not _holders.is_dead('to delete it')
    monkeypatch.setattr(_holders, '_stat_of', lambda pid: ('', '0'))  # what is hidden lives
    assert not _holders.is_dead(f'{pid}.{int(started) + 1}@{rest}')


def test_a_run_whose_store_failed_gives_its_lease_back(tmp_path: Path) -> None:
    path = tmp_path / 'runs.db'

    async def main(by: str) -> None:
        path.unlink(missing_ok=True)
        journal: Journal[Any] = Journal(SqliteStore(path, timeout=0.02))
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        with pytest.raises(StoreError, match='is locked'):
            await shop(journal, lambda: other.execute('BEGIN IMMEDIATE')).run('go')
        (run,) = await journal.runs()
        assert run.holder is not None
        other.execute('ROLLBACK')
        other.close()
        if by != 'the same':
            journal = Journal(path)
            for _ in range(500):
                if (await journal.runs())[0].holder is None:
                    break
                await asyncio.sleep(0.01)
        result = await journal.resume(shop(journal, lambda: None), run.run_id)
        assert result.output == 'done'

    for by in ('the same', 'another'):
        asyncio.run(main(by))


def test_a_process_that_lives_keeps_its_runs(tmp_path: Path) -> None:
    async def main() -> None:
        path = tmp_path / 'runs.db'
        journal: Journal[Any] = Journal(path)
        refused: list[Exception] = []

        async def other() -> None:
            (run,) = await Journal(path).runs()
            assert not run.is_abandoned
            try:
                await Journal(path).resume(shop(journal, lambda: None), run.run_id)
            except RunInUse as error:
                refused.append(error)

        agent = shop(journal, lambda: None)
        agent.tool_plain(name='wait')(other)
        agent.model = scripted(calls(('wait', {}, 'w1')))
        await agent.run('go')
        assert len(refused) == 1

    asyncio.run(main())
