"""`SqliteStore`: keeps records in an SQLite file, for several processes.

A file may be deleted or replaced while it is open. Then SQLite writes to a file that no one finds again, and reports no error. So
every transaction ends with a check that the file is still the same. A newer version of stead may change the tables meanwhile; the
store checks that, too. After such an error the store opens the file again at its next use.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from .._kit.sqlite import use_log
from ..budgets.account import AccountChange, AccountState
from ..exceptions import UserError
from ._budgets import TABLES, changed_budget
from ._checks import check_number
from ._errors import StoreError
from ._holders import holder_here, is_dead
from ._sql import COLUMNS, checked, conditions, record_of, run_of, runs_of, selected
from ._store import Entry, Record, RunFilter, RunInfo, Store

MIGRATIONS = (
    """
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL UNIQUE,
        agent TEXT,
        status TEXT NOT NULL,
        key TEXT UNIQUE,
        parent_id TEXT,
        conversation_id TEXT,
        begun_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        steps INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        base_id TEXT,
        base_seq INTEGER NOT NULL,
        token INTEGER NOT NULL,
        holder TEXT,
        lease_until REAL NOT NULL
    );
    CREATE INDEX runs_by_time ON runs (begun_at, run_id);
    CREATE INDEX runs_by_status ON runs (status, begun_at);
    CREATE INDEX runs_by_conversation ON runs (conversation_id, begun_at) WHERE conversation_id IS NOT NULL;
    CREATE INDEX runs_by_parent ON runs (parent_id) WHERE parent_id IS NOT NULL;
    CREATE INDEX runs_by_base ON runs (base_id) WHERE base_id IS NOT NULL;
    CREATE TABLE records (
        number INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at REAL NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (number, seq)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE runs ADD COLUMN turn TEXT;
    CREATE UNIQUE INDEX runs_by_turn ON runs (turn) WHERE turn IS NOT NULL;
    """,
)
"""How a file of each version becomes one of the next; `PRAGMA user_version` counts those that were applied."""

_SELECT = selected('runs', len(MIGRATIONS))
_INSERT_RECORDS = {
    rows: f'INSERT INTO records VALUES {", ".join(["(?, ?, ?, ?, ?)"] * rows)}' for rows in (128, 16, 4, 1)
}
_INSERT = f'INSERT INTO runs ({", ".join(COLUMNS)}) VALUES ({", ".join("?" * len(COLUMNS))})'


_IS_UNUSED = """
    WITH tree AS (SELECT value AS id FROM json_each(:ids))
    SELECT EXISTS (SELECT 1 FROM runs WHERE run_id = :first AND status IN ('done', 'failed'))
    AND NOT EXISTS (
        SELECT 1 FROM tree JOIN runs ON run_id = id WHERE holder IS NOT NULL AND lease_until > :now AND NOT is_dead(holder)
    )
    AND NOT EXISTS (SELECT 1 FROM tree JOIN runs ON base_id = id WHERE run_id NOT IN (SELECT id FROM tree))
    AND NOT EXISTS (SELECT 1 FROM tree JOIN runs ON parent_id = id WHERE run_id NOT IN (SELECT id FROM tree))
"""


_HEAD, _HEAD_OF_PART = 32, 24
"""How many bytes of a log, and of each of its parts, come before the page."""


class LogSeen(NamedTuple):
    """The log of a file, as it was."""

    size: int
    """In bytes."""
    salt: bytes
    """See `salt_of_log`."""


class SqliteStore(Store):
    """Keeps records in an SQLite file in WAL mode.

    Several processes of one machine may use the file at a time. It must not lie on a network file system, whose locks SQLite
    cannot rely on.
    """

    def __init__(self, path: str | PathLike[str], *, timeout: float = 10.0, read_only: bool = False) -> None:
        """Keep records in a file, which is created when it is first used.

        Args:
            path: The file.
            timeout: How long to wait while another process writes, in seconds.
            read_only: Whether SQLite opens the file for reading only: whatever is asked of the store, nothing is written to
                the file, nor to its log, while other processes may continue writing. Methods that write raise a `StoreError`.
                The file must exist; one of an older version is read as it is. SQLite may leave an empty `-wal` and a `-shm`
                beside it. In a directory that cannot be written it leaves nothing, and while another process writes to
                a file there, a method may raise a `StoreError` that says so: read it again.

        Raises:
            UserError: It is not the path of a file, or no time.
        """
        check_number(timeout, '`timeout` of a `SqliteStore`', unit='seconds')
        # The connection is closed whenever there is nothing to do, and with it what SQLite keeps in memory.
        if (
            not isinstance(path, (str, PathLike))
            or not isinstance(fspath(path), str)
            or fspath(path) in ('', ':memory:')
        ):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError(
                f'A journal is kept in a store, or in a file: pass its path, not {path!r}. `MemoryStore()` keeps it in memory.'
            )
        # The file stays the same if the process goes to another directory.
        self.path: str = os.path.abspath(fspath(path))
        self.timeout: float = timeout
        self.read_only: bool = read_only
        self._select: str = _SELECT
        self._connection: sqlite3.Connection | None = None
        self._is_open: bool = False
        self._files: list[tuple[int, int]] = []
        """The device and the number of the file, and of its log, when they were opened."""
        self._log: LogSeen | None = None
        """What the log was after the last look at it; `None` if there was none since the file was opened."""
        self._durable: bool = False
        self._has_no_log: bool = False
        """Whether the file is read as one that no one changes."""
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f'SqliteStore({self.path!r})'

    def address(self) -> object:
        return 'sqlite', os.path.realpath(self.path)

    def open(self) -> None:
        with self._lock:
            self._is_open = True
            try:
                with self._errors('open'):
                    self._connected()
            except BaseException:
                self._is_open = False
                raise

    def _connect(self) -> sqlite3.Connection:
        if not self.read_only:
            return self._connect_to(self.path)
        place = f'{Path(self.path).as_uri()}?mode=ro'
        self._has_no_log = False
        try:
            return self._connect_to(place)
        except sqlite3.OperationalError:
            # Even to read, SQLite keeps files beside that of a journal. In a directory that cannot be written it does without
            # them if it is told that no one changes the file, which is so as long as there is no log.
            if not os.path.isfile(self.path) or os.path.exists(f'{self.path}-wal') or _may_write(self.path):
                raise
            self._has_no_log = True
            return self._connect_to(f'{place}&immutable=1')

    def _connect_to(self, place: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            place, timeout=self.timeout, isolation_level=None, check_same_thread=False, uri=self.read_only
        )
        try:
            connection.create_function('is_dead', 1, is_dead)
            if self.read_only:
                self._take_as_it_is(connection)
            else:
                use_log(connection, self.timeout)
                connection.execute('PRAGMA synchronous=NORMAL')
                self._migrate(connection)
            self._files = self._found_files()
        except BaseException:
            connection.close()
            raise
        self._durable, self._log = False, None
        return connection

    def _found_files(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for path in (self.path, f'{self.path}-wal'):
            try:
                status = os.stat(path)
            except OSError:
                continue
            found.append((status.st_dev, status.st_ino))
        return found

    def _take_as_it_is(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute('PRAGMA user_version').fetchone()
        self._check_version(version)
        if not version:
            raise StoreError(f'{self.path!r} is not a journal: it has no runs of stead, and is only to be read.')
        self._select = selected('runs', version)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute('PRAGMA user_version').fetchone()
        if version == len(MIGRATIONS):
            return
        connection.execute('BEGIN IMMEDIATE')
        try:
            (version,) = connection.execute('PRAGMA user_version').fetchone()  # another process may have been quicker
            self._check_version(version)
            for migration in MIGRATIONS[version:]:
                for statement in migration.split(';'):
                    if statement.strip():
                        connection.execute(statement)
            connection.execute(f'PRAGMA user_version={len(MIGRATIONS)}')
            connection.execute('COMMIT')
        except BaseException:
            connection.execute('ROLLBACK')
            raise

    def _check_version(self, version: int) -> None:
        if version > len(MIGRATIONS):
            raise StoreError(
                f'{self.path!r} was written by a newer version of stead (format {version}; this one reads up to '
                f'{len(MIGRATIONS)}). Update stead, or use another file.'
            )

    def close(self) -> None:
        with self._lock:
            self._is_open = False
            with self._errors('close'):
                self._disconnect()

    def _disconnect(self) -> None:
        if self._was_cut_off(size_of_log(self.path)):
            return self._leave_log()
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        with self._transaction('add a run to') as connection:
            row = connection.execute(
                f'{_SELECT} WHERE run_id = ? OR key = ? OR turn = ? ORDER BY key IS ? DESC, turn IS ? DESC',
                (run.run_id, run.key, run.turn, run.key, run.turn),
            ).fetchone()
            if row is not None:
                return _as_it_is(run_of(row, self.path))
            number = connection.execute(_INSERT, [getattr(run, name) for name in COLUMNS]).lastrowid
            _insert_records(connection, number, records)
            return run

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        if not self.read_only:
            self._set_durable(durable)
        with self._transaction('append to') as connection:
            for run_id, token, records, status, steps in entries:
                last = records[-1] if records else None
                row = None
                if run_id not in refused:
                    row = connection.execute(
                        'SELECT number, last_seq, updated_at FROM runs WHERE run_id = ? AND token = ?', (run_id, token)
                    ).fetchone()
                    if row is not None:
                        checked(row, ('number', 'last_seq', 'updated_at'), run_id, self.path)
                if row is None or [record.seq for record in records] != [*range(row[1] + 1, row[1] + 1 + len(records))]:
                    refused.add(run_id)
                    continue
                _insert_records(connection, row[0], records)
                seq, at = (last.seq, last.at) if last is not None else row[1:]
                connection.execute(
                    'UPDATE runs SET status = ?, steps = ?, last_seq = ?, updated_at = ? WHERE number = ?',
                    (status, steps, seq, at, row[0]),
                )
        return refused

    def _set_durable(self, durable: bool) -> None:
        # In WAL mode, FULL waits for the disk at every commit; NORMAL survives the end of the process, not that of the machine.
        with self._lock, self._errors('set up'):
            connection = self._connected()
            if self._durable is not durable:
                connection.execute(f'PRAGMA synchronous={"FULL" if durable else "NORMAL"}')
                self._durable = durable

    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
        with self._reading() as connection:
            rows = connection.execute(
                'SELECT seq, kind, at, body FROM records WHERE number = (SELECT number FROM runs WHERE run_id = ?) '
                'AND seq > ? ORDER BY seq LIMIT ?',
                (run_id, after, -1 if limit is None else limit),
            )
            return [record_of(row, run_id, self.path) for row in rows]

    def get(self, run_id: str) -> RunInfo | None:
        with self._reading() as connection:
            row = connection.execute(f'{self._select} WHERE run_id = ?', (run_id,)).fetchone()
            return None if row is None else _as_it_is(run_of(row, self.path))

    def find(self, wanted: RunFilter) -> list[RunInfo]:
        where, values = conditions(wanted, '?', 'holder IS NULL OR is_dead(holder)')
        with self._reading() as connection:
            return [*map(_as_it_is, runs_of(connection.execute(f'{self._select}{where}', values), wanted, self.path))]

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        with self._transaction('take a lease in') as connection:
            row = connection.execute(
                'SELECT token FROM runs WHERE run_id = ? '
                'AND (holder IS NULL OR holder = ? OR lease_until <= ? OR is_dead(holder))',
                (run_id, holder, now),
            ).fetchone()
            if row is None:
                return None
            token = checked(row, ('token',), run_id, self.path)[0] + 1
            connection.execute(
                'UPDATE runs SET token = ?, holder = ?, lease_until = ? WHERE run_id = ?',
                (token, holder, now + seconds, run_id),
            )
            return token

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        lost: set[str] = set()
        with self._transaction('renew leases in') as connection:
            for run_id, token in leases:
                done = connection.execute(
                    'UPDATE runs SET lease_until = ? WHERE run_id = ? AND token = ? AND holder IS NOT NULL',
                    (until, run_id, token),
                )
                if not done.rowcount:
                    lost.add(run_id)
        return lost

    def release(self, run_id: str, token: int) -> None:
        with self._transaction('release a lease in') as connection:
            connection.execute(
                'UPDATE runs SET holder = NULL, lease_until = 0 WHERE run_id = ? AND token = ?', (run_id, token)
            )

    def delete(self, run_ids: Sequence[str]) -> int:
        with self._transaction('delete from') as connection:
            return _delete(connection, run_ids)

    def change_budget(self, name: str, change: AccountChange) -> AccountState:
        """Change a budget that is kept in the file; see `Budget`."""
        if not self._is_open:
            self.open()
        with self._transaction('change a budget in') as connection:

            def run(statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
                return connection.execute(statement, values).fetchall()  # type: ignore[arg-type]

            for statement in TABLES.format(prefix='').split(';'):
                connection.execute(statement)
            return changed_budget(name, change, run, holder_here(), lambda holders: {*filter(is_dead, holders)})

    def delete_unused(self, trees: Sequence[Sequence[str]], now: float) -> int:
        deleted = 0
        with self._transaction('delete from') as connection:
            for ids in trees:
                names = {'ids': json.dumps([*ids]), 'first': ids[0], 'now': now}
                if connection.execute(_IS_UNUSED, names).fetchone()[0]:
                    deleted += _delete(connection, ids)
        return deleted

    def _connected(self) -> sqlite3.Connection:
        if not self._is_open:
            raise StoreError(f'The journal {self.path!r} is not open: call `open()` first.')
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _check_files(self) -> None:
        if self._found_files() != self._files:
            with suppress(sqlite3.Error):
                self._disconnect()
            if self._has_no_log:
                raise StoreError(
                    f'Another process has started to write to the journal {self.path!r} while it was read. Read it again.'
                )
            raise StoreError(
                f'The journal {self.path!r} was deleted or replaced while it was in use. What was written to it before is '
                'not in the file that is there now, if there is one.'
            )

    def _size_of_log(self) -> int:
        """Return the size of the log before something is written to it; no one else writes meanwhile.

        Raises:
            StoreError: It is shorter than it was, though SQLite has not started it again. What is missing, SQLite would take for
                zeros, and write them to the file in the end.
        """
        size = size_of_log(self.path)
        if self._was_cut_off(size):
            raise _LogCutOff(self.path)
        return size

    def _was_cut_off(self, size: int) -> bool:
        # SQLite empties a log that is in the file as a whole, but never leaves less of it than its head.
        known = self._log
        return known is not None and 0 < size < known.size and (size < _HEAD or salt_of_log(self.path) == known.salt)

    def _check_end_of_log(self, before: int) -> None:
        """Check that what was written follows on what was there, and note the size of the log.

        Raises:
            StoreError: It does not: others have written meanwhile, and the log was cut off after that.
        """
        known = self._log
        is_mine = known is not None and known.size == before > 0  # no one else has written since
        salt = known.salt if known is not None and is_mine else salt_of_log(self.path)
        size = size_of_log(self.path)  # after the salt: others may begin the log again meanwhile
        if not is_mine and size > before and has_hole(self.path, before):
            self._leave_log()
            raise _LogCutOff(self.path)
        if known is None or not is_mine or size != known.size:
            self._log = LogSeen(size, salt)

    def _leave_log(self) -> None:
        """Disconnect without letting SQLite move the log to the file, as the last connection does: it is not whole."""
        place = f'{Path(self.path).as_uri()}?mode=ro'
        with suppress(sqlite3.Error), closing(sqlite3.connect(place, uri=True)) as last:
            with suppress(sqlite3.Error):
                last.execute('PRAGMA user_version').fetchone()
            self._log = None
            self._disconnect()
        self._log = None
        self._disconnect()  # also if the file cannot be opened to read

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._errors('read'):
            yield self._connected()
            self._check_files()

    @contextmanager
    def _transaction(self, action: str) -> Iterator[sqlite3.Connection]:
        if self.read_only:
            raise StoreError(f'Cannot {action} the journal {self.path!r}: it was opened to be read only.')
        with self._lock, self._errors(action):
            connection = self._connected()
            connection.execute('BEGIN IMMEDIATE')
            try:
                before = self._size_of_log()
                self._check_version(connection.execute('PRAGMA user_version').fetchone()[0])
                yield connection
                connection.execute('COMMIT')
            except BaseException as error:
                # SQLite has rolled back itself after some errors, such as a full disk.
                if connection.in_transaction:
                    connection.execute('ROLLBACK')
                if isinstance(error, _LogCutOff) or 'disk I/O' in str(error):  # as when SQLite needs what is gone
                    self._leave_log()
                elif 'readonly' in str(error):  # a connection stays so, and lets others of the process be so, too
                    self._disconnect()
                raise
            self._check_files()
            self._check_end_of_log(before)

    @contextmanager
    def _errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f'Cannot {action} the journal {self.path!r}: {error}.{self._remedy(str(error))}'
            ) from error

    def _remedy(self, words: str) -> str:
        """Return what to do about an error of SQLite."""
        for part, remedy in _REMEDIES.items():
            if part in words:
                return f' {remedy}'.format(timeout=self.timeout)
        return ''


_REMEDIES = {
    'is locked': 'Another process has held it for longer than {timeout:g} seconds, the `timeout` of the store.',
    'is full': 'Make room, and resume the run: what was recorded is kept.',
    'readonly': 'This process needs to be allowed to write to the file and to its directory, also for the files that SQLite '
    'keeps beside it. `SqliteStore(path, read_only=True)` reads a journal.',
    'unable to open': 'Its directory has to exist, and this process needs to be allowed to write there.',
    'malformed': 'The file is damaged: use a copy of it, or what `sqlite3 FILE .recover` finds.',
    'not a database': 'Use another path, or move the file away.',
}
"""What to do, by words of SQLite, which older versions of Python give no code with."""


def _delete(connection: sqlite3.Connection, run_ids: Sequence[str]) -> int:
    deleted = 0
    for run_id in run_ids:
        connection.execute('DELETE FROM records WHERE number = (SELECT number FROM runs WHERE run_id = ?)', (run_id,))
        deleted += connection.execute('DELETE FROM runs WHERE run_id = ?', (run_id,)).rowcount
    return deleted


def _as_it_is(run: RunInfo) -> RunInfo:
    """Return a run, whose lease is free if the process that has it is dead."""
    if run.holder is not None and is_dead(run.holder):
        run.holder, run.lease_until = None, 0.0
    return run


class _LogCutOff(StoreError):
    """The log of a file is shorter than SQLite takes it to be."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f'The log of the journal {path!r}, its `-wal`, was cut off while it was in use. What was recorded last is lost; runs '
            'can be resumed from what was recorded before.'
        )


def size_of_log(path: str) -> int:
    """Return the size of the log of a file in bytes; 0 if there is none."""
    try:
        return os.stat(f'{path}-wal').st_size
    except OSError:
        return 0


def salt_of_log(path: str) -> bytes:
    """Return what SQLite marks the parts of a log with, another one whenever it begins the log again; empty if there is none."""
    return _read_log(path, 16, 8)


def has_hole(path: str, place: int) -> bool:
    """Return whether a log has nothing but zeros where a part of it ended, though more follows."""
    if place < _HEAD:
        return not any(_read_log(path, 0, _HEAD))
    page = int.from_bytes(_read_log(path, 8, 4), 'big')
    # A part that was not written as a whole, on a full disk, is written over.
    return (place - _HEAD) % (page + _HEAD_OF_PART) == 0 and not any(_read_log(path, place, _HEAD_OF_PART))


def _read_log(path: str, place: int, length: int) -> bytes:
    try:
        with open(f'{path}-wal', 'rb') as log:
            log.seek(place)
            return log.read(length)
    except OSError:
        return b''


def _may_write(path: str) -> bool:
    """Return whether this process may add files beside a file."""
    return os.access(os.path.dirname(path), os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _insert_records(connection: sqlite3.Connection, number: int | None, records: Sequence[Record]) -> None:
    # Many rows at a time: the lock of the interpreter changes hands with each statement, also within `executemany`.
    done = 0
    for rows, statement in _INSERT_RECORDS.items():
        while len(records) - done >= rows:
            values: list[object] = []
            for record in records[done : done + rows]:
                values += (number, *record)
            connection.execute(statement, values)
            done += rows
