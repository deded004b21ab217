"""`KeptMessages`: the encoded forms of messages, kept for as long as the messages themselves exist.

A history is shown again with each request of a run, to an API and in spans, and only its end is new. The encoded form of a
message is found by the identity of the message, and used as long as everything that it depends on is the same. The invariants:

- **Nothing stale is used.** Messages and their parts may be changed in place at any time, so each request looks whether they
  still hold what they held. Texts are compared by value. What is equal to something that is encoded in another way
  (`True == 1 == 1.0`, a dict in another order, a part that was replaced by an equal one) must be identical as well.
- **Only what can be compared is kept.** A message that holds an object whose inside cannot be seen, such as a model that a tool
  returned, has its place in a row, and is encoded for each request. So is one with content that is downloaded each time.
- **A look costs little.** Messages that follow each other lie in a `_Row`: all that they hold is compared in one go, in a few
  loops of the interpreter, because calls of functions for each message would cost more than all the rest of a request. A row
  grows at its end, as histories do, so that a run has one row, or a few. If it is not the same as a whole, its longest
  beginning that is the same is found by halving.
- **Nothing outlives its use.** Messages are referred to weakly. A row is given up when most of its messages are gone, and it
  has a greatest length, so that one message never holds more than that. In all, no more than a limit is kept: beyond it, the
  rows are given up that were not asked for the longest, but none of the history that is being encoded, since of one that is
  longer than the limit, all would otherwise be given up just before it is needed.
- **Several threads may use it at once.** Rows only grow, under a lock; what looks at one sees what was there when it started, or
  takes the messages for changed. What is given up is unlinked, never emptied.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, chain, compress
from operator import attrgetter, getitem, is_
from typing import Any, Generic, cast

from typing_extensions import NamedTuple, TypeAlias, TypeVar  # generic on Python 3.10, too

from ...messages import ModelMessage, ModelResponse, TextPart

_ROOM = TextPart.__module__.rpartition('.')[0]
_ENCODED_ALIKE = frozenset({str, type(None), bytes})
"""Types whose equal objects are encoded alike."""
_PLAIN = _ENCODED_ALIKE | {bool, int, float}
_ONLY_TEXT = frozenset({str})
_UNSENT = 'timestamp'
"""The field of parts that is in no encoded form."""
_WIDEST = 256
"""How many items a container may have; to compare larger ones takes longer than to encode them again."""
_LONGEST = 512
"""How many messages a row may have."""
_SHORT = 8
"""How many messages a row may have to be moved to the end of the one before it."""
_MOST_APART = 16
"""How many texts are kept apart before they are joined with those before them."""
_MOST_KEYS = 8
LIMIT = 64 * 1024 * 1024
"""How many bytes or characters are kept."""

_parts_of = attrgetter('parts')
_reason_of = attrgetter('finish_reason')
_provider_of = attrgetter('provider_name')
# The fields of responses that encoded forms depend on in addition to the parts; one by one, since a pair has to be made.

PieceT = TypeVar('PieceT', default='Written')


Encode: TypeAlias = Callable[[ModelMessage], tuple[list[PieceT], bool]]
"""Returns what a message is encoded as, and whether that may be kept."""


class Written(NamedTuple):
    """A message of an API, as JSON."""

    role: str
    json: bytes


class Stretch(NamedTuple, Generic[PieceT]):
    """Some of the messages of a history."""

    start: int
    """The place of the first one."""
    stop: int
    """The place after the last one."""
    pieces: list[PieceT] | None
    """What they are encoded as; `None` if they have to be encoded."""


class _Unlike(Exception):
    """An object cannot be compared with what it was before."""


class _Ends(NamedTuple):
    """Where what a message holds ends in the lists of its row."""

    parts: int = 0
    responses: int = 0
    containers: int = 0
    exact: int = 0
    keyed: int = 0
    keys: int = 0
    pieces: int = 0


# Without the function that a call of a class with names goes through.
_ends: Callable[[tuple[int, ...]], _Ends] = partial(tuple.__new__, _Ends)  # type: ignore[reportUnknownMemberType]
_stretch: Callable[[tuple[Any, ...]], Stretch[Any]] = partial(tuple.__new__, Stretch)  # type: ignore[reportUnknownMemberType]


class _Row(Generic[PieceT]):
    """Consecutive messages, what they hold, and what they are encoded as."""

    __slots__ = (
        'containers', 'copies', 'ends', 'exact', 'gone', 'holes', 'is_dropped', 'key', 'keyed', 'keys', 'kinds', 'lengths',
        'owners', 'parts', 'pieces', 'places', 'providers', 'reasons', 'refs', 'responses', 'size', 'used',
    )  # fmt: skip

    def __init__(self, key: object, turn: int) -> None:
        self.key, self.used = key, turn
        self.refs: list[_Ref] = []
        self.kinds: list[type] = []
        self.lengths: list[int] = []
        """How many parts each message has."""
        self.responses: list[bool] = []
        """Which of the messages are responses."""
        self.reasons: list[object] = []
        """Why they ended."""
        self.providers: list[object] = []
        self.parts: list[object] = []
        self.containers: list[Any] = []
        """The fields of parts and of other objects, and the dicts, lists and tuples in them."""
        self.copies: list[Any] = []
        self.owners: list[Any] = []
        """Those of the containers whose values at `places` must stay identical."""
        self.places: list[Any] = []
        self.exact: list[object] = []
        """These values."""
        self.keyed: list[dict[str, Any]] = []
        """The dicts without the fields, whose order counts."""
        self.keys: list[str] = []
        self.pieces: list[PieceT] = []
        self.holes: list[int] = []
        """The indexes of messages that have to be encoded for each request."""
        self.ends = [_Ends()]
        """Where messages end; before that of the first, where it begins."""
        self.size = 0
        self.gone = 0
        """How many of the messages are gone, or are kept elsewhere."""
        self.is_dropped = False

    def add(self, message: ModelMessage, ref: _Ref, pieces: Sequence[PieceT] | None, size: int) -> None:
        """Add a message at the end; without pieces, one that has to be encoded for each request."""
        parts = message.parts
        if pieces is not None:
            try:
                for part in parts:
                    self._add_fields(part)
            except (_Unlike, RecursionError, AttributeError):
                self._forget_inside()
                pieces = None
        if pieces is None:
            self.holes.append(len(self.refs))
        else:
            self.size += size
        self.kinds.append(type(message))
        self.parts += parts
        self.lengths.append(len(parts))
        is_response = isinstance(message, ModelResponse)
        self.responses.append(is_response)
        if is_response:
            self.reasons.append(_reason_of(message))
            self.providers.append(_provider_of(message))
        self.ends.append(
            _ends((
                len(self.parts), len(self.reasons), len(self.containers), len(self.exact), len(self.keyed), len(self.keys),
                self.write(pieces or ()),
            ))
        )  # fmt: skip
        self.refs.append(ref)

    def write(self, pieces: Sequence[PieceT]) -> int:
        """Add what a message is encoded as, and return where it ends."""
        self.pieces += pieces
        return len(self.pieces)

    def written(self, begin: int, end: int) -> list[PieceT]:
        """Return what the messages from an index to another are encoded as."""
        return self.pieces[self.ends[begin].pieces : self.ends[end].pieces]

    def _add_fields(self, item: Any) -> None:
        """Add the fields of a part, or of an object in it.

        Raises:
            _Unlike: The inside of one of them cannot be seen.
        """
        fields: dict[str, Any] = item.__dict__
        self.containers.append(fields)
        self.copies.append(fields.copy())
        self._add_values(fields, fields.items(), _UNSENT)

    def _add_values(self, owner: Any, items: Iterable[tuple[Any, Any]], unsent: str | None = None) -> None:
        """Add those values in a container that equal ones could be encoded in another way than, and what is in them."""
        for place, value in items:
            kind: type[Any] = type(value)  # type: ignore[reportUnknownVariableType]
            if kind in _ENCODED_ALIKE or (unsent is not None and place == unsent):
                continue
            self.owners.append(owner)
            self.places.append(place)
            self.exact.append(value)
            if kind in _PLAIN:
                continue
            if kind is dict:
                if len(value) > _WIDEST or not _ONLY_TEXT.issuperset(map(type, value)):
                    raise _Unlike
                if not _ENCODED_ALIKE.isdisjoint(map(type, value.values())):
                    self.containers.append(value)
                    self.copies.append(value.copy())
                # Otherwise all its values must stay identical, and its keys are looked at as well.
                self.keyed.append(value)
                self.keys += value
                self._add_values(value, value.items())
            elif kind is list or kind is tuple:
                if len(value) > _WIDEST:
                    raise _Unlike
                self.containers.append(value)
                self.copies.append(value[:])
                self._add_values(value, enumerate(cast('Sequence[object]', value)))
            elif kind.__module__.startswith(_ROOM):
                self._add_fields(value)
            elif kind.__module__ != 'datetime':
                raise _Unlike

    def _forget_inside(self) -> None:
        """Remove what was added for a message that cannot be compared as a whole."""
        end = self.ends[-1]
        del self.containers[end.containers :], self.copies[end.containers :]
        del self.owners[end.exact :], self.places[end.exact :], self.exact[end.exact :]
        del self.keyed[end.keyed :], self.keys[end.keys :]

    def same(self, messages: Sequence[ModelMessage], place: int, index: int) -> int:
        """Return how many messages of a history, from a place on, are those of the row from an index on, unchanged."""
        count = min(len(self.refs) - index, len(messages) - place)
        if self.refs[index + count - 1].address == id(messages[place + count - 1]):
            if self._holds(messages, place, index, count):
                return count
        else:  # they are a beginning of it at most
            for end in range(1, count):
                if self.refs[index + end].address != id(messages[place + end]):
                    count = end
                    break
            if self._holds(messages, place, index, count):
                return count
        low, high = 0, count
        while high - low > 1:
            middle = (low + high) // 2
            if self._holds(messages, place + low, index + low, middle - low):
                low = middle
            else:
                high = middle
        return low

    def _holds(self, messages: Sequence[ModelMessage], place: int, index: int, count: int) -> bool:
        """Return whether messages still hold what they did."""
        a, b, end = self.ends[index], self.ends[index + count], index + count
        if place or count != len(messages):
            messages = messages[place : place + count]
        whole = not index and count == len(self.refs)
        try:
            parts: list[Sequence[object]] = [*map(_parts_of, messages)]
            answers = [*compress(messages, self.responses if whole else self.responses[index:end])]
            if whole:
                return (
                    [*map(len, parts)] == self.lengths
                    and all(map(is_, chain.from_iterable(parts), self.parts))
                    and [*map(type, messages)] == self.kinds
                    and [*map(_reason_of, answers)] == self.reasons
                    and [*map(_provider_of, answers)] == self.providers
                    and self.containers == self.copies
                    and all(map(is_, map(getitem, self.owners, self.places), self.exact))
                    and [*chain.from_iterable(self.keyed)] == self.keys
                )
            exact = slice(a.exact, b.exact)
            return (
                [*map(len, parts)] == self.lengths[index:end]
                and all(map(is_, chain.from_iterable(parts), self.parts[a.parts : b.parts]))
                and [*map(type, messages)] == self.kinds[index:end]
                and [*map(_reason_of, answers)] == self.reasons[a.responses : b.responses]
                and [*map(_provider_of, answers)] == self.providers[a.responses : b.responses]
                and self.containers[a.containers : b.containers] == self.copies[a.containers : b.containers]
                and all(map(is_, map(getitem, self.owners[exact], self.places[exact]), self.exact[exact]))
                and [*chain.from_iterable(self.keyed[a.keyed : b.keyed])] == self.keys[a.keys : b.keys]
            )
        except Exception:  # fields are missing, or there are objects that cannot be compared with text
            return False

    def stretches(self, place: int, index: int, count: int) -> Sequence[Stretch[PieceT]]:
        """Return what messages of the row are encoded as, from an index on, with their places in a history."""
        begin, end = index, index + count
        if not self.holes:
            return (_stretch((place, place + count, self.written(begin, end))),)
        found: list[Stretch[PieceT]] = []
        for hole in [hole for hole in self.holes if begin <= hole < end]:
            if begin < hole:
                found.append(self._stretch(place, index, begin, hole))
            found.append(Stretch(place + hole - index, place + hole - index + 1, None))
            begin = hole + 1
        if begin < end:
            found.append(self._stretch(place, index, begin, end))
        return found

    def _stretch(self, place: int, index: int, begin: int, end: int) -> Stretch[PieceT]:
        return _stretch((place + begin - index, place + end - index, self.written(begin, end)))


class _TextRow(_Row[str]):
    """A row whose pieces become one text, which is joined now and then, and not again for each request."""

    __slots__ = ('starts', 'state')

    def __init__(self, key: object, turn: int) -> None:
        super().__init__(key, turn)
        self.state: tuple[str, int, list[str]] = '', 0, []
        """The text of the first messages, how many they are, and the texts of the others. All in one: see "Several threads"."""
        self.starts = [0]
        """Where in the text messages begin, and where the last one ends."""

    def write(self, pieces: Sequence[str]) -> int:
        text, count, others = self.state
        others.append(''.join(pieces))
        if len(others) > _MOST_APART:
            self.starts += accumulate(map(len, others[1:]), initial=len(text) + len(others[0]))
            self.state = ''.join((text, *others)), count + len(others), []
        return 0

    def written(self, begin: int, end: int) -> list[str]:
        text, count, others = self.state
        if begin >= count:
            return others[begin - count : end - count]
        if end <= count:
            return [text[self.starts[begin] : self.starts[end]]]
        return [text[self.starts[begin] :], *others[: end - count]]


class _Ref(weakref.ref[Any]):
    """A message, and where it is kept."""

    __slots__ = ('address', 'index', 'row')

    address: int
    row: Any
    """Its row; `None` once that is given up."""
    index: int


class KeptMessages(Generic[PieceT]):
    """What messages were encoded as, in pieces of the same kind; used by several threads at once."""

    def __init__(self, limit: int = LIMIT, size_of: Callable[[PieceT], int] | None = None) -> None:
        """Keep nothing yet.

        Args:
            limit: How many bytes or characters to keep.
            size_of: Returns how many of them a piece has; by default the bytes of a `Written` message.
        """
        self._limit = limit
        self._size_of = size_of or _size_of_written
        self._refs: dict[int, _Ref] = {}
        """The messages, by their address."""
        self._rows: dict[_Row[PieceT], None] = {}
        """The rows that are kept."""
        self._total = 0
        """The sizes of the rows, without what was given up since they were last counted."""
        self._turn = 0
        """How many histories were asked for."""
        self._lock = threading.Lock()
        self._keys: list[object] = []
        refs, rows = self._refs, self._rows

        def forget(ref: Any) -> None:
            if refs.get(ref.address) is ref:
                del refs[ref.address]
                _lose_one(refs, rows, ref.row)

        self._forget = forget

    def key_like(self, key: object) -> Any:
        """Return the key that was used before and is equal to a key, so that the rest can go by identity."""
        for known in self._keys:
            if known == key:
                return known
        self._keys = [key, *self._keys[: _MOST_KEYS - 1]]
        return key

    def __len__(self) -> int:
        return len(self._refs)

    @property
    def size(self) -> int:
        """How many bytes or characters are kept."""
        return sum([row.size for row in [*self._rows]])

    def find(self, messages: Sequence[ModelMessage], key: object) -> list[Stretch[PieceT]]:
        """Return what messages were encoded as, for as long as they have not changed since.

        Args:
            messages: The messages.
            key: What else the encoded form depends on, such as the capabilities of the model; from `key_like`.

        Returns:
            Stretches that follow each other, and that all messages are in.
        """
        found: list[Stretch[PieceT]] = []
        ref_at = self._refs.get
        place, end = 0, len(messages)
        self._turn += 1
        last: _Row[PieceT] | None = None
        """The row before, if its end was just passed."""
        while place < end:
            ref = ref_at(id(messages[place]))
            row: _Row[PieceT] | None = ref.row if ref is not None and ref() is messages[place] else None
            index = ref.index if ref is not None else 0
            count = row.same(messages, place, index) if row is not None and row.key is key else 0
            if row is None or not count:
                found.append(_stretch((place, place + 1, None)))
                place += 1
                last = None
                continue
            row.used = self._turn
            found += row.stretches(place, index, count)
            is_end = index + count == len(row.refs)
            if last is not None and last is not row and is_end and not index and count <= _SHORT:
                row = self._moved(messages[place : place + count], row, last)
            place += count
            last = row if is_end else None
        return found

    def keep(self, messages: Sequence[ModelMessage], place: int, key: object, pieces: Sequence[PieceT] | None) -> None:
        """Keep what a message was encoded as, unless it holds something that cannot be compared.

        Args:
            messages: The history that the message is in.
            place: Its place.
            key: What else the encoded form depends on; from `key_like`.
            pieces: The encoded form; `None` for one that cannot be kept.
        """
        before = self._refs.get(id(messages[place - 1])) if place else None
        size = sum(map(self._size_of, pieces)) if pieces else 0
        with self._lock:
            if self._total + size > self._limit and not self._can_free(size):
                return
            row: _Row[PieceT] | None = before.row if before is not None else None
            if row is None or before is None or before.index + 1 != len(row.refs) or not self._has_room(row, key):
                row = self._new_row(key)
                self._rows[row] = None
            self._add(messages[place], row, pieces, size)

    def encode(self, messages: Sequence[ModelMessage], key: object, encode: Encode[PieceT]) -> list[PieceT]:
        """Return what messages are encoded as, once those that are not kept have been encoded.

        Args:
            messages: The messages.
            key: What else the encoded form depends on; any that is equal will do.
            encode: Encodes one message.
        """
        key = self.key_like(key)
        return self._filled(messages, key, self.find(messages, key), encode)

    async def load_and_encode(
        self,
        messages: Sequence[ModelMessage],
        key: object,
        load: Callable[[list[ModelMessage]], Awaitable[None]],
        encode: Encode[PieceT],
    ) -> list[PieceT]:
        """Return what messages are encoded as, once what is in those that are not kept has been loaded; errors of that propagate.

        Args:
            messages: The messages.
            key: What else the encoded form depends on; any that is equal will do.
            load: Gets what messages need to be encoded, such as their files. It is not called for none.
            encode: Encodes one message.
        """
        key = self.key_like(key)
        found = self.find(messages, key)
        new = [message for start, stop, known in found if known is None for message in messages[start:stop]]
        if new:
            await load(new)
        return self._filled(messages, key, found, encode)

    def _filled(
        self, messages: Sequence[ModelMessage], key: object, found: list[Stretch[PieceT]], encode: Encode[PieceT]
    ) -> list[PieceT]:
        pieces: list[PieceT] = []
        for start, stop, known in found:
            if known is not None:
                pieces += known
                continue
            for place in range(start, stop):
                new, is_kept = encode(messages[place])
                self.keep(messages, place, key, new if is_kept else None)
                pieces += new
        return pieces

    def _new_row(self, key: object) -> _Row[PieceT]:
        return _Row(key, self._turn)

    def _has_room(self, row: _Row[PieceT], key: object) -> bool:
        return row.key is key and not row.is_dropped and len(row.refs) < _LONGEST and row.size < self._limit // 16

    def _add(self, message: ModelMessage, row: _Row[PieceT], pieces: Sequence[PieceT] | None, size: int) -> None:
        ref = _Ref(message, self._forget)
        ref.address, ref.row, ref.index = id(message), row, len(row.refs)
        row.add(message, ref, pieces, size)
        self._total += size
        old = self._refs.get(ref.address)
        self._refs[ref.address] = ref
        if old is not None and old.row is not None:
            _lose_one(self._refs, self._rows, old.row)

    def _moved(self, messages: Sequence[ModelMessage], row: _Row[PieceT], to: _Row[PieceT]) -> _Row[PieceT]:
        """Move the messages of a short row, which was just looked at, to the end of another one; return where they are."""
        with self._lock:
            for index, message in enumerate(messages):
                if not self._has_room(to, row.key):
                    return row
                pieces = row.written(index, index + 1)
                self._add(message, to, None if index in row.holes else pieces, sum(map(self._size_of, pieces)))
        return to

    def _can_free(self, size: int) -> bool:
        """Make room for more, and some to spare, by giving up rows; return whether there is."""
        rows = [*self._rows]
        self._total = sum([row.size for row in rows])
        for row in sorted(rows, key=_last_use):
            if self._total + size <= self._limit * 7 // 8 or row.used == self._turn:
                break
            self._total -= row.size
            _give_up(self._refs, self._rows, row)
        return self._total + size <= self._limit

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return type(self), (self._limit, self._size_of)  # a copy begins with nothing


class KeptTexts(KeptMessages[str]):
    """The encoded texts of messages; texts that follow each other are joined."""

    def __init__(self, limit: int = LIMIT, size_of: Callable[[str], int] = len) -> None:
        super().__init__(limit, size_of)

    def encode_with_last(
        self, messages: Sequence[ModelMessage], key: object, encode: Encode[str]
    ) -> tuple[list[str], str]:
        """Return the texts of messages, joined with each other or not, and apart from them that of the last message.

        Args:
            messages: The messages, at least one.
            key: What else the encoded form depends on; any that is equal will do.
            encode: Encodes one message, as one text.
        """
        key, last = self.key_like(key), len(messages) - 1
        found = self.find(messages, key)
        if found[-1].start == last:
            *texts, text = self._filled(messages, key, found, encode)
            return texts, text
        # It is kept together with those before it.
        before, ends = messages[:last], messages[last:]
        texts = self._filled(before, key, self.find(before, key), encode)
        return texts, ''.join(self._filled(ends, key, self.find(ends, key), encode))

    def _new_row(self, key: object) -> _Row[str]:
        return _TextRow(key, self._turn)


_last_use = attrgetter('used')


def _size_of_written(piece: Any) -> int:
    return len(piece.json)


def _lose_one(refs: dict[int, _Ref], rows: dict[_Row[PieceT], None], row: _Row[PieceT]) -> None:
    """Note that a message of a row is gone, which may happen at any moment, and give the row up if that is most of them."""
    row.gone += 1
    if row.gone * 2 > len(row.refs):
        _give_up(refs, rows, row)


def _give_up(refs: dict[int, _Ref], rows: dict[_Row[PieceT], None], row: _Row[PieceT]) -> None:
    row.is_dropped = True
    rows.pop(row, None)
    for ref in row.refs:
        ref.row = None  # there is no circle left, so that what was kept is freed at once
        if refs.get(ref.address) is ref:
            del refs[ref.address]
