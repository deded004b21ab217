"""`stead runs list` reads of each run what it shows."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead._cli import main as command
from stead.journal import Journal, Record, SqliteStore


def test_a_list_reads_the_last_record_of_runs_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal: Journal[Any] = Journal(tmp_path / 'runs.db')
    agent = Agent('test', name='clerk', capabilities=[journal])

    @agent.tool_plain
    def fail() -> str:
        raise OSError('no')

    for _ in range(2):
        with pytest.raises(OSError, match='no'):
            agent.run_sync('go')
    read, numbers = SqliteStore.read, list[list[int]]()

    def counted(store: SqliteStore, *args: Any, **more: Any) -> list[Record]:
        records = read(store, *args, **more)
        numbers.append([record.seq for record in records])
        return records

    monkeypatch.setattr(SqliteStore, 'read', counted)
    assert command(['runs', '--journal', str(tmp_path / 'runs.db'), 'list']) == 0
    last = {run.last_seq for run in asyncio.run(Journal[Any](tmp_path / 'runs.db').runs())}
    assert capsys.readouterr().out.count('failed') == 2
    assert numbers == [[seq] for seq in (*last, *last)][:2]
