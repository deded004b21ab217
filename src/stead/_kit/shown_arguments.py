"""What a person is shown of a call before it is made: the arguments that it would be made with, whole, and nothing that misleads.

A model writes arguments as text. A key may come twice in it, and the last one counts; characters may be invisible, or change the
order in which others are shown. So the text of the model is not shown, but the arguments are written again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, NamedTuple

from .short import short_repr
from .well_formed import WithArguments, arguments_that_run, meant_arguments

_NEVER_SEEN = frozenset('\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0')
"""Letters and marks that look like nothing."""
_VARIANTS = re.compile('[\ufe00-\ufe0f\U000e0100-\U000e01ef]')
_UNSEEN = frozenset(('Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zl', 'Zp'))
_MOST_KEYS = 5


class ShownArguments(NamedTuple):
    """The arguments of a call, for the person who decides about it."""

    text: str
    """The arguments as JSON in one line, as the tool would get them. What cannot be seen stands as `\\u202e`."""
    marks: tuple[str, ...] = ()
    """What to look out for, as sentences."""

    def __str__(self) -> str:
        return self.text + self.remarks

    @property
    def remarks(self) -> str:
        """What to look out for, to put after the arguments; empty if there is nothing."""
        return ''.join(f' (! {mark})' for mark in self.marks)


def shown_arguments(call: WithArguments) -> ShownArguments:
    """Return the arguments of a call as they are shown to the person who decides about it."""
    meant = meant_arguments(call.args) if isinstance(call.args, str) else None
    written = json.dumps(arguments_that_run(call), ensure_ascii=False, separators=(',', ':'), default=str)
    text, marks = marked(written), list[str]()
    if isinstance(call.args, str) and (keys := _keys_twice(meant or call.args)):
        names = ', '.join(short_repr(marked(key), 60) for key in keys[:_MOST_KEYS])
        marks.append(f'The model wrote these keys more than once, and the last value counts: {names}.')
    if text != written:
        marks.append('Characters that cannot be seen, or change the order of others, stand as \\u and a number.')
    return ShownArguments(text, tuple(marks))


def question_about(call: WithArguments) -> str:
    """Return the question whether a call may be made, with all that would run."""
    return f'Approve the call of `{marked(call.tool_name)}` with {shown_arguments(call)}?'


def marked(text: str) -> str:
    r"""Return a text in which what cannot be seen stands as in JSON, as `\u202e`; an ordinary space stays."""
    if text.isascii() and text.isprintable():
        return text
    return ''.join(_escaped(character) if _is_unseen(character) else character for character in text)


def _is_unseen(character: str) -> bool:
    kind = unicodedata.category(character)
    if kind in _UNSEEN or (kind == 'Zs' and character != ' '):
        return True
    return character in _NEVER_SEEN or _VARIANTS.match(character) is not None


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if not character.isascii() else f'\\u{ord(character):04x}'


def _keys_twice(text: str) -> list[str]:
    """Return the keys that an object in a JSON text has more than once."""
    found: dict[str, None] = {}

    def note(pairs: list[tuple[str, Any]]) -> None:
        known: set[str] = set()
        for key, _ in pairs:
            if key in known:
                found[key] = None
            known.add(key)

    try:
        json.loads(text, object_pairs_hook=note, parse_int=str)
    except (ValueError, RecursionError):
        return []  # it is not JSON: its arguments are shown as the tool would get them
    return [*found]
