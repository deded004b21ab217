"""Texts that are nearly JSON, as models write them: read only where they can be read in one way.

Libraries that repair JSON guess: they close what was cut off and take words without quotes for texts. A call that is executed
must not be a guess. So this accepts what other languages write for the same object, and nothing that is incomplete, except for
closing brackets where a schema proves that nothing else is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import pydantic_core

from .records import is_dict

READS = True
"""Whether such texts are read at all."""
_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+)
      | (?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)
      | (?P<double>"(?:[^"\\]|\\.)*")
      | (?P<single>'(?:[^'\\]|\\.)*')
      | (?P<back>`(?:[^`\\$]|\\.|\$(?!\{))*`)
      | (?P<comma>,)
      | (?P<mark>[{}\[\]:])
      | (?P<number>[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])
      | (?P<word>true|false|null|True|False|None|TRUE|FALSE|NULL)(?!\w)
      | (?P<key>[^\W\d][\w]*)(?=\s*:)""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {'True': 'true', 'False': 'false', 'None': 'null', 'TRUE': 'true', 'FALSE': 'false', 'NULL': 'null'}
_SPACES = ' \t\r\n'
_CONTROL = re.compile(r'[\x00-\x1f]')
_ESCAPED = re.compile(r"""\\(.)|(")""", re.DOTALL)
_ON_ONE_LINE = re.compile(r'[\w+#.-]*[ \t]*(?=\{)')
_NUMBER = re.compile(r'\+?(-?)([0-9]*)(\.?)([0-9]*)(.*)')
_OPEN = {'}': '{', ']': '['}
_MORE = frozenset({'$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties', 'if'})
"""Keys of schemas that may have further properties."""
_MOST_REFERENCES = 5
_AROUND = 'text around it'
_NO_CONTAINER = frozenset(
    f'{kind}_type'
    for kind in ('list', 'dict', 'model', 'model_attributes', 'dataclass', 'tuple', 'set', 'frozen_set', 'mapping')
)
"""Types of errors that say that a text was found where a list or an object should be."""


def nearly_json(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the JSON object that a text stands for which is not JSON itself, and what was changed.

    Args:
        text: The text. It may be in a code fence or between words, be an object in a text, have comments, a comma before a
            closing bracket, texts in other quotes or with line breaks in them, keys without quotes, and constants and numbers
            as Python and JavaScript write them.

    Returns:
        The object as JSON, and the names of the changes; `None` if the text is a JSON object, or can be read in no way or in
        several.
    """
    if not READS:
        return None
    changes: dict[str, None] = {}
    text = _unwrapped(text.strip(), changes)
    tokens = _rewritten(text, changes)
    if tokens is None or not changes:
        return None
    written = ''.join(tokens)
    try:
        return (written, tuple(changes)) if isinstance(pydantic_core.from_json(written), dict) else None
    except ValueError:
        return None


def without_end(text: str, schema: dict[str, Any]) -> tuple[str, tuple[str, ...]] | None:
    """Return the JSON object that a text is of which closing brackets are missing, and what was changed.

    Args:
        text: The text.
        schema: The schema of the object. It proves that nothing else is missing if each object that is not closed has all the
            properties that there are, and the last value is whole.
    """
    changes: dict[str, None] = {}
    if not READS or (tokens := _rewritten(text.strip(), changes)) is None or not tokens or tokens[-1] in '{[:,':
        return None
    missing: list[str] = []
    for token in tokens:
        if token in ('{', '['):
            missing.append(token)
        elif token in _OPEN and (not missing or missing.pop() != _OPEN[token]):
            return None
    is_whole = tokens[-1][0] in '"]}' or tokens[-1] in _WORDS.values()  # a number may have had more digits
    if not missing or '[' in missing or not is_whole:
        return None
    written = ''.join(tokens) + '}' * len(missing)
    try:
        pydantic_core.from_json(written)  # which bounds how deep it is
        value: object = json.loads(written, object_pairs_hook=_distinct)
    except ValueError:
        return None
    part: object = schema
    for _ in missing:
        for _ in range(_MOST_REFERENCES):
            if is_dict(part) and isinstance(name := part.get('$ref'), str):
                part = schema.get('$defs', {}).get(name.rpartition('/')[2])
        if (
            not is_dict(part)
            or not is_dict(value)
            or not part.keys().isdisjoint(_MORE)
            or part.get('additionalProperties')
        ):
            return None
        properties = part.get('properties')
        if not is_dict(properties) or not properties or properties.keys() != value.keys():
            return None
        last = next(reversed(value))
        part, value = properties[last], value[last]
    return written, (*changes, 'closing brackets')


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError('The object has a key twice.')
    return found


def with_texts_read(data: dict[str, Any], faults: Iterable[Any]) -> bool:
    """Replace texts by the lists and objects that they are JSON of, where a validation found a text; return whether any was.

    Args:
        data: The arguments, which are changed.
        faults: The errors of the validation.
    """
    is_changed = False
    for fault in faults if READS else ():
        place: Any = data
        parent: Any = None
        last: Any = None
        for key in fault['loc']:
            if not isinstance(place, (dict, list)):
                break
            try:
                parent, last, place = place, key, place[key]  # type: ignore[reportUnknownVariableType]
            except (LookupError, TypeError):  # the name of a form that was tried
                break
        if fault['type'] not in _NO_CONTAINER or not isinstance(place, str):
            continue
        nearly = nearly_json(place)
        if nearly is not None and _AROUND in nearly[1]:  # the text may be meant as one
            continue
        try:
            value: object = pydantic_core.from_json(place if nearly is None else nearly[0])
        except ValueError:
            continue
        if isinstance(value, (dict, list)):
            parent[last], is_changed = value, True
    return is_changed


def _unwrapped(text: str, changes: dict[str, None]) -> str:
    """Return what is in the code fence, the quotes, or between the words that a text is, and note that."""
    inside = None
    if text[:3] == text[-3:] and text[:3] in ('```', '~~~') and len(text) > 6:
        language, line_break, inside = text[3:-3].partition('\n')
        if not line_break or not _is_word(language.strip()):
            found = _ON_ONE_LINE.match(text, 3)
            inside = None if found is None else text[found.end() : -3]
        if inside is not None:
            changes['code fence'] = None
    elif text[:2] == '`{' and text[-2:] == '}`':
        inside = text[1:-1]
        changes['backquotes'] = None
    elif text[:1] == text[-1:] == '"':
        try:
            inside = pydantic_core.from_json(text)
        except ValueError:
            return text
        changes['object in a text'] = None
    if inside is not None:
        return inside.strip()
    start, end = text.find('{'), text.rfind('}') + 1
    around = f'{text[:start]} {text[end:]}'.replace('\ufeff', '').strip()
    is_apart = 0 <= start < end and not (text[max(start - 1, 0)].isalnum() or text[end : end + 1].isalnum())
    if is_apart and around and around[0] not in ',:/#' and not any(mark in around for mark in '{}[]"'):
        changes[_AROUND] = None
        return text[start:end]
    return text


def _is_word(language: str) -> bool:
    return all(letter.isalnum() or letter in '_+#.-' for letter in language)


def _rewritten(text: str, changes: dict[str, None]) -> list[str] | None:
    """Return the tokens of a text as JSON writes them, and note what was changed; `None` if it has other tokens."""
    pieces: list[str] = []
    place, comma = 0, False
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        place, kind, piece = token.end(), str(token.lastgroup), token[0]
        if kind == 'space':
            if piece.strip(_SPACES):
                changes['other spaces'] = None
            continue
        if kind == 'comment':
            changes['comments'] = None
            continue
        if comma:
            comma = False
            if piece in _OPEN and pieces and pieces[-1] not in ('{', '[', ',', ':'):
                changes['trailing comma'] = None
            else:
                pieces.append(',')
        if kind == 'comma':
            comma = True
        elif (written := _as_json(kind, piece, changes)) is None:
            return None
        else:
            pieces.append(written)
    return None if comma else pieces


def _as_json(kind: str, piece: str, changes: dict[str, None]) -> str | None:
    """Return a token as JSON writes it, and note what was changed."""
    if kind in ('double', 'single', 'back'):
        if kind != 'double':
            changes['single quotes' if kind == 'single' else 'backquotes'] = None
        if kind != 'double' or "\\'" in piece:
            written = '"' + _ESCAPED.sub(_in_double_quotes, piece[1:-1]) + '"'
            if kind == 'double' and written != piece:
                changes['escaped quotes'] = None
            piece = written
        if _CONTROL.search(piece):
            piece = _CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], piece)
            changes['control characters'] = None
    elif kind == 'number':
        sign, whole, point, fraction, exponent = _NUMBER.match(piece).groups()  # type: ignore[union-attr]
        written = f'{sign}{whole or 0}{point}{fraction or (point and 0)}{exponent}'
        if written != piece:
            changes['numbers'] = None
        piece = written
    elif kind == 'key':
        changes['keys without quotes'] = None
        piece = f'"{piece}"'
    elif piece in _WORDS:
        changes['capital letters' if piece.isupper() else 'names of Python'] = None
        piece = _WORDS[piece]
    return piece


def _in_double_quotes(found: re.Match[str]) -> str:
    if found[2]:
        return '\\"'
    return found[1] if found[1] in "'`" else found[0]
