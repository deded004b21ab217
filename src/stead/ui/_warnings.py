"""Warnings about what was left out of a request. Their texts hold words of clients, so they are bounded, and so is their number.

Python remembers every text that it has warned of, for as long as the process lives.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from .._kit.short import short

_MOST_NAMES = 5
_MOST_REMEMBERED = 1_000
_remembered: dict[str, int] = {}


def warn_of_request(message: str) -> None:
    """Warn of something in a request; the filters of `warnings` say how often the same is shown.

    Args:
        message: What happened, and what to do; words of clients in it have to be bounded, see `listed`.
    """
    if len(_remembered) > _MOST_REMEMBERED:
        _remembered.clear()
    warnings.warn_explicit(message, UserWarning, 'stead.ui', 0, module='stead.ui', registry=_remembered)  # type: ignore[reportArgumentType]


def listed(names: Iterable[str]) -> str:
    """Return the first of different names as a list, cut to a length that fits into a message."""
    different = list(dict.fromkeys(names))
    shown = [short(name, 40) for name in different[:_MOST_NAMES]]
    more = len(different) - len(shown)
    return f'{shown} and {more} more' if more else str(shown)
