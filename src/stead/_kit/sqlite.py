"""Files of SQLite that several processes open at the same time."""

from __future__ import annotations

import sqlite3
import time


def use_log(connection: sqlite3.Connection, seconds: float) -> None:
    """Let a file be written by way of a log (WAL mode), so that readers do not wait for writers.

    SQLite fails at once, rather than to wait, while another process does this with a new file, so it is tried again.

    Args:
        connection: An open connection.
        seconds: How long to try.

    Raises:
        sqlite3.OperationalError: The file is locked for longer, or cannot be used.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            connection.execute('PRAGMA journal_mode=WAL')
            return
        except sqlite3.OperationalError as error:
            if 'locked' not in str(error) or time.monotonic() >= end:
                raise
        time.sleep(0.005)
