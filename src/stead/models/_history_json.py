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
from operator import attrgetter, getitem, is_
from typing import Any, NamedTuple

from ..messages import ModelMessage, ModelResponse, TextPart

_ROOM = TextPart.__module__.rpartition('.')[0]
_WRITTEN_ALIKE = frozenset({str, type(None), bytes})
"""Types whose equal objects have the same JSON; `True == 1 == 1.0`, but these have not."""
_PLAIN = _WRITTEN_ALIKE | {bool, int, float}
_UNSHOWN = 'timestamp'
"""The field of parts that is not in their JSON."""
_WIDEST = 256
"""How many items a container may have; to compare larger ones takes longer than to write them again."""
_WIDTH = 8
"""How many stretches are joined into one of the next size."""
_LONGEST = 64
"""How many messages the longest stretches have; shorter ones have 1 and 8."""
LIMIT = 64 * 1024 * 1024
"""How many characters of JSON are kept. Beyond that, what has been kept longest is given up."""

_parts_of = attrgetter('parts')
_finish_reason_of = attrgetter('finish_reason')


class _Unlike(Exception):
    """An object cannot be compared with what it was before."""


class _Inside:
    """What is inside of the parts of messages, and may change.

    Values are compared with those of a copy, in one go. Those that are equal to others with a different JSON, or that may change
    inside, must stay identical besides.
    """

    __slots__ = ('dict_copies', 'dicts', 'keyed', 'list_copies', 'lists', 'odd_keyed', 'owners', 'places')

    def __init__(self) -> None:
        self.dicts: list[dict[Any, Any]] = []
        """The fields of parts and of other objects, and dicts in them."""
        self.dict_copies: list[dict[Any, Any]] = []
        self.lists: list[Sequence[Any]] = []
        self.list_copies: list[Sequence[Any]] = []
        self.owners: list[Any] = []
        """Those of the dicts and lists whose values at `places` must stay identical."""
        self.places: list[Any] = []
        self.keyed: list[dict[Any, Any]] = []
        """The dicts without the fields: equal ones may have another order."""
        self.odd_keyed: list[dict[Any, Any]] = []
        """Those of them with keys that are not text."""

    def add(self, other: _Inside) -> None:
        """Add what is inside of further messages."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(other, name))

    def collect_fields(self, item: Any) -> None:
        """Add the fields of a part, or of an object in it.

        Raises:
            _Unlike: The inside of one of them cannot be seen.
        """
        fields: dict[str, Any] = item.__dict__
        self.dicts.append(fields)
        self.dict_copies.append(fields.copy())
        for name, value in fields.items():
            if type(value) not in _WRITTEN_ALIKE and name != _UNSHOWN:
                self._collect(fields, name, value)

    def _collect(self, owner: Any, place: Any, value: Any) -> None:
        self.owners.append(owner)
        self.places.append(place)
        kind: Any = type(value)  # type: ignore[reportUnknownVariableType]
        if kind in _PLAIN:
            return
        if kind is dict:
            self._collect_dict(value)
        elif kind is list or kind is tuple:
            if len(value) > _WIDEST:
                raise _Unlike
            self.lists.append(value)
            self.list_copies.append(value[:])
            for index, item in enumerate(value):
                if type(item) not in _WRITTEN_ALIKE:
                    self._collect(value, index, item)
        elif kind.__module__.startswith(_ROOM):
            self.collect_fields(value)
        elif kind.__module__ != 'datetime':
            raise _Unlike

    def _collect_dict(self, values: dict[Any, Any]) -> None:
        if len(values) > _WIDEST:
            raise _Unlike
        self.dicts.append(values)
        self.dict_copies.append(values.copy())
        self.keyed.append(values)
        if any(type(key) is not str for key in values):
            if not _PLAIN.issuperset(map(type, values)):
                raise _Unlike
            self.odd_keyed.append(values)
        for key, value in values.items():
            if type(value) not in _WRITTEN_ALIKE:
                self._collect(values, key, value)


class _Stretch:
    """Consecutive messages, what they hold, and their JSON."""

    __slots__ = ('count', 'exact', 'inside', 'json', 'key', 'responses', 'shape')

    def __init__(self, messages: Sequence[ModelMessage], key: object, json: list[str], inside: _Inside) -> None:
        self.count, self.key, self.json, self.inside = len(messages), key, json, inside
        self.responses = [isinstance(message, ModelResponse) for message in messages]
        self.exact, self.shape = self._look(messages)

    def _look(self, messages: Sequence[ModelMessage]) -> tuple[list[object], list[object]]:
        """Return the objects that must stay identical, and what else must stay equal besides what is inside of the parts."""
        inside = self.inside
        parts: list[Sequence[object]] = [*map(_parts_of, messages)]
        exact: list[object] = [*chain.from_iterable(parts), *map(getitem, inside.owners, inside.places)]
        shape: list[object] = [
            *map(type, messages),
            *map(len, parts),
            *map(_finish_reason_of, compress(messages, self.responses)),
            *chain.from_iterable(inside.keyed),
        ]
        if inside.odd_keyed:
            exact += chain.from_iterable(inside.odd_keyed)
        return exact, shape

    def is_of(self, messages: Sequence[ModelMessage]) -> bool:
        """Return whether these are the messages of the stretch, with all that they held."""
        inside = self.inside
        try:
            exact, shape = self._look(messages)
            return (
                len(exact) == len(self.exact)
                and all(map(is_, exact, self.exact))
                and shape == self.shape
                and inside.dicts == inside.dict_copies
                and inside.lists == inside.list_copies
            )
        except Exception:  # fields are missing, or there are objects that cannot be compared with text
            return False


class _Kept(NamedTuple):
    message: weakref.ref[Any]
    stretches: list[_Stretch]
    """The stretches that begin with the message, one of each size, the longest first."""


class HistoryJson:
    """The JSON of messages, kept for as long as the messages exist; used by several threads at once."""

    def __init__(self, limit: int = LIMIT) -> None:
        """Keep nothing yet.

        Args:
            limit: The number of characters of JSON to keep.
        """
        self._limit = limit
        self._kept: dict[int, _Kept] = {}
        self._added = 0
        """The characters that were added since the sizes were last counted."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """The number of characters of JSON that are kept."""
        return sum(map(_size, list(self._kept.values())))

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
        row: list[_Stretch] = []
        """The last stretches, all of one size."""
        place, end = 0, len(messages)
        while place < end:
            message = messages[place]
            kept = self._kept.get(id(message))
            for stretch in kept.stretches if kept is not None else ():
                if stretch.key == key and stretch.is_of(messages[place : place + stretch.count]):
                    break
            else:
                json = [*write(message)]
                stretch = self._add(message, key, json)
                if stretch is None:
                    pieces += json
                    place += 1
                    row = []
                    continue
            pieces += stretch.json
            place += stretch.count
            if row and row[0].count != stretch.count:
                row = []
            row.append(stretch)
            if len(row) == _WIDTH:
                if stretch.count < _LONGEST:
                    self._join(messages[place - _WIDTH * stretch.count : place], row)
                row = []
        return pieces

    def _add(self, message: ModelMessage, key: object, json: list[str]) -> _Stretch | None:
        """Keep the JSON of a message, unless it holds something that cannot be compared."""
        inside = _Inside()
        try:
            for part in message.parts:
                inside.collect_fields(part)
        except (_Unlike, RecursionError):
            return None
        stretch = _Stretch((message,), key, json, inside)
        entries, place = self._kept, id(message)

        def forget(reference: object) -> None:
            kept = entries.get(place)
            if kept is not None and kept.message is reference:
                del entries[place]

        entries[place] = _Kept(weakref.ref(message, forget), [stretch])
        self._added += sum(map(len, json))
        if self._added > self._limit // 8:
            self._make_room()
        return stretch

    def _join(self, messages: Sequence[ModelMessage], row: list[_Stretch]) -> None:
        """Join stretches that were just seen into one of the next size."""
        kept = self._kept.get(id(messages[0]))
        if kept is None:  # there was no room
            return
        json = [piece for stretch in row for piece in stretch.json]
        inside = _Inside()
        for stretch in row:
            inside.add(stretch.inside)
        joined = _Stretch(messages, row[0].key, json, inside)
        shorter = [stretch for stretch in kept.stretches if stretch.count < joined.count]
        self._kept[id(messages[0])] = _Kept(kept.message, [joined, *shorter])

    def _make_room(self) -> None:
        with self._lock:
            self._added = 0
            left = self._limit - self.size
            for place, kept in list(self._kept.items()):
                if left >= 0:
                    break
                if self._kept.pop(place, None) is not None:
                    left += _size(kept)

    def __reduce__(self) -> tuple[Callable[..., HistoryJson], tuple[int]]:
        return HistoryJson, (self._limit,)  # a copy begins with nothing


def _size(kept: _Kept) -> int:
    return sum(map(len, kept.stretches[-1].json))
