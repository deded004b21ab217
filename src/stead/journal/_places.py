"""Paths and URLs of journals."""

from __future__ import annotations

from os import PathLike

from typing_extensions import TypeGuard

from ._postgres import PostgresStore
from ._sqlite import SqliteStore
from ._store import Store


def as_store(place: Store | str | PathLike[str]) -> Store:
    """Return the store for a place.

    Args:
        place: A store, the path of an SQLite file, or the URL of a PostgreSQL database.
    """
    if isinstance(place, Store):
        return place
    return PostgresStore(place) if is_url(place) else SqliteStore(place)


def is_url(place: str | PathLike[str]) -> TypeGuard[str]:
    """Return whether a place is the URL of a database, and not a file."""
    return isinstance(place, str) and place.startswith(('postgresql://', 'postgres://'))
