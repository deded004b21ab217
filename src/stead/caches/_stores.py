"""Where caches keep entries: in memory, or in a file that processes share. Both have a bound of bytes."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable
from os import PathLike, fspath
from threading import Lock
from typing import TypeVar

from .._kit.ids import now_utc
from .._kit.records import is_count
from .._kit.sqlite import use_log
from .._kit.threads import run_in_worker_thread
from ..exceptions import UserError

T = TypeVar('T')
MOST_BYTES = 100_000_000
_SECONDS = 10.0  # for which a process waits while another one writes


class CacheError(UserError):
    """The file of a cache cannot be used."""

    __module__ = 'stead.caches'


class CacheStore(ABC):
    """Keeps entries by their key. What was not used for the longest time is removed when there are too many bytes."""

    @abstractmethod
    async def get(self, key: str) -> bytes | None:
        """Return an entry, or `None` if there is none, or its time has passed."""

    @abstractmethod
    async def put(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Keep an entry in place of the one that has its key.

        Args:
            key: The key.
            value: The entry.
            ttl: The seconds for which it is valid; `None` for no limit.
        """

    @abstractmethod
    async def clear(self) -> None:
        """Remove all entries."""


def _checked(max_bytes: int) -> int:
    if not is_count(max_bytes, least=1):
        raise UserError(f'`max_bytes` of a cache is a number of bytes, 1 or more, not {max_bytes!r}.')
    return max_bytes


def _now() -> float:
    return now_utc().timestamp()


def _until(ttl: float | None) -> float | None:
    return None if ttl is None else _now() + ttl


class MemoryCache(CacheStore):
    """Entries in the memory of this process.

    Attributes:
        bytes: How many bytes the entries have.
    """

    def __init__(self, *, max_bytes: int = MOST_BYTES) -> None:
        """Begin without entries.

        Args:
            max_bytes: The most bytes of all entries with their keys.

        Raises:
            UserError: It is not a number of bytes.
        """
        self.bytes: int = 0
        self._most = _checked(max_bytes)
        self._entries: OrderedDict[str, tuple[bytes, float | None]] = OrderedDict()
        self._lock = Lock()

    async def get(self, key: str) -> bytes | None:
        """Return an entry, or `None` if there is none, or its time has passed."""
        with self._lock:
            if key not in self._entries:
                return None
            value, until = self._entries[key]
            if until is not None and until <= _now():
                self._remove(key)
                return None
            self._entries.move_to_end(key)
            return value

    async def put(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Keep an entry, unless it alone has too many bytes."""
        with self._lock:
            if key in self._entries:
                self._remove(key)
            if len(key) + len(value) > self._most:
                return
            self._entries[key] = value, _until(ttl)
            self.bytes += len(key) + len(value)
            while self.bytes > self._most:
                self._remove(next(iter(self._entries)))

    def _remove(self, key: str) -> None:
        value, _ = self._entries.pop(key)
        self.bytes -= len(key) + len(value)

    async def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries.clear()
            self.bytes = 0


_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
    key TEXT PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL, until REAL, used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_used ON entries (used);
CREATE INDEX IF NOT EXISTS entries_until ON entries (until);
CREATE TABLE IF NOT EXISTS total (one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL);
INSERT OR IGNORE INTO total VALUES (1, 0);
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON entries BEGIN UPDATE total SET bytes = bytes + new.size; END;
CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON entries BEGIN UPDATE total SET bytes = bytes - old.size; END;
"""
_REMOVED_AT_ONCE = 100


class SqliteCache(CacheStore):
    """Entries in a SQLite file, which processes may share. It is opened when it is first used."""

    def __init__(self, path: str | PathLike[str], *, max_bytes: int = MOST_BYTES) -> None:
        """Choose the file.

        Args:
            path: The file; it is made if it does not exist.
            max_bytes: The most bytes of all entries with their keys.

        Raises:
            UserError: It is not a number of bytes.
        """
        self.path: str = fspath(path)
        self._most = _checked(max_bytes)
        self._database: sqlite3.Connection | None = None
        self._lock = Lock()

    async def get(self, key: str) -> bytes | None:
        """Return an entry, or `None` if there is none, or its time has passed.

        Raises:
            CacheError: The file cannot be used.
        """
        return await self._do(lambda database: self._get(database, key))

    async def put(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Keep an entry, unless it alone has too many bytes.

        Raises:
            CacheError: The file cannot be used.
        """
        await self._do(lambda database: self._put(database, key, value, _until(ttl)))

    async def clear(self) -> None:
        """Remove all entries.

        Raises:
            CacheError: The file cannot be used.
        """
        await self._do(lambda database: database.execute('DELETE FROM entries'))

    def close(self) -> None:
        """Close the file; it is opened again when it is used."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _get(self, database: sqlite3.Connection, key: str) -> bytes | None:
        now = _now()
        found = database.execute(
            'SELECT value FROM entries WHERE key = ? AND (until IS NULL OR until > ?)', (key, now)
        ).fetchone()
        if found is None:
            return None
        database.execute('UPDATE entries SET used = ? WHERE key = ?', (now, key))
        return found[0]

    def _put(self, database: sqlite3.Connection, key: str, value: bytes, until: float | None) -> None:
        now, size = _now(), len(key) + len(value)
        database.execute('DELETE FROM entries WHERE key = ? OR until <= ?', (key, now))
        if size > self._most:
            return
        database.execute('INSERT INTO entries VALUES (?, ?, ?, ?, ?)', (key, value, size, until, now))
        while database.execute('SELECT bytes FROM total').fetchone()[0] > self._most:
            least = database.execute(
                'SELECT key, size FROM entries WHERE key != ? ORDER BY used LIMIT ?', (key, _REMOVED_AT_ONCE)
            ).fetchall()
            over = database.execute('SELECT bytes FROM total').fetchone()[0] - self._most
            for one, its_size in least:
                if over <= 0:
                    break
                database.execute('DELETE FROM entries WHERE key = ?', (one,))
                over -= its_size
            if not least:  # another process has a smaller bound
                return

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def locked() -> T:
            with self._lock:
                if self._database is None:
                    self._database = self._opened()
                with self._database as database:  # a transaction
                    database.execute('BEGIN IMMEDIATE')
                    return work(database)

        try:
            return await run_in_worker_thread(locked)
        except sqlite3.Error as error:
            raise CacheError(
                f'The cache {self.path!r} cannot be used: {error}. Remove the file if it is damaged; a cache loses nothing else.'
            ) from error

    def _opened(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, check_same_thread=False, timeout=_SECONDS)
        try:
            use_log(database, _SECONDS)
            database.executescript(_TABLES)
        except BaseException:
            database.close()
            raise
        return database
