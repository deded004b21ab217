"""A journal's file that several begin with at the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stead.journal import SqliteStore

MANY = 4


def test_a_new_file_can_be_opened_by_several_at_once(tmp_path: Path) -> None:
    for number in range(25):
        together = threading.Barrier(MANY)
        stores = [SqliteStore(tmp_path / f'{number}.db') for _ in range(MANY)]

        def begin(store: SqliteStore, together: threading.Barrier = together) -> None:
            together.wait()
            store.open()

        with ThreadPoolExecutor(MANY) as pool:
            try:
                list(pool.map(begin, stores))
            finally:
                for store in stores:
                    store.close()
