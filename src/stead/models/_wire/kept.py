"""`KeptMessages`: messages as they were written for an API, kept for as long as the messages themselves exist.

A history is sent again with each request of a run, and only its end is new. What a message was written as is found by the
identity of the message, and used as long as everything that it was made from is the same: messages and their parts may be
changed in place, so each request compares what they hold with what they held then.

The comparison goes by equality, which in Python is wider than being written alike: `True == 1 == 1.0`. `_form` therefore puts
numbers and containers beside their types. A message is not kept if it holds an object whose inside cannot be seen, such as a
model that a tool returned, or a file that is downloaded for each request.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Container, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ...messages import ModelMessage, TextPart

_ROOM = TextPart.__module__.rpartition('.')[0]
_PLAIN = frozenset({str, type(None), bool, bytes})
_FIELD = frozenset({*_PLAIN, datetime})
"""The types of nearly all fields of parts. Values of one of them that are equal are written alike."""
_TEXT = frozenset({str})
_WITH_TYPE = frozenset({*_PLAIN, int})
"""The types of values that are written alike if they are equal and of one type."""
_WIDEST = 256
"""How many items a container may have; to compare larger ones takes longer than to write them again."""
_MOST_KEYS = 8
LIMIT = 64 * 1024 * 1024
"""How many bytes are kept for a model. Beyond that, what has been kept longest is given up."""


class Written(NamedTuple):
    """A message of an API, as JSON."""

    role: str
    json: bytes


class _Unseen(Exception):
    """An object cannot be compared with what it was before."""


class _KeptMessage(NamedTuple):
    message: weakref.ref[Any]
    key: object
    form: list[object]
    written: Sequence[Written]
    size: int


class KeptMessages:
    """What the messages of a model were written as; used by several threads at once."""

    def __init__(self, limit: int = LIMIT) -> None:
        """Keep nothing yet.

        Args:
            limit: The number of bytes of JSON to keep.
        """
        self._limit = limit
        self._entries: dict[int, _KeptMessage] = {}
        self._added = 0
        """The bytes that were added since the sizes were last counted."""
        self._lock = threading.Lock()
        self._keys: list[object] = []

    def key_like(self, key: object) -> Any:
        """Return the key that was used before and is equal to a key, so that the rest can go by identity."""
        for known in self._keys:
            if known == key:
                return known
        self._keys = [key, *self._keys[: _MOST_KEYS - 1]]
        return key

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """The number of bytes of JSON that are kept."""
        return sum(entry.size for entry in list(self._entries.values()))

    def find(self, message: ModelMessage, key: object) -> Sequence[Written] | None:
        """Return what a message was written as; `None` if it has not been written, or has changed since.

        Args:
            message: The message.
            key: What else the JSON depends on, such as the capabilities of the model; from `key_like`.
        """
        entry = self._entries.get(id(message))
        if entry is None or entry.message() is not message or entry.key is not key:
            return None
        return entry.written if entry.form == _form_of(message) else None

    def keep(self, message: ModelMessage, key: object, written: Sequence[Written], unkept: Container[int] = ()) -> None:
        """Keep what a message was written as, unless it holds something that cannot be compared.

        Args:
            message: The message.
            key: What else the JSON depends on; from `key_like`.
            written: The JSON.
            unkept: The `id` of content that is fetched again for each request.
        """
        form = _form_of(message)
        if form is None or (unkept and any(id(item) in unkept for item in _content(message))):
            return
        place, size = id(message), sum(len(item.json) for item in written)
        entries = self._entries

        def forget(reference: object) -> None:
            entry = entries.get(place)
            if entry is not None and entry.message is reference:
                del entries[place]

        entries[place] = _KeptMessage(weakref.ref(message, forget), key, form, written, size)
        self._added += size
        if self._added > self._limit // 8:
            self._make_room()

    def _make_room(self) -> None:
        with self._lock:
            self._added = 0
            left = self._limit - self.size
            for place, entry in list(self._entries.items()):
                if left >= 0:
                    break
                if self._entries.pop(place, None) is not None:
                    left += entry.size

    def __reduce__(self) -> tuple[Callable[..., KeptMessages], tuple[int]]:
        return KeptMessages, (self._limit,)  # a copy of the model begins with nothing


def _form_of(message: ModelMessage) -> list[object] | None:
    """Return all that the JSON of a message is made from; `None` if some of it cannot be seen."""
    form: list[object] = [message.kind, message.provider_name if message.kind == 'response' else None]
    try:
        for part in message.parts:
            values = part.__dict__
            form.append(type(part))
            if _FIELD.issuperset(map(type, values.values())) and type(values.get('content')) is not datetime:
                form += values.values()
            else:
                form += _fields(part)
    except (_Unseen, RecursionError):
        return None
    return form


def _fields(value: object) -> list[object]:
    return [
        item if type(item) in _PLAIN or name == 'timestamp' else _form(item) for name, item in value.__dict__.items()
    ]


def _form(value: Any) -> object:
    """Return a value so that forms which are equal belong to values that are written alike."""
    kind: Any = type(value)  # type: ignore[reportUnknownVariableType]
    if kind in _PLAIN:
        return value
    if kind is int:
        return kind, value
    if kind is float:
        return kind, repr(value)  # 0.0 == -0.0
    if kind is datetime:
        return kind, value.isoformat()  # equal times may be in different zones
    if (kind is dict or kind is list or kind is tuple) and len(value) > _WIDEST:
        raise _Unseen
    if kind is dict:
        items = value.values()
        if _TEXT.issuperset(map(type, value)) and _WITH_TYPE.issuperset(map(type, items)):
            return kind, [*value], [*map(type, items)], [*items]
        return kind, [(_form(key), _form(item)) for key, item in value.items()]
    if kind is list or kind is tuple:
        return kind, [_form(item) for item in value]
    if kind.__module__.startswith(_ROOM):
        return kind, _fields(value)
    raise _Unseen


def _content(message: ModelMessage) -> Iterator[object]:
    """Yield what the parts of a message hold, and the items of lists."""
    for part in message.parts:
        content: Any = getattr(part, 'content', None)
        yield content
        if isinstance(content, (list, tuple)):
            yield from content
