"""Where `OffloadToolResults` puts long results: any mapping of texts, a directory, or a file of SQLite."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, MutableMapping
from contextlib import closing
from pathlib import Path
from typing import Union

from typing_extensions import TypeAlias

from ...exceptions import UserError

ResultStore: TypeAlias = Union[MutableMapping[str, str], Path, str]
"""A mapping of texts; the path of a directory, which gets a file for each; or of a file of SQLite (`.db`, `.sqlite`)."""
_SAFE = re.compile(r'[A-Za-z0-9_-]{1,150}')


def opened(store: ResultStore) -> MutableMapping[str, str]:
    """Return the mapping that a store is, or is at a path."""
    if isinstance(store, (str, Path)) and str(store):
        path = Path(store)
        return SQLiteTexts(path) if path.suffix in ('.db', '.sqlite', '.sqlite3') else Directory(path)
    if not isinstance(store, MutableMapping):  # type: ignore[reportUnnecessaryIsInstance]
        raise UserError(f'The store of long results must be a mapping of texts or a path, not {store!r}.')
    return store


class Directory(MutableMapping[str, str]):
    """A directory with a file for each text, which other programs and tools can read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _file(self, key: str) -> Path:
        if not _SAFE.fullmatch(key):
            raise KeyError(key)
        return self.path / f'{key}.txt'

    def __getitem__(self, key: str) -> str:
        try:
            return self._file(key).read_text('utf-8', 'replace')
        except FileNotFoundError:
            raise KeyError(key) from None

    def __setitem__(self, key: str, text: str) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        new = self.path / f'{key}.new'
        file = self._file(key)
        new.write_bytes(text.encode('utf-8', 'replace'))
        new.replace(file)  # a reader never finds a half

    def __delitem__(self, key: str) -> None:
        try:
            self._file(key).unlink()
        except FileNotFoundError:
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[str]:
        return (file.stem for file in sorted(self.path.glob('*.txt')))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class SQLiteTexts(MutableMapping[str, str]):
    """A table of texts in a file of SQLite, which is opened for each use, so that threads and processes may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _rows(self, statement: str, *values: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(self.path, timeout=10)) as connection, connection:
            connection.execute('CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, text TEXT NOT NULL)')
            return connection.execute(statement, values).fetchall()

    def __getitem__(self, key: str) -> str:
        rows = self._rows('SELECT text FROM texts WHERE key = ?', key)
        if not rows:
            raise KeyError(key)
        return rows[0][0]

    def __setitem__(self, key: str, text: str) -> None:
        self._rows('INSERT OR REPLACE INTO texts VALUES (?, ?)', key, text.encode('utf-8', 'replace').decode())

    def __delitem__(self, key: str) -> None:
        self[key]  # RETURNING is not in every SQLite
        self._rows('DELETE FROM texts WHERE key = ?', key)

    def __iter__(self) -> Iterator[str]:
        return iter([key for (key,) in self._rows('SELECT key FROM texts ORDER BY key')])

    def __len__(self) -> int:
        return len(list(self))
