"""The threads and open files of this process, for tests of what stays behind."""

from __future__ import annotations

import gc
import os
import threading
import time

CAN_COUNT_FILES = os.path.isdir('/proc/self/fd')
"""Whether the system tells which files are open: Linux does."""


def open_files() -> int:
    """Return the number of open files, or 0 where the system does not tell."""
    gc.collect()
    return len(os.listdir('/proc/self/fd')) if CAN_COUNT_FILES else 0


def resources() -> tuple[int, int]:
    """Return the numbers of threads and of open files, the latter 0 where the system does not tell."""
    files = open_files()
    return threading.active_count(), files


def resources_at_last(most: tuple[int, int]) -> tuple[int, int]:
    """Return the numbers once they are no more than `most`, or after some seconds: threads take a moment to end."""
    deadline = time.monotonic() + 20
    while True:
        now = resources()
        if (now[0] <= most[0] and now[1] <= most[1]) or time.monotonic() > deadline:
            return now
        time.sleep(0.01)
