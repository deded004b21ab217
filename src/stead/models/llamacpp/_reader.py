"""Parser of what a model writes, piece by piece: calls of tools, or an answer. No I/O."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple

TOOL, ARGUMENTS, ANSWER = '{"tool": ', ', "arguments": ', '{"answer": '


class Fragment(NamedTuple):
    """A piece of a response, with its kind."""

    kind: Literal['text', 'call', 'arguments']
    """Whether it is text of the answer, the name of a tool with which a call begins, or arguments of that call."""
    text: str


class GrammarViolation(ValueError):
    """Text that the grammar does not allow."""


class Reader:
    """Reader of a response in the format that `_response_format.py` describes."""

    def __init__(self, *, text: bool) -> None:
        """Start at the beginning of a response.

        Args:
            text: Whether the answer is text rather than JSON.
        """
        self.text = text
        self.done = False
        self._rest = ''
        self._state = self._start
        self._many = False
        self._scan = _ValueScanner()

    def feed(self, text: str) -> list[Fragment]:
        """Take a piece of the response, and return its fragments.

        Raises:
            GrammarViolation: The grammar does not allow it here.
        """
        self._rest += text
        fragments: list[Fragment] = []
        while self._rest and self._state(fragments):
            pass
        return fragments

    def _accept(self, expected: str) -> bool:
        """Consume a text that must come next; return whether all of it is there yet."""
        if self._rest.startswith(expected):
            self._rest = self._rest[len(expected) :]
            return True
        if expected.startswith(self._rest):
            return False
        raise GrammarViolation(f'{self._rest[:80]!r} where {expected!r} was expected')

    def _start(self, fragments: list[Fragment]) -> bool:
        self._rest = self._rest.lstrip(' ')
        if self._rest.startswith('['):
            self._many, self._rest, self._state = True, self._rest[1:], self._item
            return True
        if ANSWER.startswith(self._rest[: len(ANSWER)]):
            if self._accept(ANSWER):
                self._scan, self._state = _ValueScanner(), self._text if self.text else self._value
                return True
            return False
        return self._item(fragments)

    def _item(self, fragments: list[Fragment]) -> bool:
        if self._accept(TOOL):
            self._state = self._name
            return True
        return False

    def _name(self, fragments: list[Fragment]) -> bool:
        try:
            name, end = json.JSONDecoder().raw_decode(self._rest)
        except ValueError:
            return False
        fragments.append(Fragment('call', name))
        self._rest, self._state = self._rest[end:], self._between
        return True

    def _between(self, fragments: list[Fragment]) -> bool:
        if self._accept(ARGUMENTS):
            self._scan, self._state = _ValueScanner(), self._arguments
            return True
        return False

    def _arguments(self, fragments: list[Fragment]) -> bool:
        return self._raw(fragments, 'arguments')

    def _value(self, fragments: list[Fragment]) -> bool:
        return self._raw(fragments, 'text')

    def _raw(self, fragments: list[Fragment], kind: Literal['text', 'arguments']) -> bool:
        end = self._scan.end(self._rest)
        raw = self._rest if end is None else self._rest[:end]
        if raw:
            fragments.append(Fragment(kind, raw))
        self._rest = self._rest[len(raw) :]
        if end is None:
            return False
        self._state = self._close
        return True

    def _text(self, fragments: list[Fragment]) -> bool:
        """Read a string, and return its text without the escapes."""
        if not self._scan.inside:
            if not self._accept('"'):
                return False
            self._scan.inside = True
        cut = _whole(self._rest)
        end = cut if cut < len(self._rest) and self._rest[cut] == '"' else None
        if cut:
            fragments.append(Fragment('text', json.loads(f'"{self._rest[:cut]}"', strict=False)))
        self._rest = self._rest[cut:]
        if end is None:
            return False
        self._rest, self._state = self._rest[1:], self._close
        return True

    def _close(self, fragments: list[Fragment]) -> bool:
        if self._accept('}'):
            self._state = self._more if self._many else self._end
            self.done = not self._many
            return True
        return False

    def _more(self, fragments: list[Fragment]) -> bool:
        if self._rest.startswith(']'):
            self._rest, self._state, self.done = self._rest[1:], self._end, True
            return True
        if self._accept(', '):
            self._state = self._item
            return True
        return False

    def _end(self, fragments: list[Fragment]) -> bool:
        if self._rest.strip():
            raise GrammarViolation(f'{self._rest[:80]!r} after the end')
        self._rest = ''
        return False


class _ValueScanner:
    """Finds where a JSON value ends, however it is cut into fragments."""

    def __init__(self) -> None:
        self.inside = False
        self._depth = 0
        self._escaped = False

    def end(self, text: str) -> int | None:
        """Return where in a piece the value ends; `None` if it continues."""
        for place, char in enumerate(text):
            if self.inside:
                if self._string_goes_on(char):
                    continue
            elif char in '}], ' and not self._depth:  # what comes after a number, `true` or `null`
                return place
            else:
                self.inside = char == '"'
                self._depth += (char in '{[') - (char in '}]')
                if char not in '}]' or self._depth:
                    continue
            if not self._depth:
                return place + 1
        return None

    def _string_goes_on(self, char: str) -> bool:
        if self._escaped:
            self._escaped = False
        elif char == '\\':
            self._escaped = True
        else:
            self.inside = char != '"'
        return self.inside


def _whole(text: str) -> int:
    """Return how much of a piece of a string is complete: up to its end, or to an escape that is cut."""
    place = 0
    while place < len(text):
        char = text[place]
        if char == '"':
            return place
        if char != '\\':
            place += 1
            continue
        size = 6 if text[place + 1 : place + 2] == 'u' else 2
        if place + size > len(text):
            return place
        place += size
    return place
