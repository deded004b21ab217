"""What a model writes, read as it comes: calls of tools, or an answer. No I/O."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple

TOOL, ARGUMENTS, ANSWER = '{"tool": ', ', "arguments": ', '{"answer": '


class Piece(NamedTuple):
    """A piece of a response."""

    kind: Literal['text', 'call', 'arguments']
    """Whether it is text of the answer, the name of a tool with which a call begins, or arguments of that call."""
    text: str


class Misread(ValueError):
    """Say that what came is not what the grammar allows."""


class Reader:
    """Reads a response of the form that `union.py` describes."""

    def __init__(self, *, text: bool) -> None:
        """Prepare to read.

        Args:
            text: Whether the answer is text; else it is JSON.
        """
        self.text = text
        self.done = False
        self._rest = ''
        self._state = self._start
        self._many = False
        self._scan = _Scan()

    def feed(self, text: str) -> list[Piece]:
        """Take a piece of the response, and return what it says.

        Raises:
            Misread: It does not go on as it should.
        """
        self._rest += text
        pieces: list[Piece] = []
        while self._rest and self._state(pieces):
            pass
        return pieces

    def _take(self, expected: str) -> bool:
        """Take a text that has to come now; return whether it is there."""
        if self._rest.startswith(expected):
            self._rest = self._rest[len(expected) :]
            return True
        if expected.startswith(self._rest):
            return False
        raise Misread(f'{self._rest[:80]!r} where {expected!r} was expected')

    def _start(self, pieces: list[Piece]) -> bool:
        self._rest = self._rest.lstrip(' ')
        if self._rest.startswith('['):
            self._many, self._rest, self._state = True, self._rest[1:], self._item
            return True
        if ANSWER.startswith(self._rest[: len(ANSWER)]):
            if self._take(ANSWER):
                self._scan, self._state = _Scan(), self._text if self.text else self._value
                return True
            return False
        return self._item(pieces)

    def _item(self, pieces: list[Piece]) -> bool:
        if self._take(TOOL):
            self._state = self._name
            return True
        return False

    def _name(self, pieces: list[Piece]) -> bool:
        try:
            name, end = json.JSONDecoder().raw_decode(self._rest)
        except ValueError:
            return False
        pieces.append(Piece('call', name))
        self._rest, self._state = self._rest[end:], self._between
        return True

    def _between(self, pieces: list[Piece]) -> bool:
        if self._take(ARGUMENTS):
            self._scan, self._state = _Scan(), self._arguments
            return True
        return False

    def _arguments(self, pieces: list[Piece]) -> bool:
        return self._raw(pieces, 'arguments')

    def _value(self, pieces: list[Piece]) -> bool:
        return self._raw(pieces, 'text')

    def _raw(self, pieces: list[Piece], kind: Literal['text', 'arguments']) -> bool:
        end = self._scan.end(self._rest)
        taken = self._rest if end is None else self._rest[:end]
        if taken:
            pieces.append(Piece(kind, taken))
        self._rest = self._rest[len(taken) :]
        if end is None:
            return False
        self._state = self._close
        return True

    def _text(self, pieces: list[Piece]) -> bool:
        """Read a string, and return its text without the escapes."""
        if not self._scan.inside:
            if not self._take('"'):
                return False
            self._scan.inside = True
        cut = _whole(self._rest)
        end = cut if cut < len(self._rest) and self._rest[cut] == '"' else None
        if cut:
            pieces.append(Piece('text', json.loads(f'"{self._rest[:cut]}"', strict=False)))
        self._rest = self._rest[cut:]
        if end is None:
            return False
        self._rest, self._state = self._rest[1:], self._close
        return True

    def _close(self, pieces: list[Piece]) -> bool:
        if self._take('}'):
            self._state = self._more if self._many else self._end
            self.done = not self._many
            return True
        return False

    def _more(self, pieces: list[Piece]) -> bool:
        if self._rest.startswith(']'):
            self._rest, self._state, self.done = self._rest[1:], self._end, True
            return True
        if self._take(', '):
            self._state = self._item
            return True
        return False

    def _end(self, pieces: list[Piece]) -> bool:
        if self._rest.strip():
            raise Misread(f'{self._rest[:80]!r} after the end')
        self._rest = ''
        return False


class _Scan:
    """Finds where a JSON value ends, however it is cut into pieces."""

    def __init__(self) -> None:
        self.inside = False
        self._depth = 0
        self._escaped = False

    def end(self, text: str) -> int | None:
        """Return where in a piece the value ends; `None` if it goes on."""
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
