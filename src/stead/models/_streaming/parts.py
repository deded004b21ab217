"""`ModelResponsePartsManager`: puts the pieces of a streamed response together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from ..._contracts.model import ModelRequestParameters
from ..._kit.ids import generate_tool_call_id
from ...exceptions import UnexpectedModelBehavior
from ...messages import (
    ModelResponsePart,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

VendorId = Hashable
"""What tells a part from others of the response, in the terms of the provider."""


class _Growing:
    """A part whose text grows: the pieces are kept, and joined when somebody looks."""

    __slots__ = ('field', 'part', 'pieces')

    def __init__(self, part: Any, field: str) -> None:
        self.part: Any = part
        self.field = field
        self.pieces: list[str] = []

    def append(self, piece: str) -> None:
        self.pieces.append(piece)

    def get(self) -> Any:
        if self.pieces:
            old: Any = self.part
            part: Any = object.__new__(
                cast('type[Any]', type(old))
            )  # `copy` takes several times as long, and this is done for every piece
            part.__dict__.update(old.__dict__)
            setattr(part, self.field, (getattr(old, self.field) or '') + ''.join(self.pieces))
            self.part, self.pieces = part, []
        return self.part


@dataclass
class ModelResponsePartsManager:
    """Puts the pieces of a streamed response together, and says what each of them is an event of.

    Every method yields the events of its piece. `vendor_part_id` tells parts apart that come in turn; `None` means
    the latest part of the kind, or a new one if the latest part is of another kind.
    """

    model_request_parameters: ModelRequestParameters
    _parts: list[Any] = field(default_factory=lambda: [], init=False)
    _vendor_id_to_part_index: dict[VendorId, int] = field(default_factory=lambda: {}, init=False)
    _tool_kind_by_name: dict[str, Any] = field(default_factory=lambda: {}, init=False)

    def __post_init__(self) -> None:
        self._tool_kind_by_name = {
            name: tool.tool_kind for name, tool in self.model_request_parameters.tool_defs.items() if tool.tool_kind
        }

    def get_parts(self) -> list[ModelResponsePart]:
        """Return the parts so far; calls whose name is not known yet are left out."""
        parts = [entry.get() if isinstance(entry, _Growing) else entry for entry in self._parts]
        return [part for part in parts if not isinstance(part, ToolCallPartDelta)]

    def part_at(self, index: int) -> Any:
        """Return the part that events with this index are of."""
        return self._get(index)

    def get_part_by_vendor_id(self, vendor_id: VendorId) -> ModelResponsePart | None:
        """Return a part by the id that the provider has for it."""
        index = self._vendor_id_to_part_index.get(vendor_id)
        return self._get(index) if index is not None else None

    def handle_text_delta(
        self,
        *,
        vendor_part_id: VendorId | None,
        content: str,
        id: str | None = None,
        provider_name: str | None = None,
        provider_details: dict[str, Any] | None = None,
        thinking_tags: tuple[str, str] | None = None,
        ignore_leading_whitespace: bool = False,
    ) -> Iterator[ModelResponseStreamEvent]:
        """Take a piece of text.

        Args:
            vendor_part_id: What tells the part from others.
            content: The text.
            id: The id that the provider gave the part.
            provider_name: The provider.
            provider_details: What else the provider said.
            thinking_tags: Tags that set thinking apart; each must come as a piece of its own.
            ignore_leading_whitespace: Whether white space that would start a part is dropped.
        """
        # Nearly all pieces go on with a part, and there may be thousands of them.
        place = self._vendor_id_to_part_index.get(vendor_part_id)
        if place is not None and thinking_tags is None and provider_details is None:
            entry = self._parts[place]
            if type(entry) is _Growing and type(entry.part) is TextPart:
                entry.pieces.append(content)
                return iter((PartDeltaEvent(index=place, delta=TextPartDelta(content, provider_name=provider_name)),))
        new = TextPart(content, id=id, provider_name=provider_name, provider_details=provider_details)
        return self._handle_text(vendor_part_id, new, thinking_tags, ignore_leading_whitespace)

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
            yield self._start(_Growing(part, 'content'), vendor_part_id, part)
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
        provider_details: Any = None,
    ) -> Iterator[ModelResponseStreamEvent]:
        """Take a piece of thinking; arguments as `handle_text_delta`.

        Raises:
            UnexpectedModelBehavior: The part of that id is of another kind.
        """
        index = self._find(vendor_part_id, ThinkingPart, strict=True)
        if index is None:
            if content is None and signature is None and not provider_details:
                return
            details: Any = provider_details(None) if callable(provider_details) else provider_details
            part = ThinkingPart(
                content or '', id=id, signature=signature, provider_name=provider_name, provider_details=details
            )
            yield self._start(_Growing(part, 'content'), vendor_part_id, part)
            return
        if content is None and signature is None and provider_details is None:
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
        args: str | dict[str, Any] | None = None,
        tool_call_id: str | None = None,
        provider_name: str | None = None,
        provider_details: dict[str, Any] | None = None,
    ) -> ModelResponseStreamEvent | None:
        """Take a piece of a tool call; returns its event, or `None` as long as the name is not known.

        Raises:
            UnexpectedModelBehavior: The part of that id is of another kind, or the arguments do not go together.
        """
        index: int | None = None
        if vendor_part_id is None:
            # Without an id, a piece with a name starts a call, and one without goes on with the latest part.
            if tool_name is None and self._parts:
                latest = len(self._parts) - 1
                if isinstance(self._raw(latest), (ToolCallPart, NativeToolCallPart, ToolCallPartDelta)):
                    index = latest
        else:
            index = self._vendor_id_to_part_index.get(vendor_part_id)
            if index is not None and not isinstance(
                self._raw(index), (ToolCallPart, NativeToolCallPart, ToolCallPartDelta)
            ):
                raise UnexpectedModelBehavior(f'A piece of a tool call came for another part: {self._get(index)!r}')
        delta = ToolCallPartDelta(
            tool_name_delta=tool_name,
            args_delta=args,
            tool_call_id=tool_call_id,
            provider_name=provider_name,
            provider_details=provider_details,
        )
        if index is None:
            part = self._narrowed(delta.as_part())
            entry: Any = _Growing(part, 'args') if part is not None else delta
            event = self._start(entry, vendor_part_id, part)
            return event if part is not None else None
        current = self._raw(index)
        if isinstance(current, ToolCallPartDelta):
            joined: Any = delta.apply(current)
            if isinstance(joined, ToolCallPartDelta):
                self._parts[index] = joined
                return None
            self._parts[index] = _Growing(self._narrowed(joined), 'args')
            return PartStartEvent(index=index, part=self._get(index))
        plain = (
            isinstance(args, str)
            and isinstance(current.args, str)
            and tool_name is None
            and tool_call_id
            in (
                None,
                current.tool_call_id,
            )
        )
        self._apply(index, delta, args if plain and provider_details is None else None)  # type: ignore[arg-type]
        if delta.tool_call_id is None:
            delta.tool_call_id = current.tool_call_id
        return PartDeltaEvent(index=index, delta=delta)

    def handle_tool_call_part(
        self,
        *,
        vendor_part_id: VendorId | None,
        tool_name: str,
        args: str | dict[str, Any] | None,
        tool_call_id: str | None = None,
        id: str | None = None,
        provider_name: str | None = None,
        provider_details: dict[str, Any] | None = None,
    ) -> ModelResponseStreamEvent:
        """Take a whole tool call; it replaces the part of that id, if there is one."""
        part = ToolCallPart(
            tool_name,
            args,
            tool_call_id or generate_tool_call_id(),
            id=id,
            provider_name=provider_name,
            provider_details=provider_details,
        )
        return self.handle_part(vendor_part_id=vendor_part_id, part=self._narrowed(part))

    def handle_part(self, *, vendor_part_id: VendorId | None, part: ModelResponsePart) -> ModelResponseStreamEvent:
        """Take a whole part; it replaces the part of that id, if there is one."""
        index = self._vendor_id_to_part_index.get(vendor_part_id) if vendor_part_id is not None else None
        if index is None:
            return self._start(part, vendor_part_id, part)
        self._parts[index] = part
        return PartStartEvent(index=index, part=part)

    # Helpers

    def _get(self, index: int) -> Any:
        entry = self._parts[index]
        return entry.get() if isinstance(entry, _Growing) else entry

    def _raw(self, index: int) -> Any:
        """Return a part without joining its pieces."""
        entry = self._parts[index]
        return entry.part if isinstance(entry, _Growing) else entry

    def _find(self, vendor_part_id: VendorId | None, kind: type, *, strict: bool = False) -> int | None:
        """Return the place of the part that a piece belongs to."""
        if vendor_part_id is None:
            latest = len(self._parts) - 1
            return latest if latest >= 0 and isinstance(self._raw(latest), kind) else None
        index = self._vendor_id_to_part_index.get(vendor_part_id)
        if index is None or isinstance(self._raw(index), kind):
            return index
        if strict:
            raise UnexpectedModelBehavior(f'A piece of a {kind.__name__} came for another part: {self._get(index)!r}')
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
        """Append plain text to a part in constant time, or apply a delta that says more."""
        entry = self._parts[index]
        if text is not None and isinstance(entry, _Growing) and not getattr(delta, 'provider_details', None):
            entry.append(text)
            return
        part = delta.apply(self._get(index))
        growing = entry.field if isinstance(entry, _Growing) else None
        self._parts[index] = _Growing(part, growing) if growing else part

    def _narrowed(self, part: Any) -> Any:
        if part is None or not (kind := self._tool_kind_by_name.get(part.tool_name)):
            return part
        return type(part).narrow_type(part, tool_kind=kind)  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
