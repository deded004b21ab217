"""Server-sent events, read from the bytes of a response as the HTML standard has them. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_MARK = b'\xef\xbb\xbf'
"""The byte order mark that a response may begin with."""


class ServerEvent(NamedTuple):
    """An event."""

    name: str
    """Its name; empty if the server gave none."""
    data: bytes
    """Its data; several lines of it are joined."""


class EventReader:
    """Reads events from the pieces of a response as they come in."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        """The beginning of an event whose end has not come yet."""
        self._started = False

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """Take the next piece, and yield the events that are complete with it."""
        if not piece:
            return
        if self._rest:
            line_is_open = b'\n' not in piece and b'\r' not in piece and not self._rest[-1].endswith(b'\r')
            self._rest.append(piece)
            if line_is_open and self._started:
                return  # a long event comes in many pieces, which are joined once
            piece = b''.join(self._rest)
        if not self._started:
            if len(piece) < 3 and _MARK.startswith(piece):
                self._rest = [piece]
                return
            self._started = True
            piece = piece.removeprefix(_MARK)
        if b'\r' in piece:
            half = piece.endswith(b'\r')  # a line feed that belongs to it may follow
            piece = piece[: len(piece) - half].replace(b'\r\n', b'\n').replace(b'\r', b'\n') + b'\r' * half
        *blocks, rest = piece.split(b'\n\n')
        self._rest = [rest] if rest else []
        for block in blocks:
            if block.startswith(b'data: ') and b'\n' not in block:
                yield ServerEvent('', block[6:])
            elif (event := _event(block)) is not None:
                yield event

    def finish(self) -> Iterator[ServerEvent]:
        """Yield the event that the end of the response completes, if there is one."""
        if self._rest and self._rest[-1].endswith(b'\r'):
            yield from self.feed(b'\n')


def _event(block: bytes) -> ServerEvent | None:
    """Return the event in a block of lines; `None` if the block has no data."""
    name = b''
    data: list[bytes] = []
    for line in block.split(b'\n'):
        field, _, value = line.partition(b':')
        value = value.removeprefix(b' ')
        if field == b'data':
            data.append(value)
        elif field == b'event':
            name = value
    return ServerEvent(name.decode(errors='replace'), b'\n'.join(data)) if data else None
