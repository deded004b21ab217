"""The HTTP header `Retry-After`, which servers fill with all kinds of text."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

LONGEST_WAIT = 86_400.0
"""The longest wait that a server can ask for, in seconds: a day."""


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait before a retry, 0 to `LONGEST_WAIT`; `None` if the headers do not say it."""
    exact = _seconds(headers.get('retry-after-ms'), 1000)
    if exact is not None:
        return exact
    value = headers.get('retry-after')
    seconds = _seconds(value)
    return _until(value) if seconds is None and value is not None else seconds


def bounded_wait(seconds: float) -> float | None:
    """Return a wait that a server asks for, within its bounds; `None` if it is not a number."""
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)


def _seconds(value: str | None, in_a_second: int = 1) -> float | None:
    try:
        return None if value is None else bounded_wait(float(value) / in_a_second)
    except ValueError:
        return None


def _until(date: str) -> float | None:
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    try:
        left = parsedate_to_datetime(date).timestamp() - time.time()
    except (TypeError, ValueError, OverflowError):
        return None
    return bounded_wait(left) if left > 0 else None  # a date that has passed says nothing
