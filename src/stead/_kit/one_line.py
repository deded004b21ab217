"""Text that stands on one line of a list, where a line break would begin another entry."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Return a text with all white space collapsed to single spaces, line breaks of all kinds among it."""
    return ' '.join(text.split())
