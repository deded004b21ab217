"""Texts from outside, for error messages, lists and terminals: cut to a length, on one line, without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast, get_origin

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


_OWN_PATH = re.compile(r'\bstead\.(?:\w+\.)+(?=\w)')


def type_name(kind: object) -> str:
    """Return what a type, or a list of types and functions, is called, without the modules in which ours are defined."""
    if isinstance(kind, (list, tuple)):
        return f'[{", ".join(map(type_name, cast("list[object]", kind)))}]'
    name = None if get_origin(kind) is not None else getattr(kind, '__name__', None)  # that of `list[int]` is `list`
    return name or without_paths(repr(kind))


def without_paths(text: str) -> str:
    """Return a text in which our names stand without the modules in which they are defined."""
    return _OWN_PATH.sub('', text)


def one_line(text: str) -> str:
    """Return a text with all white space collapsed to single spaces, line breaks of all kinds among it."""
    return ' '.join(text.split())


CONTROLS = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]')
"""What a terminal obeys, except for line feeds and tabs: control characters, and those that change the direction of text.
Halves of surrogate pairs are among them: to write one raises an error."""


def printable(text: str) -> str:
    r"""Return a text in which control characters stand as `\x1b`; only line feeds and tabs are left.

    Others move the cursor, change colours and titles, or the order of letters: a text could show what it is not. What
    `json.dumps` escapes, and what it does not, is escaped alike.
    """
    return CONTROLS.sub(lambda match: _escaped(match.group()), text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f'\\x{code:02x}' if code < 0x100 else f'\\u{code:04x}'
