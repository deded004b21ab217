"""Bounded regular expressions, which a decoder and every validator read alike.

All expressions here are anchored, bounded, and use only what Python, Rust and JavaScript agree on: literal characters,
classes, groups, alternatives and counted repeats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from ..json_data.matching import matching
from ..linear_patterns import Steps, StepsUsedUp, UnsearchablePattern, parsed
from ..short import short_repr
from ..tried_patterns import searched

ANY_CHARACTER = '[ !#-\\[\\]-~\u00a1-\u00ac\u00ae-\u024f\u0370-\u03ff\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]'
"""A character of a string that needs no escape in JSON; those that people write, of several scripts."""
_HEX = '[0-9a-f]'
_YEAR, _MONTH, _DAY = '(19|20)[0-9]{2}', '(0[1-9]|1[0-2])', '(0[1-9]|1[0-9]|2[0-8])'
_DATE = f'{_YEAR}-{_MONTH}-{_DAY}'
_TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]'
_BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
_IPV4 = f'{_BYTE}\\.{_BYTE}\\.{_BYTE}\\.{_BYTE}'
_IPV6 = '([1-9a-f][0-9a-f]{0,3}:){7}[1-9a-f][0-9a-f]{0,3}'
_HOST = '[a-z][a-z0-9]{0,20}(\\.[a-z][a-z0-9]{0,20}){0,2}\\.(com|org|net|io|dev|de|fr|uk|info)'
_URI = f'https?://{_HOST}(/[A-Za-z0-9_.-]{{1,40}}){{0,4}}/?'


def _uuid(version: str) -> str:
    return f'{_HEX}{{8}}-{_HEX}{{4}}-{version}{_HEX}{{3}}-[89ab]{_HEX}{{3}}-{_HEX}{{12}}'


FORMATS: dict[str, str] = {
    'date': _DATE,
    'time': _TIME,
    'date-time': f'{_DATE}T{_TIME}(Z|[+-]0[0-9]:00)',
    'duration': 'P([1-9][0-9]{0,2}D|([1-9][0-9]{0,2}D)?T([1-9][0-9]?H([1-9][0-9]?M)?|[1-9][0-9]?M([1-9][0-9]?S)?|[1-9][0-9]?S))',
    'email': f'[a-z][a-z0-9]{{0,20}}([._-][a-z0-9]{{1,20}}){{0,2}}@{_HOST}',
    'hostname': _HOST,
    'uri': _URI,
    'ipv4': _IPV4,
    'ipv6': _IPV6,
    'ipvanyaddress': _IPV4,
    'ipvanyinterface': f'{_IPV4}/([12]?[0-9]|3[0-2])',
    'ipv4interface': f'{_IPV4}/([12]?[0-9]|3[0-2])',
    'ipv6interface': f'{_IPV6}/([1-9]?[0-9]|1[01][0-9]|12[0-8])',
    'ipvanynetwork': f'{_BYTE}\\.{_BYTE}\\.{_BYTE}\\.0/24',
    'ipv4network': f'{_BYTE}\\.{_BYTE}\\.{_BYTE}\\.0/24',
    'ipv6network': '[1-9a-f][0-9a-f]{0,3}(:[1-9a-f][0-9a-f]{0,3}){3}::/64',
    'byte': '([A-Za-z0-9+/]{4}){0,16}',
    'base64': '([A-Za-z0-9+/]{4}){0,16}',
    'base64url': '([A-Za-z0-9]{4}){0,16}',
    'json-string': '(null|true|false|0|[1-9][0-9]{0,5})',
    'regex': '[A-Za-z0-9 ]{0,20}',
    'color': '#[0-9a-f]{6}',
    'uuid': _uuid('4'),
    **{f'uuid{version}': _uuid(str(version)) for version in range(1, 9)},
}
for _alias, _name in (
    ('idn-email', 'email'),
    ('url', 'uri'),
    ('iri', 'uri'),
    ('multi-host-uri', 'uri'),
    ('idn-hostname', 'hostname'),
):
    FORMATS[_alias] = FORMATS[_name]
"""Expressions for formats. They match texts that every validator accepts, rather than all texts of the format."""


# Numbers


def _digits(low: str, high: str) -> list[str]:
    """Return expressions for the numbers from one to another of the same length, with leading zeros."""
    if not low:
        return ['']
    if low == high:
        return [low]
    if set(low) == {'0'} and set(high) == {'9'}:
        return ['[0-9]' if len(low) == 1 else f'[0-9]{{{len(low)}}}']
    first, last = low[0], high[0]
    if first == last:
        return [first + rest for rest in _digits(low[1:], high[1:])]
    expressions: list[str] = []
    zeros, nines = '0' * (len(low) - 1), '9' * (len(low) - 1)
    begin, end = int(first), int(last)
    if low[1:] != zeros:
        expressions += [first + rest for rest in _digits(low[1:], nines)]
        begin += 1
    if high[1:] != nines:
        expressions += [last + rest for rest in _digits(zeros, high[1:])]
        end -= 1
    if begin <= end:
        one = f'[{begin}-{end}]' if begin < end else str(begin)
        expressions += [one + rest for rest in _digits(zeros, nines)]
    return expressions


def _natural(low: int, high: int) -> list[str]:
    expressions: list[str] = []
    while low <= high:
        size = len(str(low))
        full = len(str(high + 1)) - 1  # up to that many digits, all numbers are among them
        if low == 10 ** (size - 1) and size < full:
            expressions.append(f'[1-9][0-9]{{{size - 1},{full - 1}}}')
            low = 10**full
            continue
        top = min(high, 10**size - 1)
        expressions += _digits(str(low), str(top))
        low = top + 1
    return expressions


def integers(low: int, high: int) -> str | None:
    """Return an expression for the integers of a range, ends included; `None` if there are none."""
    expressions: list[str] = []
    if low < 0:
        expressions += [f'-{text}' for text in _natural(max(1, -high), -low)]
    expressions += _natural(max(low, 0), high)
    return _either(expressions) if expressions else None


def decimals(low: Fraction, high: Fraction, places: int) -> str | None:
    """Return an expression for the decimal numbers of a range, ends included, with so many places at most."""
    expressions: list[str] = []
    if low < 0:
        expressions += [f'-{text}' for text in _positive(max(-high, Fraction(0)), -low, places) if text != '0']
    if high >= 0:
        expressions += _positive(max(low, Fraction(0)), high, places)
    return _either(dict.fromkeys(expressions)) if expressions else None


def _positive(low: Fraction, high: Fraction, places: int) -> list[str]:
    """Return expressions for decimal numbers that are not negative; `-0.0` may be among them when negated."""
    scale = 10**places
    first, last = -(-low * scale // 1), high * scale // 1  # in units of the last place
    expressions: list[str] = []
    if first > last:
        return expressions
    begin, end = int(first), int(last)
    whole_begin, whole_end = -(-begin // scale), end // scale - 1  # whole numbers whose decimals are all free
    if not places:
        return _natural(begin, end)
    if whole_begin <= whole_end:
        expressions.append(f'({_either(_natural(whole_begin, whole_end))})(\\.[0-9]{{1,{places}}})?')
    for whole in dict.fromkeys((begin // scale, end // scale)):
        if whole_begin <= whole <= whole_end:
            continue
        start, stop = max(begin - whole * scale, 0), min(end - whole * scale, scale - 1)
        if start == 0:
            expressions.append(str(whole))
        fractions = _digits(str(start).zfill(places), str(stop).zfill(places))
        expressions.append(f'{whole}\\.{_group(fractions)}')
    return expressions


def _either(options: Iterable[str]) -> str:
    return '|'.join(options)


def _group(options: Iterable[str]) -> str:
    return f'({_either(options)})'


# Patterns of schemas

_MOST_TEXT = 10_000
"""The most characters that the shortest text of a pattern may have."""
_MOST_STEPS = 100_000


class UnsupportedPattern(ValueError):
    """A pattern that cannot be bounded, and why."""


@dataclass
class Expression:
    """A bounded expression; all texts that it matches also match a pattern."""

    text: str
    """The expression of what stands between the quotes of a JSON string, where some characters are escaped."""
    shortest: int
    """The length of its shortest text."""
    longest: int
    """The length of its longest text."""
    open_end: bool
    """Whether the pattern allows any text to follow."""


def bounded_pattern(pattern: str, most: int, *, blind: bool = False) -> Expression:
    """Return an expression for a pattern.

    Args:
        pattern: The pattern, as JSON schemas have them: found anywhere unless it is anchored.
        most: The most repeats where the pattern sets no bound.
        blind: Whether to ignore assertions; then not all texts match the pattern.

    Raises:
        UnsupportedPattern: The pattern has assertions, references or flags, is too large, or is not a regular expression.
    """
    try:
        tree = parsed(pattern)
    except UnsearchablePattern as error:
        raise UnsupportedPattern(f'{short_repr(pattern)} cannot be read: {error}') from None
    if tree.state.flags & ~re.UNICODE:
        raise UnsupportedPattern(f'{pattern!r} has flags')
    items = list(tree)
    try:
        text, shortest, longest = _ExpressionWriter(most, blind).sequence(items, left=True, right=True)
    except UnsupportedPattern as error:
        raise UnsupportedPattern(f'{pattern!r} has {error}') from None
    if shortest > _MOST_TEXT:
        raise UnsupportedPattern(f'{pattern!r} has only texts of more than {_MOST_TEXT} characters')
    open_end = not items or str(items[-1][0]) not in ('AT', 'BRANCH', 'SUBPATTERN')
    return Expression(text, shortest, longest, open_end)


def some_matching(pattern: str, low: int, high: int, count: int) -> list[str]:
    """Return some texts that match a pattern which `bounded_pattern` does not support; none if they are hard to find."""
    texts = dict.fromkeys(islice(matching(pattern, low, high), count))
    if not texts:
        steps = Steps(_MOST_STEPS)
        try:
            blind = bounded_pattern(pattern, 8, blind=True).text
            candidates = (text for text in matching(f'^{blind}$', low, high) if searched(pattern, text, steps))
            texts = dict.fromkeys(islice(candidates, count))
        except (UnsupportedPattern, UnsearchablePattern, StepsUsedUp):
            return []
    return list(texts)


_PLAIN = [chr(code) for code in range(32, 127) if chr(code) not in '"\\']
"""The characters of ASCII that JSON strings have as they are."""
_DIGITS, _SPACE = set('0123456789'), {' '}
_LETTERS = {char for char in _PLAIN if char.isalnum() or char == '_'}
_CATEGORIES: dict[str, set[str]] = {
    'CATEGORY_DIGIT': _DIGITS,
    'CATEGORY_WORD': _LETTERS,
    'CATEGORY_SPACE': _SPACE,
    'CATEGORY_NOT_DIGIT': set(_PLAIN) - _DIGITS,
    'CATEGORY_NOT_WORD': set(_PLAIN) - _LETTERS,
    'CATEGORY_NOT_SPACE': set(_PLAIN) - _SPACE,
}
_Measured = tuple[str, int, int]


class _ExpressionWriter:
    """Writer of an expression from its tree, in the subset that all engines agree on."""

    def __init__(self, most: int, blind: bool) -> None:
        self.most = most
        self.blind = blind

    def sequence(self, items: list[Any], *, left: bool = False, right: bool = False) -> _Measured:
        """Return the expression of items in order, and its lengths.

        Args:
            items: The items.
            left: Whether they begin where the whole expression does.
            right: Whether they end where it does.
        """
        text, shortest, longest = '', 0, 0
        last = len(items) - 1
        for place, (op, value) in enumerate(items):
            begins, ends = left and place == 0, right and place == last
            if self.blind and str(op) in ('AT', 'ASSERT', 'ASSERT_NOT'):
                continue
            if str(op) == 'AT':
                kind = str(value).removesuffix('_STRING')
                if not ((begins and kind == 'AT_BEGINNING') or (ends and kind == 'AT_END')):
                    raise UnsupportedPattern('an anchor inside of it')
                continue
            item, least, most = self._item(str(op), value, begins, ends)
            text, shortest, longest = text + item, shortest + least, longest + most
        return text, shortest, longest

    def _item(self, op: str, value: Any, left: bool, right: bool) -> _Measured:
        if op == 'LITERAL':
            return written(chr(value)), 1, 1
        if op == 'NOT_LITERAL':
            return _class(set(_PLAIN) - {chr(value)}), 1, 1
        if op == 'ANY':
            return ANY_CHARACTER, 1, 1
        if op == 'IN':
            return self._set(value), 1, 1
        if op == 'SUBPATTERN':
            _, added, removed, inner = value
            if added or removed:
                raise UnsupportedPattern('flags inside of it')
            text, least, most = self.sequence(list(inner), left=left, right=right)
            return f'({text})', least, most
        if op == 'BRANCH':
            branches = [self.sequence(list(branch), left=left, right=right) for branch in value[1]]
            return _group(text for text, _, _ in branches), min(b[1] for b in branches), max(b[2] for b in branches)
        if op in ('MAX_REPEAT', 'MIN_REPEAT'):
            low, high, inner = value
            text, least, longest = self.sequence(list(inner))
            high = min(int(high), int(low) + self.most)
            return f'({text}){{{int(low)},{high}}}', least * int(low), longest * high
        raise UnsupportedPattern(f'{op.lower().replace("_", " ")} in it')

    def _set(self, items: list[Any]) -> str:
        """Return the expression of a class: of its characters of ASCII, and other ones if it has ranges of them."""
        negated = str(items[0][0]) == 'NEGATE'
        chars: set[str] = set()
        others: list[str] = []
        for op, value in items[negated:]:
            kind = str(op)
            if kind == 'LITERAL':
                low = high = value
            elif kind == 'RANGE':
                low, high = value
            elif str(value) in _CATEGORIES:
                chars |= _CATEGORIES[str(value)]
                continue
            else:
                raise UnsupportedPattern(f'{str(value).lower()} in it')
            chars.update(char for char in _PLAIN if low <= ord(char) <= high)
            if high > 0xA0:
                others.append(f'{chr(max(low, 0xA1))}-{chr(high)}')
        return _class(set(_PLAIN) - chars) if negated else _class(chars, ''.join(others))


def _class(chars: set[str], others: str = '') -> str:
    if not chars and not others:
        raise UnsupportedPattern('a class of no character that could be written as it is')
    return f'[{"".join(_in_class(char) for char in sorted(chars))}{others}]'


def written(text: str) -> str:
    """Return the expression of a text as it stands between the quotes of a JSON string."""
    return ''.join(f'\\{char}' if char in _SPECIAL else char for char in json.dumps(text, ensure_ascii=False)[1:-1])


_SPECIAL = frozenset(r'\.+*?()|[]{}^$/&~-#')


def _in_class(char: str) -> str:
    return f'\\{char}' if char in r'\]^[-&~/' else char
