"""What a user reads when a file cannot be used, and files that may only be read."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stead.journal import Journal, MemoryStore, Record, RunInfo, SqliteStore, StoreError
from tests.journal.test_crashes import plain

unix_only = pytest.mark.skipif(sys.platform == 'win32', reason='rights of Unix')


def error_of(store: Any) -> StoreError:
    """Return why a run could not begin."""
    with pytest.raises(StoreError) as caught:
        asyncio.run(plain().run('go', capabilities=[Journal(store)]))
    return caught.value


def test_the_error_of_a_file_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / 'text.db').write_text('no database ' * 100)
    found = {
        'its directory is missing': error_of(tmp_path / 'none' / 'runs.db'),
        'it is something else': error_of(tmp_path / 'text.db'),
    }
    assert 'Its directory has to exist' in str(found['its directory is missing'])
    assert 'Use another path' in str(found['it is something else'])

    store = SqliteStore(tmp_path / 'runs.db', timeout=0.05)
    store.open()
    with closing(sqlite3.connect(tmp_path / 'runs.db', isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        with pytest.raises(StoreError, match='is locked. Another process has held it for longer than 0.05 seconds'):
            store.create(RunInfo('a'))
        other.execute('ROLLBACK')
    store.close()

    path = tmp_path / 'runs.db'
    os.truncate(path, path.stat().st_size // 2)
    assert 'The file is damaged' in str(error_of(path))


class Full(MemoryStore):
    """Has no room for another run."""

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        raise StoreError('There is no room.')


def test_a_run_that_could_not_begin_has_one_error() -> None:
    """Its end cannot be recorded either, which is no other error, and no lease was lost."""
    error = error_of(Full())
    assert str(error) == 'There is no room.'
    assert not getattr(error, '__notes__', [])


# Files that may only be read

READER = """
import os, sys
from stead.journal import RunFilter, SqliteStore, StoreError
path = sys.argv[1]
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
store = SqliteStore(path, read_only=sys.argv[2] == 'read')
for _ in sys.stdin:
    try:
        store.open()
        print([run.run_id for run in store.find(RunFilter())], flush=True)
    except StoreError as error:
        print(error, flush=True)
"""


class Reader:
    """A process that may read a file, and not write to it or its directory."""

    def __init__(self, path: Path, how: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, '-c', READER, path, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def look(self) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write('look\n')
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.communicate()


@pytest.fixture
def store_path() -> Iterator[Path]:
    """The file of a journal with a run, in a directory that others cannot write to."""
    directory = Path(tempfile.mkdtemp(prefix='stead-kept-'))  # that of pytest is not for others
    store = SqliteStore(directory / 'runs.db')
    store.open()
    store.create(RunInfo('first'))
    store.close()
    (directory / 'runs.db').chmod(0o444)
    directory.chmod(0o555)
    yield directory / 'runs.db'
    directory.chmod(0o755)
    shutil.rmtree(directory)


@unix_only
def test_a_journal_in_a_directory_that_cannot_be_written_is_read(store_path: Path) -> None:
    with Reader(store_path, 'read') as reader:
        assert reader.look() == "['first']\n"
        assert reader.look() == "['first']\n"
        assert [path.name for path in store_path.parent.iterdir()] == ['runs.db']
    with Reader(store_path, 'write') as writer:
        assert 'attempt to write a readonly database. This process needs to be allowed to write' in writer.look()


@unix_only
def test_a_reader_without_a_log_notices_that_another_process_writes(store_path: Path) -> None:
    with Reader(store_path, 'read') as reader:
        assert reader.look() == "['first']\n"
        store_path.parent.chmod(0o755)
        store_path.chmod(0o644)
        store = SqliteStore(store_path)
        store.open()
        store.create(RunInfo('second'))
        assert 'Another process has started to write' in reader.look()
        assert reader.look() == "['second', 'first']\n"
        store.close()


@unix_only
def test_a_log_without_its_index_is_not_left_out(store_path: Path) -> None:
    """What is only in the log is part of the journal: without it, runs would be missing."""
    store_path.parent.chmod(0o755)
    store_path.chmod(0o644)
    store = SqliteStore(store_path)
    store.open()
    store.create(RunInfo('second'))
    copy = store_path.parent / 'copy.db'
    for suffix in ('', '-wal'):
        shutil.copy(f'{store_path}{suffix}', f'{copy}{suffix}')
    store.close()
    store_path.parent.chmod(0o555)
    with Reader(copy, 'read') as reader:
        assert 'this process needs to be allowed to write there' in reader.look()
