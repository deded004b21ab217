"""What the stores in SQL databases share."""

from __future__ import annotations

from dataclasses import fields

from ._store import RunFilter, RunInfo

COLUMNS = tuple(field.name for field in fields(RunInfo))
"""The columns of a run."""
_SINCE = {'turn': 2}
"""The versions of the tables that columns came with, besides those of the first."""

_MOST = 2**63 - 1
"""The largest number that databases know."""


def selected(table: str, version: int) -> str:
    """Return a query for runs in a table of a version, which may be older than what is written now."""
    columns = (name if version >= _SINCE.get(name, 1) else f'NULL AS {name}' for name in COLUMNS)
    return f'SELECT {", ".join(columns)} FROM {table}'


def conditions(wanted: RunFilter, mark: str) -> tuple[str, list[object]]:
    """Return the end of a query for runs, with their order and number, and its values.

    Args:
        wanted: Which runs.
        mark: What stands for a value.
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
    if wanted.is_inner is not None:
        found.append(f'parent_id IS {"NOT " if wanted.is_inner else ""}NULL')
    if wanted.updated_before is not None:
        found.append(f'updated_at < {mark}')
        values.append(wanted.updated_before)
    if wanted.free_at is not None:
        found.append(f'(holder IS NULL OR lease_until <= {mark})')
        values.append(wanted.free_at)
    if wanted.before is not None:
        found.append(f'(begun_at, run_id) < ({mark}, {mark})')
        values.extend(wanted.before)
    where = f' WHERE {" AND ".join(found)}' if found else ''
    return f'{where} ORDER BY begun_at DESC, run_id DESC LIMIT {mark}', [*values, min(wanted.limit, _MOST)]
