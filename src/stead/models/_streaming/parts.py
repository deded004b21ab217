"""`ModelResponsePartsManager`: builds the parts of a streamed response."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._kit.ids import generate_tool_call_id
from ..._kit.json_types import JsonObject
from ..._kit.records import DataRecord
from ..._kit.well_formed import well_formed, well_formed_data
from ...exceptions import UnexpectedModelBehavior
from ...messages import (
    Citation,
    ModelResponsePart,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    PartDeltaEvent,
    PartStartEvent,
    ProviderDetailsDelta,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    well_formed_part,
)

_new = object.__new__

VendorId = Hashable
"""The provider's identifier of a part within a response, such as an index or an id."""


_BLOCK = 1024
"""How many pieces of text are joined to a block."""


class _GrowingPart:
    """A part whose text grows. Pieces are collected, and joined when the part is read.

    Joining at every piece would make long responses quadratic. But a piece of a few letters takes ten times as much memory as
    those letters, so many pieces of text are joined to a block. Those of arguments are not: who reads them counts them.
    """

    __slots__ = ('blocks', 'field', 'part', 'pieces')

    def __init__(self, part: Any, field: str) -> None:
        self.part: Any = part
        """The part with the text that has been joined."""
        self.field = field
        """The name of the field with the text."""
        self.pieces: list[str] = []
        """Pieces that have not been joined."""
        self.blocks: list[str] = []
        """Text before those pieces, joined, which is not in the part yet."""

    def append(self, piece: str) -> None:
        self.pieces.append(piece)
        if len(self.pieces) >= _BLOCK and self.field == 'content':
            self.join()

    def join(self) -> None:
        """Make one block of the pieces."""
        self.blocks.append(''.join(self.pieces))
        self.pieces.clear()

    def get(self) -> Any:
        if self.pieces or self.blocks:
            # A new object, since a reader may hold the old one. `copy.copy` takes several times as long as this, and a
            # reader who looks at the response after every event gets here for every piece.
            old: object = self.part
            part = object.__new__(type(old))
            part.__dict__.update(old.__dict__)
            pieces = [*self.blocks, *self.pieces] if self.blocks else self.pieces
            if before := getattr(old, self.field):
                pieces = [before, *pieces]
            setattr(part, self.field, ''.join(pieces))
            self.part, self.pieces, self.blocks = part, [], []
        return self.part


@dataclass(repr=False, eq=False)
class ModelResponsePartsManager(DataRecord):
    """The parts of a streamed response, built from pieces. Every method returns the events for its piece.

    `vendor_part_id` identifies the part that a piece belongs to. `None` means the latest part, if it is of the right kind,
    or else a new one.
    """

    model_request_parameters: ModelRequestParameters
    """The parameters of the request, whose tools decide the types of tool calls."""
    _parts: list[Any] = field(default_factory=list[Any], init=False)
    """The parts: complete ones, growing ones, and deltas of tool calls whose name is not known yet."""
    _vendor_id_to_part_index: dict[VendorId, int] = field(default_factory=dict[VendorId, int], init=False)
    _tool_kind_by_name: dict[str, str] = field(default_factory=dict[str, str], init=False)
    _call_ids: dict[str, int] = field(default_factory=dict[str, int], init=False)
    """The ids of the calls so far, and the indices of their parts."""
    _replaced_ids: dict[int, str] = field(default_factory=dict[int, str], init=False)
    """By index of a part, the id that the provider gave it after another call; the part has a new one."""
    _halves: dict[tuple[str, VendorId | None], str] = field(
        default_factory=dict[tuple[str, 'VendorId | None'], str], init=False
    )
    """Halves of surrogate pairs that pieces ended with, by the kind and the identifier of the part."""

    def __post_init__(self) -> None:
        self._tool_kind_by_name = {
            name: tool.tool_kind for name, tool in self.model_request_parameters.tool_defs.items() if tool.tool_kind
        }

    def get_parts(self) -> list[ModelResponsePart]:
        """Return the parts so far, without calls whose name is not known yet."""
        return [
            entry.get() if isinstance(entry, _GrowingPart) else entry
            for entry in self._parts
            if not isinstance(entry, ToolCallPartDelta)
        ]

    def part_at(self, index: int) -> Any:
        """Return the part with the index that its events have."""
        entry = self._parts[index]
        return entry.get() if isinstance(entry, _GrowingPart) else entry

    def grown(self, index: int) -> tuple[Any, Sequence[str]]:
        """Return a part as it was when it was last read, and the pieces of its text that have come since then."""
        entry = self._parts[index]
        return (entry.part, entry.pieces) if isinstance(entry, _GrowingPart) else (entry, ())

    def get_part_by_vendor_id(self, vendor_id: VendorId) -> ModelResponsePart | None:
        """Return a part by the provider's identifier, or `None` if there is none."""
        index = self._vendor_id_to_part_index.get(vendor_id)
        return self.part_at(index) if index is not None else None

    def handle_text_delta(
        self,
        *,
        vendor_part_id: VendorId | None,
        content: str,
        id: str | None = None,
        provider_name: str | None = None,
        provider_details: JsonObject | None = None,
        thinking_tags: tuple[str, str] | None = None,
        ignore_leading_whitespace: bool = False,
    ) -> Iterator[ModelResponseStreamEvent]:
        """Add a piece of text.

        Args:
            vendor_part_id: The provider's identifier of the part.
            content: The text.
            id: The provider's id of the part, for the history.
            provider_name: The provider.
            provider_details: Further data from the provider.
            thinking_tags: The tags around thinking in text. Each must come as a piece of its own.
            ignore_leading_whitespace: Whether to drop white space that would start a part.
        """
        if self._halves or not content.isascii():
            content = self._whole('text', vendor_part_id, content)
        # A short cut: nearly all pieces continue a part, and a response may have thousands of them.
        place = self._vendor_id_to_part_index.get(vendor_part_id)
        if place is not None and thinking_tags is None and provider_details is None:
            entry = self._parts[place]
            if type(entry) is _GrowingPart and type(entry.part) is TextPart:
                pieces = entry.pieces
                pieces.append(content)
                if len(pieces) >= _BLOCK:
                    entry.join()
                # Without their constructors, whose keywords cost as much again as all else that is done for a piece.
                delta, event = _new(TextPartDelta), _new(PartDeltaEvent)
                delta.content_delta, delta.provider_name, delta.provider_details = content, provider_name, None
                delta.citations_delta, delta.part_delta_kind = None, 'text'
                event.index, event.delta, event.event_kind = place, delta, 'part_delta'
                return iter((event,))
        new = TextPart(content, id=id, provider_name=provider_name, provider_details=provider_details)
        return self._handle_text(vendor_part_id, new, thinking_tags, ignore_leading_whitespace)

    def handle_text_details(
        self,
        vendor_part_id: VendorId,
        *,
        details: JsonObject | None = None,
        citations: list[Citation] | None = None,
        provider_name: str | None = None,
    ) -> Iterator[ModelResponseStreamEvent]:
        """Add what a provider says about a text that has come: data of its own, and all citations of the part."""
        if (index := self._find(vendor_part_id, TextPart)) is not None and (details or citations):
            delta = TextPartDelta('', provider_name=provider_name, provider_details=details, citations_delta=citations)
            self._apply(index, delta, None)
            yield PartDeltaEvent(index=index, delta=delta)

    def _handle_text(
        self, vendor_part_id: VendorId | None, part: TextPart, thinking_tags: tuple[str, str] | None, ignore_space: bool
    ) -> Iterator[ModelResponseStreamEvent]:
        content = part.content
        index = self._find(vendor_part_id, TextPart)
        if thinking_tags and index is None and vendor_part_id is not None:
            thinking = self._find(vendor_part_id, ThinkingPart)
            if thinking is not None:
                if content == thinking_tags[1]:
                    self._forget(vendor_part_id)
                    return
                yield from self.handle_thinking_delta(vendor_part_id=vendor_part_id, content=content)
                return
        if thinking_tags and content == thinking_tags[0]:
            self._forget(vendor_part_id)
            yield from self.handle_thinking_delta(vendor_part_id=vendor_part_id, content='')
            return
        if index is None:
            if ignore_space and (not content or content.isspace()):
                return
            yield self._start(_GrowingPart(part, 'content'), vendor_part_id, part)
            return
        delta = TextPartDelta(content, provider_name=part.provider_name, provider_details=part.provider_details)
        self._apply(index, delta, content)
        yield PartDeltaEvent(index=index, delta=delta)

    def handle_thinking_delta(
        self,
        *,
        vendor_part_id: VendorId | None,
        content: str | None = None,
        id: str | None = None,
        signature: str | None = None,
        provider_name: str | None = None,
        provider_details: ProviderDetailsDelta = None,
    ) -> Iterator[ModelResponseStreamEvent]:
        """Add a piece of thinking; further arguments as `handle_text_delta`.

        Args:
            vendor_part_id: The provider's identifier of the part.
            content: The text.
            id: The provider's id of the part.
            signature: The signature of the thinking.
            provider_name: The provider.
            provider_details: Further data from the provider, or a function that returns it for the data so far.

        Raises:
            UnexpectedModelBehavior: The identifier is that of a part of another kind.
        """
        if content is not None and (self._halves or not content.isascii()):
            content = self._whole('thinking', vendor_part_id, content)
        index = self._find(vendor_part_id, ThinkingPart, strict=True)
        if index is None:
            if content is None and signature is None and not provider_details:
                return
            details = provider_details(None) if callable(provider_details) else provider_details
            part = ThinkingPart(
                content or '', id=id, signature=signature, provider_name=provider_name, provider_details=details
            )
            yield self._start(_GrowingPart(part, 'content'), vendor_part_id, part)
            return
        if content is None and signature is None and provider_details is None and provider_name is None:
            return
        delta = ThinkingPartDelta(
            content_delta=content,
            signature_delta=signature,
            provider_name=provider_name,
            provider_details=provider_details,
        )
        plain = signature is None and provider_details is None
        self._apply(index, delta, content if plain else None)
        yield PartDeltaEvent(index=index, delta=delta)

    def handle_tool_call_delta(
        self,
        *,
        vendor_part_id: VendorId | None,
        tool_name: str | None = None,
        args: str | JsonObject | None = None,
        tool_call_id: str | None = None,
        provider_name: str | None = None,
        provider_details: JsonObject | None = None,
    ) -> ModelResponseStreamEvent | None:
        """Add a piece of a tool call, and return its event, or `None` as long as the name is not known.

        Args:
            vendor_part_id: The provider's identifier of the part.
            tool_name: A piece of the name.
            args: A piece of the arguments as JSON text, or some of the arguments.
            tool_call_id: The id of the call.
            provider_name: The provider.
            provider_details: Further data from the provider.

        Raises:
            UnexpectedModelBehavior: The identifier is that of a part of another kind, or JSON text and objects are mixed
                in the arguments.
        """
        if type(args) is str and (self._halves or not args.isascii()):
            args = self._whole('args', vendor_part_id, args)
        elif args and type(args) is not str:
            args = well_formed_data(args)
        if tool_name is None and provider_details is None and type(args) is str:
            if (event := self._more_args(vendor_part_id, args, tool_call_id, provider_name)) is not None:
                return event
        if tool_name is not None and not tool_name.isascii():
            tool_name = well_formed(tool_name)
        if tool_call_id is not None and not tool_call_id.isascii():
            tool_call_id = well_formed(tool_call_id)
        index = self._index_of_call(vendor_part_id, tool_name)
        if tool_call_id is not None and index is not None and self._replaced_ids.get(index) == tool_call_id:
            tool_call_id = None
        delta = ToolCallPartDelta(
            tool_name_delta=tool_name,
            args_delta=args,
            tool_call_id=tool_call_id,
            provider_name=provider_name,
            provider_details=provider_details,
        )
        if index is None:
            part = self._with_own_id(len(self._parts), self._narrowed(delta.as_part()))
            entry = _GrowingPart(part, 'args') if part is not None else delta
            event = self._start(entry, vendor_part_id, part)
            return event if part is not None else None
        current = self._raw(index)
        if isinstance(current, ToolCallPartDelta):
            joined = delta.apply(current)
            if isinstance(joined, ToolCallPartDelta):
                self._parts[index] = joined
                return None
            part = self._with_own_id(index, self._narrowed(joined))
            self._parts[index] = _GrowingPart(part, 'args')
            return PartStartEvent(index=index, part=self.part_at(index))
        plain = (
            isinstance(args, str)
            and isinstance(current.args, str)
            and tool_name is None
            and tool_call_id in (None, current.tool_call_id)
        )
        self._apply(index, delta, args if plain and provider_details is None else None)  # type: ignore[arg-type]
        if delta.tool_call_id is None:
            delta.tool_call_id = current.tool_call_id
        return PartDeltaEvent(index=index, delta=delta)

    def _whole(self, kind: str, vendor_part_id: VendorId | None, piece: str) -> str:
        """Return a piece of text, well-formed. Half of a surrogate pair at its end waits for the piece with the other half."""
        piece = self._halves.pop((kind, vendor_part_id), '') + piece
        if '\ud800' <= piece[-1:] <= '\udbff':
            self._halves[kind, vendor_part_id] = piece[-1]
            piece = piece[:-1]
        return well_formed(piece)

    def finish(self) -> Iterator[ModelResponseStreamEvent]:
        """Add what still waits for another piece, at the end of the stream, and yield the events for it."""
        halves, self._halves = self._halves, {}
        for (kind, place), half in halves.items():
            text = well_formed(half)
            if kind == 'text' and self._find(place, TextPart) is not None:
                yield from self.handle_text_delta(vendor_part_id=place, content=text)
            elif kind == 'thinking' and self._find(place, ThinkingPart) is not None:
                yield from self.handle_thinking_delta(vendor_part_id=place, content=text)
            elif kind == 'args' and self._index_of_call(place, None) is not None:
                if (event := self.handle_tool_call_delta(vendor_part_id=place, args=text)) is not None:
                    yield event

    def _more_args(
        self, vendor_part_id: VendorId | None, args: str, tool_call_id: str | None, provider_name: str | None
    ) -> PartDeltaEvent | None:
        """Add more of the arguments of a call, and return the event; `None` if they are not just that.

        A short cut, as for text: nearly all pieces of a call are.
        """
        place = self._vendor_id_to_part_index.get(vendor_part_id, -1)
        entry = self._parts[place] if place >= 0 else None
        if type(entry) is not _GrowingPart or entry.field != 'args' or type(entry.part.args) is not str:
            return None
        call_id: str = entry.part.tool_call_id
        if tool_call_id is not None and tool_call_id != call_id:
            return None
        entry.pieces.append(args)
        delta, event = _new(ToolCallPartDelta), _new(PartDeltaEvent)
        delta.tool_name_delta, delta.args_delta, delta.tool_call_id = None, args, call_id
        delta.provider_name, delta.provider_details = provider_name, None
        delta.part_delta_kind = 'tool_call'
        event.index, event.delta, event.event_kind = place, delta, 'part_delta'
        return event

    def _index_of_call(self, vendor_part_id: VendorId | None, tool_name: str | None) -> int | None:
        """Return the place of the call that a piece belongs to; `None` if it begins a new one."""
        calls = (ToolCallPart, NativeToolCallPart, ToolCallPartDelta)
        if vendor_part_id is None:
            # Without an identifier, a piece with a name starts a call, and a piece without continues the latest part.
            latest = len(self._parts) - 1
            return latest if tool_name is None and self._parts and isinstance(self._raw(latest), calls) else None
        index = self._vendor_id_to_part_index.get(vendor_part_id)
        if index is not None and not isinstance(self._raw(index), calls):
            raise UnexpectedModelBehavior(f'A piece of a tool call came for another part: {self.part_at(index)!r}')
        return index

    def handle_tool_call_part(
        self,
        *,
        vendor_part_id: VendorId | None,
        tool_name: str,
        args: str | JsonObject | None,
        tool_call_id: str | None = None,
        id: str | None = None,
        provider_name: str | None = None,
        provider_details: JsonObject | None = None,
    ) -> ModelResponseStreamEvent:
        """Add a complete tool call, which replaces the part with its identifier, if there is one."""
        part = ToolCallPart(
            tool_name,
            args,
            tool_call_id or generate_tool_call_id(),
            id=id,
            provider_name=provider_name,
            provider_details=provider_details,
        )
        return self.handle_part(vendor_part_id=vendor_part_id, part=self._narrowed(part))

    def begin_part(self, *, vendor_part_id: VendorId, part: ModelResponsePart) -> ModelResponseStreamEvent:
        """Add a part that is complete except for text, which follows as deltas if it has one."""
        part = self._with_own_id(len(self._parts), well_formed_part(part))
        text = next((name for name in ('content', 'args') if isinstance(getattr(part, name, None), str)), None)
        return self._start(_GrowingPart(part, text) if text is not None else part, vendor_part_id, part)

    def handle_part(self, *, vendor_part_id: VendorId | None, part: ModelResponsePart) -> ModelResponseStreamEvent:
        """Add a complete part, which replaces the part with its identifier, if there is one."""
        part = well_formed_part(part)
        index = self._vendor_id_to_part_index.get(vendor_part_id) if vendor_part_id is not None else None
        part = self._with_own_id(len(self._parts) if index is None else index, part)
        if index is None:
            return self._start(part, vendor_part_id, part)
        self._parts[index] = part
        return PartStartEvent(index=index, part=part)

    # Helpers

    def _with_own_id(self, index: int, part: Any) -> Any:
        """Return a call with a new id if an earlier call of the response has its id; any other part as it is.

        A decision about a call, and its result, are found by the id.
        """
        if not isinstance(part, ToolCallPart):
            return part
        if self._call_ids.setdefault(part.tool_call_id, index) != index:
            self._replaced_ids[index] = part.tool_call_id
            part = replace(part, tool_call_id=generate_tool_call_id())
            self._call_ids[part.tool_call_id] = index
        return part

    def _raw(self, index: int) -> Any:
        """Return a part without joining its pieces."""
        entry = self._parts[index]
        return entry.part if isinstance(entry, _GrowingPart) else entry

    def _find(self, vendor_part_id: VendorId | None, kind: type, *, strict: bool = False) -> int | None:
        """Return the index of the part that a piece continues, or `None` if the piece starts a part."""
        if vendor_part_id is None:
            latest = len(self._parts) - 1
            return latest if latest >= 0 and isinstance(self._raw(latest), kind) else None
        index = self._vendor_id_to_part_index.get(vendor_part_id)
        if index is None or isinstance(self._raw(index), kind):
            return index
        if strict:
            raise UnexpectedModelBehavior(
                f'A piece of a {kind.__name__} came for another part: {self.part_at(index)!r}'
            )
        return None

    def _start(self, entry: Any, vendor_part_id: VendorId | None, part: Any) -> PartStartEvent:
        index = len(self._parts)
        if vendor_part_id is not None:
            self._vendor_id_to_part_index[vendor_part_id] = index
        self._parts.append(entry)
        return PartStartEvent(index=index, part=part)

    def _forget(self, vendor_part_id: VendorId | None) -> None:
        if vendor_part_id is not None:
            self._vendor_id_to_part_index.pop(vendor_part_id, None)

    def _apply(self, index: int, delta: Any, text: str | None) -> None:
        """Append text to a part in constant time, or apply a delta that changes more than the text.

        Args:
            index: The index of the part.
            delta: The delta.
            text: The text to append, or `None` if the delta changes more.
        """
        entry = self._parts[index]
        if text is not None and isinstance(entry, _GrowingPart) and not getattr(delta, 'provider_details', None):
            entry.append(text)
            return
        part = delta.apply(self.part_at(index))
        growing = entry.field if isinstance(entry, _GrowingPart) else None
        self._parts[index] = _GrowingPart(part, growing) if growing else part

    def _narrowed(self, part: Any) -> Any:
        """Return a tool call as the type for the kind of its tool, such as a search of tools."""
        if part is None or not (kind := self._tool_kind_by_name.get(part.tool_name)):
            return part
        return type(part).narrow_type(part, tool_kind=kind)  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
