"""Texts that are nearly JSON, as models write them: read only where they can be read in one way.

Libraries that repair JSON guess: they close what was cut off and take words without quotes for texts. A call that is executed
must not be a guess. So this accepts what other languages write for the same object, and nothing that is incomplete.
"""

from __future__ import annotations

import json
import re

import pydantic_core

READS = True
"""Whether such texts are read at all."""
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<double>"(?:[^"\\]|\\.)*")
      | (?P<single>'(?:[^'\\]|\\.)*')
      | (?P<comma>,)
      | (?P<mark>[{}\[\]:])
      | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.])
      | (?P<word>true|false|null|True|False|None)(?!\w)""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {'True': 'true', 'False': 'false', 'None': 'null'}
_CONTROL = re.compile(r'[\x00-\x1f]')
_UNQUOTED = re.compile(r"""\\(.)|(")""", re.DOTALL)


def nearly_json(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the JSON object that a text stands for which is not JSON itself, and what was changed.

    Args:
        text: The text. It may be in a code fence, have a comma before a closing bracket, texts in single quotes or with line
            breaks in them, and the words `True`, `False` and `None`.

    Returns:
        The object as JSON, and the names of the changes; `None` if the text is JSON, or can be read in no way or in several.
    """
    if not READS:
        return None
    changes: dict[str, None] = {}
    if (fenced := _in_fence(text)) is not None:
        text = fenced
        changes['code fence'] = None
    written = _rewritten(text, changes)
    if written is None or not changes:
        return None
    try:
        return (written, tuple(changes)) if isinstance(pydantic_core.from_json(written), dict) else None
    except ValueError:
        return None


def _in_fence(text: str) -> str | None:
    """Return what is in the code fence that a text is; `None` if it is none."""
    text = text.strip()  # not by a pattern, which would look at long runs of spaces from each of them
    if not text.startswith('```') or not text.endswith('```'):
        return None
    language, line_break, inside = text[3:-3].partition('\n')
    return inside if line_break and language.strip() in ('', 'json', 'JSON') else None


def _rewritten(text: str, changes: dict[str, None]) -> str | None:
    """Return the tokens of a text as JSON writes them, and note what was changed; `None` if it has other tokens."""
    pieces: list[str] = []
    place, comma = 0, False
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        place, kind, piece = token.end(), token.lastgroup, token[0]
        if kind == 'space':
            continue
        if comma:
            comma = False
            if piece in ('}', ']') and pieces and pieces[-1] not in ('{', '[', ',', ':'):
                changes['trailing comma'] = None
            else:
                pieces.append(',')
        if kind == 'comma':
            comma = True
            continue
        if kind == 'single':
            piece = '"' + _UNQUOTED.sub(_in_double_quotes, piece[1:-1]) + '"'
            changes['single quotes'] = None
        if kind in ('single', 'double') and _CONTROL.search(piece):
            piece = _CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], piece)
            changes['control characters'] = None
        if piece in _WORDS:
            piece = _WORDS[piece]
            changes['names of Python'] = None
        pieces.append(piece)
    return None if comma else ''.join(pieces)


def _in_double_quotes(found: re.Match[str]) -> str:
    if found[2]:
        return '\\"'
    return "'" if found[1] == "'" else found[0]
