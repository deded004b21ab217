"""Every store keeps what a journal needs."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from stead.journal import MemoryStore, SqliteStore, StoreError
from stead.testing import check_store


def test_a_store_in_memory_passes_every_check() -> None:
    assert len(check_store(MemoryStore)) > 9


def test_a_store_in_a_file_passes_every_check(tmp_path: Path) -> None:
    numbers = itertools.count()

    def make() -> SqliteStore:
        return SqliteStore(tmp_path / f'{next(numbers)}.db')

    assert len(check_store(make, again=lambda store: SqliteStore(store.path))) > 9


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / 'runs.db'
    with sqlite3.connect(path) as connection:
        connection.execute('PRAGMA user_version=999')
    connection.close()
    with pytest.raises(StoreError, match='written by a newer version of stead'):
        SqliteStore(path).open()


def test_a_broken_store_is_noticed() -> None:
    class Forgetful(MemoryStore):
        def read(self, run_id: str, after: int = 0, limit: int | None = None):
            return super().read(run_id, after, limit)[:3]

    with pytest.raises(AssertionError, match='what was appended is read in order'):
        check_store(Forgetful)
