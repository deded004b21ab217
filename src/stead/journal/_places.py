"""Where a journal is, as a user says it."""

from __future__ import annotations

from os import PathLike

from ._sqlite import SqliteStore
from ._store import Store


def as_store(place: Store | str | PathLike[str]) -> Store:
    """Return the store for a place.

    Args:
        place: A store, or the path of an SQLite file.
    """
    return place if isinstance(place, Store) else SqliteStore(place)
