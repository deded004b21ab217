"""Texts that must not be shown, such as API keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

MASK = '••••••'
"""What is shown in the place of a secret."""
SECRET_WORDS = r'passw(?:or)?d|passphrase|secret|token|(?:api|access|private)[_-]?key|authorization|credentials?|cookie'
"""How names end whose values are secrets; `web/src/shared/format.ts` has the same."""
VENDOR_CODES = ('sk-', 'ghp_', 'gho_', 'ghs_', 'github_pat_', 'xoxb-', 'xoxp-', 'glpat-', 'akia', 'aiza', 'hf_', 'eyj')
"""How keys of vendors begin, in lower case; the page has the same."""
_NAME = re.compile(rf'({SECRET_WORDS})$', re.IGNORECASE)
# For each text that a secret stands behind or begins with, what follows it: the secret is the first group, else all.
_ASSIGNED = re.compile(
    r"""=([^\s"'&,;<>\\]+)"""
    r"""|"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.)+)"""
    r"""|\\"\s{0,9}:\s{0,9}\\"((?:[^"\\]|\\\\(?:\\.|.))+)"""  # JSON inside of a text in JSON
    r"""|'\s{0,9}:\s{0,9}'((?:[^'\\]|\\.)+)"""
    r"""|(?P<quote>\\*["'])\s{0,9}:\s{0,9}(-?\d[\w.+-]*)""",  # a number, whose mask is a text: JSON remains JSON
    re.DOTALL,
)
_ENDS = (
    'password',
    'passwd',
    'passphrase',
    'secret',
    'token',
    'key',
    'authorization',
    'credential',
    'credentials',
    'cookie',
)
_USER = re.compile(r'[^/\s:@"\']{0,200}:([^/\s@"\']{1,200})@')
_SENT = re.compile(r'\s+([\w.~+/=-]{12,})')
_CODE = re.compile(r'[\w-]{16,}(\.[\w-]+)*')
_AFTER = {
    **dict.fromkeys(_ENDS, _ASSIGNED),
    '://': _USER,
    **dict.fromkeys(('bearer', 'basic'), _SENT),
    **dict.fromkeys(VENDOR_CODES, _CODE),
}


def masked_text(text: str) -> str:
    """Return a text for people, without what looks like a secret: `password=...`, keys of vendors, passwords in URLs."""
    spans = sorted(_spans(text))
    pieces, seen = list[str](), 0
    for start, end, quote in spans:
        if start >= seen:
            pieces += [text[seen:start], quote, MASK, quote]
        seen = max(seen, end)
    return ''.join((*pieces, text[seen:])) if spans else text


def masked_data(value: Any) -> Any:
    """Return plain data, which is a secret, without its texts and numbers."""
    if isinstance(value, dict):
        return {name: masked_data(item) for name, item in value.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [masked_data(item) for item in value]  # type: ignore[reportUnknownVariableType]
    return MASK if _can_be_secret(value) else value


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where secrets are, and the quotes that a mask needs there.

    Words are found ten times quicker than by one expression that has them all.
    """
    low = text.lower()
    if len(low) != len(text):  # a few letters are longer in lower case
        low = ''.join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    for word, after in _AFTER.items():
        place = low.find(word)
        while place >= 0:
            begins = after is not _CODE or not (place and (low[place - 1].isalnum() or low[place - 1] == '_'))
            found = after.match(text, place + len(word)) if begins else None
            if found is not None and (word != 'key' or is_secret(text[max(place - 8, 0) : place + 3])):
                start, end = (place, found.end()) if after is _CODE else found.span(found.lastindex or 0)
                yield start, end, found.groupdict().get('quote') or ''
            place = low.find(word, place + len(word))


def is_secret(name: object, value: object = 'text') -> bool:
    """Return whether a value is a text or a number whose name says that it must not be shown."""
    return _can_be_secret(value) and isinstance(name, str) and _NAME.search(name) is not None


def _can_be_secret(value: object) -> bool:
    """Return whether a value is a text or a number; a boolean says no more than whether there is a secret."""
    return isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != ''


class Secret(str):
    """A text whose `repr` does not show it, so that neither do logs of objects that hold it.

    In every other way it is the text: it can be sent, compared, formatted and pickled.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def without_secret(value: Any, secret: str | None) -> Any:
    """Return a value with a secret, such as an API key, replaced by `***` in all of its text."""
    if not secret or len(secret) < 8:  # a placeholder, which may occur in other text
        return value
    if isinstance(value, str):
        return value.replace(secret, '***') if secret in value else value
    if isinstance(value, dict):
        return {key: without_secret(item, secret) for key, item in value.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [without_secret(item, secret) for item in value]  # type: ignore[reportUnknownVariableType]
    if type(value) is tuple:
        return tuple(without_secret(item, secret) for item in value)  # type: ignore[reportUnknownVariableType]
    return value


def hide_secret(error: Exception, secret: str | None) -> None:
    """Remove the API key from an error of an SDK and its causes.

    The error becomes the cause of stead's error, so that tracebacks, logs and spans show it.
    """
    for cause in causes(error):
        cause.args = without_secret(cause.args, secret)
        for name, value in {**getattr(cause, '__dict__', {})}.items():
            if type(value) in (str, dict, list):
                object.__setattr__(cause, name, without_secret(value, secret))  # some errors forbid assignments


def causes(error: BaseException) -> list[Exception]:
    """Return an error and its chain of causes, up to the first that is not an `Exception` or that repeats."""
    chain: list[Exception] = []
    current: BaseException | None = error
    while isinstance(current, Exception) and not any(current is cause for cause in chain):
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return chain
