"""`KeptMessages`: messages as they were written for an API, kept for as long as the messages themselves exist.

A history is sent again with each request of a run, and only its end is new. What a message was written as is found by the
identity of the message, and used as long as everything that it was made from is the same: messages and their parts may be
changed in place, so each request looks whether they still hold what they held then.

What cannot change is compared by identity, which is quick, and exact: `True == 1 == 1.0`, but they are written in different
ways. Dicts, lists and the files in prompts may change inside; of these there is a copy of the outline, made of the same texts
and numbers. A message is not kept if it holds an object whose inside cannot be seen, such as a model that a tool returned, or
a file that is downloaded for each request.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from datetime import datetime
from operator import is_
from typing import Any, NamedTuple

from ..._kit.records import is_list
from ...messages import ModelMessage, TextPart

_ROOM = TextPart.__module__.rpartition('.')[0]
_UNCHANGING = frozenset({str, type(None), bool, int, float, bytes, datetime})
"""The types of what cannot change."""
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
    held: list[object]
    """What the parts of the message hold."""
    outlines: list[tuple[Any, list[Any]]]
    """Those of it that may change inside, with their outlines."""
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

    def find(self, messages: Iterable[ModelMessage], key: object) -> list[Sequence[Written] | None]:
        """Return what each message was written as; `None` for one that has not been written, or has changed since.

        Args:
            messages: The messages.
            key: What else the JSON depends on, such as the capabilities of the model; from `key_like`.
        """
        found: list[Sequence[Written] | None] = []
        entry_at = self._entries.get
        for message in messages:  # all of a history, for each request: no calls of functions that can be avoided
            entry = entry_at(id(message))
            if entry is None or entry.message() is not message or entry.key is not key:
                found.append(None)
                continue
            held: list[object] = [message.provider_name, message.finish_reason] if message.kind == 'response' else []
            for part in message.parts:
                held += part.__dict__.values()
            same = len(held) == len(entry.held) and all(map(is_, held, entry.held))
            if same and entry.outlines:
                try:
                    for value, outline in entry.outlines:
                        now = _outline(value)
                        if len(now) != len(outline) or not (all(map(is_, now, outline)) or _same(now, outline)):
                            same = False
                            break
                except (_Unseen, RecursionError):  # it was changed to something that cannot be compared
                    same = False
            found.append(entry.written if same else None)
        return found

    def keep(self, message: ModelMessage, key: object, written: Sequence[Written], unkept: Container[int] = ()) -> None:
        """Keep what a message was written as, unless it holds something that cannot be compared.

        Args:
            message: The message.
            key: What else the JSON depends on; from `key_like`.
            written: The JSON.
            unkept: The `id` of content that is fetched again for each request.
        """
        held: list[object] = [message.provider_name, message.finish_reason] if message.kind == 'response' else []
        for part in message.parts:
            held += part.__dict__.values()
        try:
            outlines = [(value, _outline(value)) for value in held if type(value) not in _UNCHANGING]
        except (_Unseen, RecursionError):
            return
        if unkept and any(id(item) in unkept for item in _content(message)):
            return
        place, size = id(message), sum(len(item.json) for item in written)
        entries = self._entries

        def forget(reference: object) -> None:
            entry = entries.get(place)
            if entry is not None and entry.message is reference:
                del entries[place]

        entries[place] = _KeptMessage(weakref.ref(message, forget), key, held, outlines, written, size)
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


def _outline(value: Any) -> list[Any]:
    """Return what may change inside of a value: its type, its items, and the outlines of those that may change themselves.

    Raises:
        _Unseen: Its inside cannot be seen.
    """
    kind: Any = type(value)  # type: ignore[reportUnknownVariableType]
    if kind is dict or kind is list or kind is tuple:
        if len(value) > _WIDEST:
            raise _Unseen
        items = [*value, *value.values()] if kind is dict else [*value]
    elif kind.__module__.startswith(_ROOM):
        items = [*value.__dict__.values()]
    else:
        raise _Unseen
    if _UNCHANGING.issuperset(map(type, items)):
        return [kind, *items]
    return [kind, *[item if type(item) in _UNCHANGING else _outline(item) for item in items]]


def _same(one: object, other: object) -> bool:
    """Return whether outlines are of values that are written alike."""
    if not is_list(one) or not is_list(other):
        return one is other
    if len(one) != len(other):
        return False
    return all(map(is_, one, other)) or all(map(_same, one, other))


def _content(message: ModelMessage) -> Iterator[object]:
    """Yield what the parts of a message hold, and the items of lists."""
    for part in message.parts:
        content: Any = getattr(part, 'content', None)
        yield content
        if isinstance(content, (list, tuple)):
            yield from content
