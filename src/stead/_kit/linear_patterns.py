"""Search for regular expressions in steps that are counted: foreign patterns and texts can take only so much time.

Python's own engine tries one way after the other, which can take years for a pattern of ten characters. This one follows all
ways at once, so that a search takes at most as many steps as the pattern has states, for each character of the text. It tells
only whether a pattern is found.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

if sys.version_info >= (3, 11):
    import re._parser as _parser  # type: ignore[import-not-found]
else:
    import sre_parse as _parser

LONGEST = 1000
"""The most characters of a pattern."""
MOST_STATES = 3000
"""The most states of a pattern; counted repeats need one for each character that they repeat."""
_MOST_KEPT = 20_000  # states that a pattern keeps to be faster, in about half a megabyte
_DEEPEST = 60
_COST = 4  # steps that a visit of a state counts for; reading a character with what is kept is one
_FLAGS = re.IGNORECASE | re.DOTALL | re.MULTILINE | re.UNICODE | re.VERBOSE

_ANCHORS = {
    'AT_BEGINNING': '^',
    'AT_BEGINNING_STRING': r'\A',
    'AT_BOUNDARY': r'\b',
    'AT_END': '$',
    'AT_END_STRING': r'\Z',
    'AT_NON_BOUNDARY': r'\B',
}
_AT_ENDS = ('^', r'\A', '$', r'\Z')
Matches = Callable[[str], bool]
_CATEGORIES: dict[str, Matches] = {
    'CATEGORY_DIGIT': str.isdecimal,
    'CATEGORY_SPACE': str.isspace,
    'CATEGORY_WORD': lambda char: char.isalnum() or char == '_',
}


class UnsearchablePattern(ValueError):
    """A pattern that is invalid, too large, or has references to groups or other parts that need many tries."""


class StepsUsedUp(Exception):
    """A search took more steps than it may."""


class InvalidPattern(UnsearchablePattern):
    """A text that is not a pattern."""


class Steps:
    """The steps that searches may take together; a hundred thousand take less than 20 ms."""

    def __init__(self, most: int) -> None:
        self.left = most

    def take(self, count: int) -> None:
        """Count steps.

        Raises:
            StepsUsedUp: There are not so many left.
        """
        self.left -= count
        if self.left < 0:
            raise StepsUsedUp


class _SearchNode:
    """What a search knows at a place: the states it is in, and where each character leads that was seen already."""

    __slots__ = ('active', 'ends', 'following')

    def __init__(self, active: frozenset[int]) -> None:
        self.active = active
        self.ends = 0 in active  # the end is always the first state
        self.following: dict[str, _SearchNode] = {}


class LinearPattern:
    """A compiled pattern.

    Its states are numbers. Each is a list: `['char', matches, next]`, `['split', next, next]`, `['end']`,
    `['at', anchor, next]`, or `['look', pattern, width, wanted, next]` for lookarounds.
    """

    def __init__(self, pattern: Any, flags: int = 0, most_states: int = MOST_STATES) -> None:
        """Compile a pattern.

        Args:
            pattern: The pattern, as `re` has them, or its tree.
            flags: Flags of `re`.
            most_states: The most states that it may have.

        Raises:
            UnsearchablePattern: The pattern cannot be searched for in a bounded number of steps.
        """
        tree = pattern
        if isinstance(pattern, str):
            tree = parsed(pattern, flags)
            flags = tree.state.flags
        compiler = _StateCompiler(_allowed(flags), most_states)
        self.begin = compiler.sequence(tree, compiler.add(['end']), 0)
        self.states = compiler.states
        # Between the ends of a text, what follows a state depends on the character alone, and is kept.
        self._plain = all(
            kind != 'look' and (kind != 'at' or rest[0].pattern in _AT_ENDS) for kind, *rest in self.states
        )
        self._nodes: dict[frozenset[int], _SearchNode] = {}
        self._room = _MOST_KEPT

    def search(self, text: str, steps: Steps) -> bool:
        """Return whether the pattern is found in a text.

        Args:
            text: The text.
            steps: The steps that may be taken.

        Raises:
            StepsUsedUp: There were not enough of them.
        """
        if not self._plain:
            return self._runs(text, 0, None, steps, anywhere=True)
        steps.take(len(text))
        node = self._node(self._closure({self.begin}, text, 0, steps))
        last = len(text) - 1  # there may be a line break there, which `$` allows
        for place, char in enumerate(text, 1):
            if node.ends:
                return True
            following = node.following.get(char) if place < last else None
            if following is None:
                reached = self._reached(node.active, char, steps) | {self.begin}
                following = self._node(self._closure(reached, text, place, steps))
                if place < last and self._room > 0:
                    self._room -= 1
                    node.following[char] = following
            node = following
        return node.ends

    def _node(self, active: frozenset[int]) -> _SearchNode:
        node = self._nodes.get(active)
        if node is None:
            node = _SearchNode(active)
            if self._room > 0:
                self._room -= len(active) + 1
                self._nodes[active] = node
        return node

    def _runs(self, text: str, place: int, end: int | None, steps: Steps, *, anywhere: bool = False) -> bool:
        """Return whether the pattern matches from a place on, up to `end` if it is given."""
        active = self._closure({self.begin}, text, place, steps)
        while True:
            if 0 in active and (end is None or place == end):
                return True
            if place in (len(text), end) or not (active or anywhere):
                return False
            reached = self._reached(active, text[place], steps)
            place += 1
            active = self._closure(reached | {self.begin} if anywhere else reached, text, place, steps)

    def _reached(self, active: frozenset[int], char: str, steps: Steps) -> set[int]:
        """Return the states after those that stand for a character."""
        steps.take(_COST * len(active) + _COST)
        states = self.states
        return {state[2] for number in active if (state := states[number])[0] == 'char' and state[1](char)}

    def _closure(self, numbers: set[int], text: str, place: int, steps: Steps) -> frozenset[int]:
        """Return the states that are reached without reading a character."""
        seen, waiting, found = set(numbers), list(numbers), set[int]()
        while waiting:
            number = waiting.pop()
            state = self.states[number]
            if state[0] in ('char', 'end'):
                found.add(number)
                continue
            if state[0] == 'split':
                targets = state[1:]
            elif state[0] == 'at':
                targets = state[2:] if state[1].match(text, place) else []
            else:
                targets = state[4:] if self._looks(state, text, place, steps) else []
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        steps.take(_COST * len(seen))
        return frozenset(found)

    @staticmethod
    def _looks(state: list[Any], text: str, place: int, steps: Steps) -> bool:
        _, pattern, width, wanted, _ = state
        if width is None:
            return pattern._runs(text, place, None, steps) is wanted
        return (place >= width and pattern._runs(text, place - width, place, steps)) is wanted


def parsed(pattern: str, flags: int = 0) -> Any:
    """Return the tree of a pattern, as Python's parser has it.

    Raises:
        UnsearchablePattern: It is too long, or not a pattern.
    """
    if len(pattern) > LONGEST:
        raise UnsearchablePattern(f'it has more than {LONGEST} characters')
    try:
        return _parser.parse(pattern, flags)  # type: ignore[reportUnknownMemberType]
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise InvalidPattern(f'it is not a regular expression: {error}') from None


def _allowed(flags: int) -> int:
    """Return flags.

    Raises:
        UnsearchablePattern: There are others than searches know.
    """
    if flags & ~int(_FLAGS):
        raise UnsearchablePattern('it has flags other than i, m, s and x')
    return flags


class _StateCompiler:
    """Compiler of the tree of a pattern, from its end to its beginning."""

    def __init__(self, flags: int, most_states: int) -> None:
        self.flags = flags
        self.most_states = most_states
        self.states: list[list[Any]] = []

    def add(self, state: list[Any]) -> int:
        if len(self.states) >= self.most_states:
            raise UnsearchablePattern(f'it has more than {self.most_states} states')
        self.states.append(state)
        return len(self.states) - 1

    def sequence(self, items: Sequence[Any], following: int, depth: int) -> int:
        """Return the first state of items in order.

        Args:
            items: The items.
            following: The state after them.
            depth: The number of groups and repeats around them.
        """
        if depth > _DEEPEST:
            raise UnsearchablePattern(f'it is nested more than {_DEEPEST} deep')
        for name, value in reversed(items):
            following = self._item(str(name), value, following, depth + 1)
        return following

    def _item(self, name: str, value: Any, following: int, depth: int) -> int:
        if name in ('LITERAL', 'NOT_LITERAL', 'ANY', 'IN'):
            return self.add(['char', matches_of(name, value, self.flags), following])
        if name in ('MAX_REPEAT', 'MIN_REPEAT'):
            return self._repeat(int(value[0]), value[1], value[2], following, depth)
        if name == 'BRANCH':
            ways = [self.sequence(way, following, depth) for way in value[1]]
            return self.add(['split', *ways])
        if name == 'SUBPATTERN':
            _, added, removed, inner = value
            outer, self.flags = self.flags, _allowed((self.flags | added) & ~removed)
            following = self.sequence(inner, following, depth)
            self.flags = outer
            return following
        if name == 'AT':
            return self.add(['at', anchor(str(value), self.flags), following])
        if name in ('ASSERT', 'ASSERT_NOT'):
            direction, inner = value
            width: int | None = None
            if direction < 0:
                width, widest = inner.getwidth()
                if width != widest:
                    raise UnsearchablePattern('it looks behind for texts of several lengths')
            pattern = LinearPattern(inner, self.flags, self.most_states)
            self.most_states -= len(pattern.states)
            return self.add(['look', pattern, width, name == 'ASSERT', following])
        raise UnsearchablePattern(f'it has a {name.lower().replace("_", " ")}')

    def _repeat(self, low: int, high: Any, items: Sequence[Any], following: int, depth: int) -> int:
        if not items:
            return following
        if str(high) == 'MAXREPEAT':
            loop = self.add(['split', following])
            self.states[loop].append(self.sequence(items, loop, depth))
            following = loop
        else:
            end = following
            for _ in range(int(high) - low):
                following = self.add(['split', end, self.sequence(items, following, depth)])
        for _ in range(low):
            size = len(self.states)
            following = self.sequence(items, following, depth)
            if len(self.states) == size:
                break  # a sequence without states is the same however often it is repeated
        return following


def matches_of(name: str, value: Any, flags: int) -> Matches:
    """Return a function that says whether a token of a parsed pattern stands for a character."""
    if name == 'ANY':
        return (lambda char: True) if flags & re.DOTALL else (lambda char: char != '\n')
    if name == 'IN':
        negated = str(value[0][0]) == 'NEGATE'
        tests = [_single(str(kind), item) for kind, item in value[negated:]]
        among: Matches = lambda char: any(test(char) for test in tests)  # noqa: E731
    else:
        negated = name == 'NOT_LITERAL'
        among = chr(value).__eq__
    if flags & re.IGNORECASE:
        exact = among
        among = lambda char: any(map(exact, {char, char.lower(), char.upper()}))  # noqa: E731
    return (lambda char: not among(char)) if negated else among


def _single(kind: str, value: Any) -> Matches:
    if kind == 'LITERAL':
        return chr(value).__eq__
    if kind == 'RANGE':
        low, high = value
        return lambda char: len(char) == 1 and low <= ord(char) <= high
    name = str(value)
    if name in _CATEGORIES:
        return _CATEGORIES[name]
    test = _CATEGORIES[name.replace('_NOT_', '_')]
    return lambda char: not test(char)


@lru_cache(maxsize=32)
def anchor(kind: str, flags: int) -> re.Pattern[str]:
    """Return a pattern of an anchor alone: Python's own engine tells in one step whether it holds at a place."""
    return re.compile(('(?m)' if flags & re.MULTILINE else '') + _ANCHORS[kind])
