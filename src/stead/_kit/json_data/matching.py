"""Text that matches a regular expression."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from ..linear_patterns import Steps, StepsUsedUp, UnsearchablePattern, parsed
from ..tried_patterns import searched

_PLAIN = 'a0A-_ .@b1'
"""Characters that are written where any will do."""
_LONGEST = 64
"""The most repeats of a repetition without an upper bound, beyond those that the length requires."""
_LONGEST_TEXT = 10_000
_MOST_STEPS = 100_000
"""What all attempts may cost together: about 30 ms."""
_CATEGORIES = {'DIGIT': '0', 'SPACE': ' ', 'WORD': 'a', 'NOT_DIGIT': 'a', 'NOT_SPACE': 'a', 'NOT_WORD': '-'}


def matching(pattern: str, low: int = 0, high: int | None = None, attempts: int = 100) -> Iterator[str]:
    """Yield texts that match a regular expression, plain ones first; none if they are hard to find.

    Args:
        pattern: The regular expression.
        low: The least length of texts.
        high: Their greatest length, if there is one.
        attempts: The number of attempts with random choices; the sequence is always the same.
    """
    try:
        tree = parsed(pattern)
    except UnsearchablePattern:
        return
    most = _LONGEST_TEXT if high is None else min(high, _LONGEST_TEXT)
    steps = Steps(_MOST_STEPS)
    writers = [_TextWriter(extra, None, most, steps) for extra in range(min(low, _LONGEST) + 2)]
    writers += [_TextWriter(max(low, 8), Random(attempt), most, steps) for attempt in range(attempts)]
    try:
        for writer in writers:
            try:
                text = writer.write(tree)
            except _TooLong:
                continue
            if low <= len(text) <= most and searched(pattern, text, steps):
                yield text
    except (StepsUsedUp, UnsearchablePattern):
        return


class _TooLong(Exception):
    """A text is longer than it may be."""


class _TextWriter:
    """Writer of a text that a parsed expression matches, from left to right."""

    def __init__(self, extra: int, chance: Random | None, most: int, steps: Steps) -> None:
        self.extra = extra  # repetitions beyond those that are needed
        self.chance = chance  # chooses alternatives; without it, the first is taken
        self.most = most  # characters
        self.steps = steps
        self.groups: dict[int, str] = {}

    def write(self, tokens: Any) -> str:
        self.steps.take(10)
        return self._joined(self._token(str(name), value) for name, value in tokens)

    def _joined(self, texts: Iterator[str]) -> str:
        text = ''
        for more in texts:
            text += more
            if len(text) > self.most:
                raise _TooLong
        return text

    def _token(self, name: str, value: Any) -> str:
        if name == 'LITERAL':
            return chr(value)
        if name in ('ANY', 'NOT_LITERAL', 'IN'):
            return self._pick(_choices(name, value))
        if name.endswith('_REPEAT'):
            return self._repeated(*value)
        if name == 'SUBPATTERN':
            text = self.write(value[-1])
            if value[0] is not None:
                self.groups[value[0]] = text
            return text
        if name == 'ATOMIC_GROUP':
            return self.write(value)
        if name == 'BRANCH':
            return self.write(self._pick(value[1]))
        if name == 'GROUPREF':
            return self.groups.get(value, '')
        if name == 'GROUPREF_EXISTS':
            group, there, missing = value
            return self.write(there if group in self.groups else missing or ())
        return ''  # assertions and anchors: whether they hold is checked with the whole text

    def _repeated(self, low: int, high: Any, inner: Any) -> str:
        most = min(int(high), int(low) + max(self.extra, 0))
        if int(low) > self.most:
            raise _TooLong
        count = most if self.chance is None else self.chance.randint(int(low), most)
        extra, self.extra = self.extra, 0 if self.chance is None else self.extra // 2
        text = self._joined(self.write(inner) for _ in range(count))
        self.extra = extra
        return text

    def _pick(self, choices: Any) -> Any:
        return choices[0] if self.chance is None else self.chance.choice(choices)


def _choices(name: str, value: Any) -> str:
    """Return some of the characters that a token stands for."""
    if name == 'ANY':
        return _PLAIN
    if name == 'NOT_LITERAL':
        return _PLAIN.replace(chr(value), '')
    if str(value[0][0]) == 'NEGATE':
        printable = _PLAIN + ''.join(map(chr, range(33, 127)))
        return ''.join(char for char in printable if not any(_stands_for(item, char) for item in value[1:])) or '\u2603'
    chars = ''
    for item, what in value:
        if str(item) == 'LITERAL':
            chars += chr(what)
        elif str(item) == 'RANGE':
            chars += ''.join(map(chr, range(what[0], min(what[1], what[0] + _LONGEST) + 1)))
        else:
            chars += _CATEGORIES.get(str(what).replace('CATEGORY_', ''), 'a')
    return chars


def _stands_for(item: Any, char: str) -> bool:
    name, value = str(item[0]), item[1]
    if name == 'LITERAL':
        return chr(value) == char
    if name == 'RANGE':
        return value[0] <= ord(char) <= value[1]
    kind = str(value).replace('CATEGORY_', '')
    positive = {'DIGIT': char.isdigit(), 'SPACE': char.isspace(), 'WORD': char.isalnum() or char == '_'}
    return not positive.get(kind[4:], False) if kind.startswith('NOT_') else positive.get(kind, False)
