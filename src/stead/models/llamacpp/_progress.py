"""What a terminal shows while a model is not ready yet."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def reported_wait(what: str, after: float = 0.0) -> Iterator[None]:
    """Say on a terminal what takes its time, with a line when it begins and one when it is done.

    Nothing is written unless the standard error is a terminal. The lines are whole ones, so that they do not disturb what else
    draws on the terminal.

    Args:
        what: What is done.
        after: Say so only if it takes longer than these seconds.
    """
    if not _is_terminal():
        yield
        return
    started = time.monotonic()
    lock = threading.Lock()
    state = 'quiet'

    def begin() -> None:
        nonlocal state
        with lock:
            if state == 'quiet':
                state = 'reported'
                _write(f'{what} ...')

    timer = threading.Timer(after, begin)
    timer.daemon = True
    if after > 0:
        timer.start()
    else:
        begin()
    try:
        yield
    finally:
        timer.cancel()
        if timer.is_alive():
            timer.join()
        with lock:
            was_reported, state = state == 'reported', 'over'
        if was_reported:
            _write(f'{what}: {time.monotonic() - started:.1f} s')


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _write(line: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f'{line}\n')
        sys.stderr.flush()
