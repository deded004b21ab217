"""Text from outside, made harmless for a terminal."""

from __future__ import annotations

import re

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
