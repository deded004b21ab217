"""Texts from outside, cut to a length that fits into error messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

LONGEST = 500
"""The most characters of one value in an error message."""
_DEEPEST = 20
_LARGEST = 1 << 4000  # longer integers take time to write, or cannot be written


def short(text: str, most: int = LONGEST) -> str:
    """Return a text without its middle if it is long.

    Args:
        text: The text.
        most: The length above which it is cut, and about what the result is at most.
    """
    if len(text) <= most:
        return text
    tail = most // 4
    return f'{text[: most - tail]}... ({len(text)} characters) ...{text[len(text) - tail :]}'


def short_repr(value: Any, most: int = LONGEST) -> str:
    """Return the representation of a value for an error message, without its end if it is long.

    Plain data is visited only as far as it is shown: large values, and those with shared parts, cost nothing.

    Args:
        value: The value.
        most: The length above which it is cut.
    """
    text = ''
    for piece in _written(value, most, _DEEPEST):
        text += piece
        if len(text) > most:
            return f'{text[: max(most - 3, 1)]}...'
    return text


def _written(value: Any, most: int, levels: int) -> Iterator[str]:
    """Yield the representation of a value in pieces."""
    kind = cast('type[Any]', type(value))
    if kind in (str, bytes, bytearray):
        yield repr(value[: most + 1])
    elif kind is int and abs(value) > _LARGEST:
        yield f'<int of {value.bit_length()} bits>'
    elif kind not in (dict, list, tuple) or not value:
        yield repr(value)
    elif not levels:
        yield '...'
    elif kind is dict:
        yield '{'
        for place, (key, item) in enumerate(cast('dict[Any, Any]', value).items()):
            yield ', ' if place else ''
            yield from _written(key, most, levels - 1)
            yield ': '
            yield from _written(item, most, levels - 1)
        yield '}'
    else:
        yield '[' if kind is list else '('
        for place, item in enumerate(value):
            yield ', ' if place else ''
            yield from _written(item, most, levels - 1)
        yield ']' if kind is list else ',)' if len(value) == 1 else ')'
