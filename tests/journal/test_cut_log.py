"""The log of an SQLite file that is cut off while it is in use: the run fails before its next effect, and the file stays whole."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stead.journal import Durability, Entry, Journal, Record, RunInfo, SqliteStore, StoreError
from tests.journal import payer as program
from tests.journal.payer import STEPS, paid, payer

PAGE = 24 + 4096
CUT_AT = 2
"""The step before which the log is cut off."""


def log_of(file: Path) -> Path:
    return Path(f'{file}-wal')


def pages_of(file: Path) -> int:
    return (log_of(file).stat().st_size - 32) // PAGE


def cut(file: Path, pages: int) -> None:
    """Leave so many pages; less than none is a part of the head, and nothing at all."""
    os.truncate(log_of(file), 32 + pages * PAGE if pages >= 0 else (0, 20)[pages])


@pytest.mark.parametrize('durability', ['sync', 'async'])
def test_no_run_is_done_in_a_file_whose_log_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durability: Durability
) -> None:
    monkeypatch.setattr(program, 'RECEIPT', 300)
    monkeypatch.setattr(program, 'STEPS', CUT_AT + 1)

    async def main(pages: int) -> int:
        """Cut the log off after so many pages, and return how many there were."""
        file, ledger = tmp_path / f'{pages}.db', tmp_path / f'{pages}.ledger'
        journal: Journal[Any] = Journal(file, durability=durability)
        found = 0

        async def cuts() -> None:
            nonlocal found
            await journal.runs()  # what was recorded before is written
            found = pages_of(file)
            cut(file, min(pages, found - 1))

        with pytest.raises(StoreError, match='was cut off while it was in use'):
            await payer(ledger, lambda step: cuts() if step == CUT_AT else None).run('go', capabilities=[journal])
        assert paid(ledger)[:2] == ['1', '2']
        assert durability == 'async' or len(paid(ledger)) == 2
        # What was recorded before is there, and the run continues from that; if nothing is, it begins again.
        other: Journal[Any] = Journal(file)
        for run in await other.runs():
            assert (await other.resume(payer(ledger), run.run_id)).output == 'paid'
            assert paid(ledger)[-1] == '3'  # what was no longer recorded is done again
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
        return found

    pages = -2
    while pages < asyncio.run(main(pages)):
        pages += 1
    assert pages > 10
    assert STEPS > CUT_AT


def opened(file: Path) -> SqliteStore:
    store = SqliteStore(file)
    store.open()
    return store


def entry(number: int) -> Entry:
    return Entry('r', 1, [Record(number, 'k', 1.0, b'{}' * 3000)], 'running', 0)


def test_a_log_that_others_have_written_and_that_was_cut_off_is_an_error(tmp_path: Path) -> None:
    pages, total = 1, 2
    while pages < total:
        file = tmp_path / f'{pages}.db'
        one, two = opened(file), opened(file)
        one.create(RunInfo('r', token=1))
        one.create(RunInfo('other', token=1))
        for number in range(1, 4):
            assert two.append([entry(number)], durable=True) == set()
        total = pages_of(file)
        cut(file, pages)
        with pytest.raises(
            StoreError, match='was cut off|disk I/O error'
        ):  # SQLite finds it itself if it needs what is gone
            one.append([Entry('other', 1, [Record(1, 'k', 1.0, b'{}')], 'running', 0)], durable=True)
        pages += 1
        two.close()
        one.close()
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute('PRAGMA integrity_check').fetchall() == [('ok',)]


@pytest.mark.parametrize('kind', ['TRUNCATE', 'RESTART'])
def test_a_log_that_sqlite_begins_again_was_not_cut_off(tmp_path: Path, kind: str) -> None:
    file = tmp_path / 'runs.db'
    one, two = opened(file), opened(file)
    one.create(RunInfo('r', token=1))
    for number in range(1, 9):
        assert (one, two)[number % 2].append([entry(number)], durable=True) == set()
        with closing(sqlite3.connect(file)) as other:
            assert other.execute(f'PRAGMA wal_checkpoint({kind})').fetchone()[0] == 0
    assert len(one.read('r')) == 8
    one.close()
    two.close()
