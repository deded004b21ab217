"""Search for regular expressions of any kind, in steps that are counted.

Patterns with references to groups cannot be followed in all ways at once, so that one way is tried after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from .linear_patterns import (
    InvalidPattern,
    LinearPattern,
    Matches,
    Steps,
    UnsearchablePattern,
    anchor,
    matches_of,
    parsed,
)

_Way = tuple[int, dict[int, str]]
"""A place in the text, and the texts of groups."""
_COST = 10


def searched(pattern: str, text: str, steps: Steps) -> bool:
    """Return whether a pattern is found in a text.

    Args:
        pattern: The pattern.
        text: The text.
        steps: The steps that may be taken.

    Raises:
        StepsUsedUp: There were not enough of them.
        UnsearchablePattern: The pattern is invalid, or too large.
    """
    compiled = _compiled(pattern)
    if isinstance(compiled, LinearPattern):
        return compiled.search(text, steps)
    attempt = _Attempt(compiled.state.flags, text, steps)
    try:
        return any(True for place in range(len(text) + 1) for _ in attempt.sequence(compiled, 0, (place, {})))
    except RecursionError:
        raise UnsearchablePattern('it needs too many repeats') from None


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> Any:
    """Return a pattern whose ways are followed all at once, or the tree of one whose ways are tried one after the other."""
    try:
        return LinearPattern(pattern)
    except InvalidPattern:
        raise
    except UnsearchablePattern:
        return parsed(pattern)


class _Attempt:
    """The search of a pattern in a text, one way after the other."""

    def __init__(self, flags: int, text: str, steps: Steps) -> None:
        self.flags = flags
        self.text = text
        self.steps = steps
        self._matches: dict[int, Matches] = {}  # by the identity of the token

    def sequence(self, items: Sequence[Any], at: int, way: _Way) -> Iterator[_Way]:
        """Yield the ways on which items match, from one of them on."""
        self.steps.take(_COST)
        if at == len(items):
            yield way
            return
        for further in self._item(items[at], way):
            yield from self.sequence(items, at + 1, further)

    def _item(self, token: Any, way: _Way) -> Iterator[_Way]:
        name, value = str(token[0]), token[1]
        place, groups = way
        if name in ('LITERAL', 'NOT_LITERAL', 'ANY', 'IN'):
            if place < len(self.text) and self._stands_for(token, self.text[place]):
                yield place + 1, groups
        elif name == 'AT':
            if anchor(str(value), self.flags).match(self.text, place):
                yield way
        elif name == 'BRANCH':
            for branch in value[1]:
                yield from self.sequence(branch, 0, way)
        elif name in ('ASSERT', 'ASSERT_NOT'):
            yield from self._looks(name, value, way)
        elif name.endswith('REPEAT'):
            low, high, inner = value
            ways = self._repeated(inner, int(low), int(high), way)
            yield from self._first(ways) if name.startswith('POSSESSIVE') else ways
        else:
            yield from self._group(name, value, way)

    def _group(self, name: str, value: Any, way: _Way) -> Iterator[_Way]:
        place, groups = way
        if name == 'SUBPATTERN':
            number, added, removed, inner = value
            if added or removed:
                raise UnsearchablePattern('it has references to groups, and flags inside of it')
            for end, more in self.sequence(inner, 0, way):
                yield end, more if number is None else {**more, number: self.text[place:end]}
        elif name == 'GROUPREF':
            group = groups.get(value)
            if group is not None and self._same(group, self.text[place : place + len(group)]):
                yield place + len(group), groups
        elif name == 'GROUPREF_EXISTS':
            number, there, missing = value
            yield from self.sequence(list(there if number in groups else missing or ()), 0, way)
        elif name == 'ATOMIC_GROUP':
            yield from self._first(self.sequence(value, 0, way))
        else:
            raise UnsearchablePattern(f'it has a {name.lower()}')

    def _repeated(self, items: Sequence[Any], low: int, high: int, way: _Way) -> Iterator[_Way]:
        if high > 0:
            for further in self.sequence(items, 0, way):
                if low > 0 or further[0] > way[0]:  # optional repeats of nothing have no end
                    yield from self._repeated(items, max(low - 1, 0), high - 1, further)
        if low <= 0:
            yield way

    def _looks(self, name: str, value: Any, way: _Way) -> Iterator[_Way]:
        direction, inner = value
        start = way[0] if direction > 0 else way[0] - inner.getwidth()[0]
        ways = self.sequence(inner, 0, (start, way[1])) if start >= 0 else iter(())
        found = next((found for found in ways if direction > 0 or found[0] == way[0]), None)
        if (found is not None) is (name == 'ASSERT'):
            yield way if found is None else (way[0], found[1])

    @staticmethod
    def _first(ways: Iterator[_Way]) -> Iterator[_Way]:
        for way in ways:
            yield way
            return

    def _stands_for(self, token: Any, char: str) -> bool:
        known = self._matches.get(id(token))
        if known is None:
            known = self._matches[id(token)] = matches_of(str(token[0]), token[1], self.flags)
        return known(char)

    def _same(self, one: str, other: str) -> bool:
        return one == other or (bool(self.flags & re.IGNORECASE) and one.lower() == other.lower())
