"""Code that the stores in SQL databases share."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from ._errors import RecordUnreadable, StoreError
from ._store import Record, RunFilter, RunInfo

_log = logging.getLogger('stead.journal')
COLUMNS = tuple(field.name for field in fields(RunInfo))
"""The columns of a run."""
_TIME = (float, int)
_TEXT_OR_NULL = (str, type(None))
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(('number', 'steps', 'last_seq', 'base_seq', 'token', 'seq'), int),
    **dict.fromkeys(('begun_at', 'updated_at', 'lease_until', 'at'), _TIME),
    **dict.fromkeys(('run_id', 'status', 'kind'), str),
    **dict.fromkeys(('agent', 'key', 'parent_id', 'conversation_id', 'base_id', 'holder', 'turn'), _TEXT_OR_NULL),
    'body': bytes,
}
"""What each column holds. SQLite lets anything be written to any column, and tables of PostgreSQL can be altered."""
_RUN_TYPES = tuple(_TYPES[name] for name in COLUMNS)
_RECORD = ('seq', 'kind', 'at', 'body')
_RECORD_TYPES = tuple(_TYPES[name] for name in _RECORD)
_WORDS: dict[object, str] = {
    int: 'a whole number',
    _TIME: 'a number',
    str: 'text',
    _TEXT_OR_NULL: 'text or NULL',
    bytes: 'bytes',
}
_FOUND = {'int': 'a whole number', 'float': 'a number', 'str': 'text', 'bytes': 'bytes', 'NoneType': 'NULL'}
_SINCE = {'turn': 2}
"""The versions of the tables that columns came with, apart from those of the first."""

_MOST = 2**63 - 1
"""The largest number that databases know."""


def selected(table: str, version: int) -> str:
    """Return a query for runs in a table of a version, which may be older than what is written now."""
    columns = (name if version >= _SINCE.get(name, 1) else f'NULL AS {name}' for name in COLUMNS)
    return f'SELECT {", ".join(columns)} FROM {table}'


def conditions(
    wanted: RunFilter, mark: str, is_free: str = 'holder IS NULL', free: Sequence[object] = ()
) -> tuple[str, list[object]]:
    """Return the end of a query for runs, with their order and number, and its values.

    Args:
        wanted: Which runs.
        mark: What stands for a value.
        is_free: When a lease is free that has not ended.
        free: The values in that.
    """
    found: list[str] = []
    values: list[object] = []
    for name in ('status', 'agent', 'parent_id', 'conversation_id', 'key', 'base_id'):
        if (value := getattr(wanted, name)) is not None:
            found.append(f'{name} = {mark}')
            values.append(value)
    if wanted.id_begins is not None:  # a range of ids would depend on the order that the database gives letters
        found.append(f'substr(run_id, 1, {mark}) = {mark}')
        values += (len(wanted.id_begins), wanted.id_begins)
    if wanted.id_ends is not None:
        found.append(f'substr(run_id, length(run_id) - {mark} + 1) = {mark}')
        values += (len(wanted.id_ends), wanted.id_ends)
    if wanted.is_inner is not None:
        found.append(f'parent_id IS {"NOT " if wanted.is_inner else ""}NULL')
    if wanted.updated_before is not None:
        found.append(f'updated_at < {mark}')
        values.append(wanted.updated_before)
    if wanted.free_at is not None:
        found.append(f'(lease_until <= {mark} OR {is_free})')
        values += (wanted.free_at, *free)
    if wanted.before is not None:
        found.append(f'(begun_at, run_id) < ({mark}, {mark})')
        values.extend(wanted.before)
    where = f' WHERE {" AND ".join(found)}' if found else ''
    return f'{where} ORDER BY begun_at DESC, run_id DESC LIMIT {mark}', [*values, min(wanted.limit, _MOST)]


def run_of(row: Sequence[Any], place: str) -> RunInfo:
    """Return a run from its row.

    Args:
        row: Its columns.
        place: Where the journal is, for errors.

    Raises:
        StoreError: A column holds something of another type.
    """
    if not all(map(isinstance, row, _RUN_TYPES)):
        raise StoreError(_damaged(row, COLUMNS, f'The row of run {row[0]!r}', place))
    return RunInfo(*row)


def runs_of(rows: Iterable[Sequence[Any]], wanted: RunFilter, place: str) -> list[RunInfo]:
    """Return the runs that were found.

    A damaged row is left out of a list of runs, and logged, so that it holds up no other run. But what continues from the runs of
    one conversation, or depends on one run, must not do so as if a run did not exist.

    Raises:
        StoreError: A row is damaged, and runs of one conversation, key or run were looked for.
    """
    is_list = not (
        wanted.conversation_id or wanted.key or wanted.base_id or wanted.parent_id or wanted.id_begins or wanted.id_ends
    )
    runs: list[RunInfo] = []
    for row in rows:
        try:
            runs.append(run_of(row, place))
        except StoreError as error:
            if not is_list:
                raise
            _log.error('A run is left out of a list of runs: %s', error)
    return runs


def record_of(row: Sequence[Any], run_id: str, place: str) -> Record:
    """Return a record from its row; arguments as `run_of`.

    Raises:
        RecordUnreadable: A column holds something of another type.
    """
    if not all(map(isinstance, row, _RECORD_TYPES)):
        raise RecordUnreadable(_damaged(row, _RECORD, f'Record {row[0]!r} of run {run_id!r}', place))
    return Record(*row)


def checked(row: Sequence[Any], names: Sequence[str], run_id: str, place: str) -> Sequence[Any]:
    """Return some columns of the row of a run; arguments and errors as `run_of`."""
    if not all(isinstance(value, _TYPES[name]) for value, name in zip(row, names)):
        raise StoreError(_damaged(row, names, f'The row of run {run_id!r}', place))
    return row


def _damaged(row: Sequence[Any], names: Sequence[str], what: str, place: str) -> str:
    # Not what it holds, since that may be content of the run.
    name, found = next(
        (name, type(value).__name__) for name, value in zip(names, row) if not isinstance(value, _TYPES[name])
    )
    return (
        f'{what} in the journal at {place} is damaged: its column `{name}` holds {_FOUND.get(found, found)} '
        f'where it needs {_WORDS[_TYPES[name]]}. Another program has written to the table: correct the row, take it from a '
        'copy, or delete the run.'
    )
