"""`HistoryJson`: the JSON of histories for spans, made once for each message and joined for each request.

A history is shown again in the span of each request of a run, and only its end is new. Messages and their parts may be changed
in place at any time, so each request looks whether they still hold what they held when their JSON was made. It looks at up to
64 messages in one go, with a list of all that they hold, because a call for each message would cost more than all the rest of a
span: what a list holds is compared by identity, or, if equal objects are written alike, by value.

Nothing is kept for a message that holds an object whose inside cannot be seen, such as a model that a tool returned.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, compress
from operator import attrgetter, getitem, is_, itemgetter
from typing import Any

from ..messages import ModelMessage, ModelResponse, TextPart

_ROOM = TextPart.__module__.rpartition('.')[0]
_WRITTEN_ALIKE = frozenset({str, type(None), bytes})
"""Types whose equal objects have the same JSON; `True == 1 == 1.0`, but these have not."""
_NUMBERS = frozenset({bool, int, float})
_PLAIN = _WRITTEN_ALIKE | _NUMBERS
_WIDEST = 256
"""How many items a container may have; to compare larger ones takes longer than to write them again."""
_WIDTH = 8
"""How many stretches are joined into one of the next size."""
_SIZES = 3
"""How many sizes of stretches there are: 1, 8 and 64 messages."""
LIMIT = 64 * 1024 * 1024
"""How many characters of JSON are kept. Beyond that, what has been kept longest is given up."""

_parts_of = attrgetter('parts')
_finish_reason_of = attrgetter('finish_reason')


class _Unseen(Exception):
    """An object cannot be compared with what it was before."""


class _Inside:
    """What is inside of messages, and may change."""

    __slots__ = ('containers', 'copies', 'dicts', 'keys', 'owners')

    def __init__(self) -> None:
        self.dicts: list[dict[Any, Any]] = []
        """The fields of parts, and dicts in them."""
        self.copies: list[dict[Any, Any]] = []
        self.owners: list[dict[Any, Any]] = []
        """Those of the dicts, with the keys in `keys`, whose values must stay identical, and not just equal."""
        self.keys: list[Any] = []
        self.containers: list[Iterable[Any]] = []
        """Dicts, lists and tuples in fields."""

    def add(self, other: _Inside) -> None:
        """Add what is inside of further messages."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(other, name))

    def collect_fields(self, item: Any) -> None:
        """Add the fields of an object.

        Raises:
            _Unseen: The inside of one of them cannot be seen.
        """
        self._collect_values(item.__dict__)

    def _collect_values(self, values: dict[Any, Any]) -> None:
        self.dicts.append(values)
        self.copies.append(values.copy())
        for key, value in values.items():
            kind: Any = type(value)
            if kind not in _WRITTEN_ALIKE:
                self.owners.append(values)
                self.keys.append(key)
                if kind not in _NUMBERS:
                    self._collect(value)

    def _collect(self, value: Any) -> None:
        kind: Any = type(value)
        if kind is dict or kind is list or kind is tuple:
            if len(value) > _WIDEST:
                raise _Unseen
            self.containers.append(value)
            for item in value:
                if type(item) not in _PLAIN:
                    self._collect(item)
            if kind is dict:
                self._collect_values(value)
        elif kind.__module__.startswith(_ROOM):
            self._collect_values(value.__dict__)
        elif kind.__module__ != 'datetime':
            raise _Unseen


class _Stretch:
    """Consecutive messages, what they hold, and their JSON."""

    __slots__ = ('count', 'first', 'held', 'inside', 'json', 'key', 'objects', 'pick', 'responses')

    first: weakref.ref[Any]
    """The first message, with which the stretch is forgotten."""
    held: list[Any]
    """What `_look` returned when the JSON was made."""
    pick: Callable[[list[Any]], tuple[Any, ...]]
    """Picks those objects of `held` that must stay identical, and not just equal."""
    objects: tuple[Any, ...]

    def __init__(self, messages: Sequence[ModelMessage], key: object, json: list[str], inside: _Inside) -> None:
        self.count, self.key, self.json, self.inside = len(messages), key, json, inside
        self.responses = [isinstance(message, ModelResponse) for message in messages]
        self.held = held = self._look(messages)
        end = len(held) - self.count - len(inside.containers)  # behind it are numbers of items
        exact = [place for place in range(self.count, end) if type(held[place]) not in _WRITTEN_ALIKE]
        self.pick = itemgetter(0, 0, *exact)  # two at least, since it returns a tuple only then
        self.objects = self.pick(held)

    def _look(self, messages: Sequence[ModelMessage]) -> list[Any]:
        inside = self.inside
        parts: list[Sequence[object]] = [*map(_parts_of, messages)]
        return [
            *map(type, messages),
            *map(_finish_reason_of, compress(messages, self.responses)),
            *chain.from_iterable(parts),
            *map(getitem, inside.owners, inside.keys),
            *chain.from_iterable(inside.containers),
            *map(len, inside.containers),
            *map(len, parts),
        ]

    def is_of(self, messages: Sequence[ModelMessage]) -> bool:
        """Return whether these are the messages of the stretch, with all that they held."""
        try:
            held = self._look(messages)
            same = all(map(is_, self.pick(held), self.objects)) and held == self.held
            return same and self.inside.dicts == self.inside.copies
        except Exception:  # fields are missing, or there are objects that cannot be compared with text
            return False


class HistoryJson:
    """The JSON of messages, kept for as long as the messages exist; used by several threads at once."""

    def __init__(self, limit: int = LIMIT) -> None:
        """Keep nothing yet.

        Args:
            limit: The number of characters of JSON to keep.
        """
        self._limit = limit
        self._tables: list[dict[int, _Stretch]] = [{} for _ in range(_SIZES)]
        """The stretches of each size, by the `id` of their first message."""
        self._added = 0
        """The characters that were added since the sizes were last counted."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._tables[0])

    @property
    def size(self) -> int:
        """The number of characters of JSON that are kept."""
        return sum(_size(stretch) for stretch in list(self._tables[0].values()))

    def of(
        self, messages: Sequence[ModelMessage], key: object, write: Callable[[ModelMessage], Iterable[str]]
    ) -> list[str]:
        """Return the JSON of messages, in pieces to be joined.

        Args:
            messages: The messages.
            key: What else the JSON depends on.
            write: Returns the JSON of one message, in any number of pieces.
        """
        pieces: list[str] = []
        row: list[tuple[int, _Stretch]] = []
        """The last stretches, of one size, with the places of their first messages."""
        place, end = 0, len(messages)
        while place < end:
            stretch = self._find(messages, place, key) or self._add(messages[place], key, write, pieces)
            if stretch is None:
                row.clear()
                place += 1
                continue
            pieces += stretch.json
            if row and row[-1][1].count != stretch.count:
                row.clear()
            row.append((place, stretch))
            place += stretch.count
            if len(row) == _WIDTH:
                self._join(messages[row[0][0] : place], [joined for _, joined in row])
                row.clear()
        return pieces

    def _find(self, messages: Sequence[ModelMessage], place: int, key: object) -> _Stretch | None:
        first = id(messages[place])
        for table in reversed(self._tables):
            stretch = table.get(first)
            if stretch is not None and stretch.key == key and stretch.is_of(messages[place : place + stretch.count]):
                return stretch
        return None

    def _add(
        self,
        message: ModelMessage,
        key: object,
        write: Callable[[ModelMessage], Iterable[str]],
        pieces: list[str],
    ) -> _Stretch | None:
        """Write a message, and keep its JSON unless it holds something that cannot be compared."""
        inside = _Inside()
        json = [*write(message)]
        try:
            for part in message.parts:
                inside.collect_fields(part)
        except (_Unseen, RecursionError):
            pieces += json
            return None
        stretch = _Stretch([message], key, json, inside)
        self._put(0, message, stretch)
        self._added += _size(stretch)
        if self._added > self._limit // 8:
            self._make_room()
        return stretch

    def _join(self, messages: Sequence[ModelMessage], row: list[_Stretch]) -> None:
        """Join stretches that were just seen into one of the next size."""
        size = next(size for size in range(_SIZES) if _WIDTH**size == row[0].count) + 1
        if size == _SIZES:
            return
        json = [piece for stretch in row for piece in stretch.json]
        inside = _Inside()
        for stretch in row:
            inside.add(stretch.inside)
        self._put(size, messages[0], _Stretch(messages, row[0].key, json, inside))

    def _put(self, size: int, message: ModelMessage, stretch: _Stretch) -> None:
        table, place = self._tables[size], id(message)

        def forget(reference: object) -> None:
            stretch = table.get(place)
            if stretch is not None and stretch.first is reference:
                del table[place]

        stretch.first = weakref.ref(message, forget)
        table[place] = stretch

    def _make_room(self) -> None:
        with self._lock:
            self._added = 0
            left = self._limit - self.size
            table, *longer = self._tables
            for place, stretch in list(table.items()):
                if left >= 0:
                    break
                if table.pop(place, None) is not None:
                    left += _size(stretch)
            for table in longer:  # they hold JSON of those
                table.clear()

    def __reduce__(self) -> tuple[Callable[..., HistoryJson], tuple[int]]:
        return HistoryJson, (self._limit,)  # a copy begins with nothing


def _size(stretch: _Stretch) -> int:
    return sum(map(len, stretch.json))
