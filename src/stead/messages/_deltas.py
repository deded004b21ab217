"""Deltas: chunks of parts, as they arrive in streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal, Union, overload

from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAlias

from .._kit.ids import generate_tool_call_id
from .._kit.json_types import JsonObject
from .._kit.left_out import left_out
from .._kit.marks import Discriminator
from .._kit.records import ShortRepr, replace_no_init
from .._kit.short import short_repr
from ..exceptions import UnexpectedModelBehavior
from ._open import OpenContent
from ._parts import Citation, TextPart, ThinkingPart
from ._tool_parts import NativeToolCallPart, ToolCallPart

ProviderDetailsDelta: TypeAlias = Union[
    JsonObject,
    SkipJsonSchema[Callable[[Union[JsonObject, None]], JsonObject]],
    None,
]
"""Details to merge into those of a part, or a function of the old details that returns the new ones."""


def merge_details(old: JsonObject | None, delta: ProviderDetailsDelta) -> JsonObject | None:
    """Return the details of a part with a delta applied; neither is changed."""
    if callable(delta):
        return delta(old)
    if delta:
        return {**(old or {}), **delta}
    return old


@dataclass(repr=False, eq=False)
class TextPartDelta(ShortRepr):
    """A chunk of a text part."""

    content_delta: str
    """The text to append."""
    _: KW_ONLY
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: JsonObject | None = None
    """Details to merge into those of the part."""
    citations_delta: Annotated[list[Annotated[Citation, OpenContent()]] | None, left_out()] = None
    """All citations of the part so far."""
    part_delta_kind: Literal['text'] = 'text'
    """Discriminator of the delta."""

    def apply(self, part: object) -> TextPart:
        """Return a text part with this chunk appended; the argument is not changed.

        Raises:
            ValueError: `part` is not a text part.
        """
        if not isinstance(part, TextPart):
            raise ValueError(f'A text delta applies to a `TextPart`, not to {short_repr(part)}.')
        return replace_no_init(
            part,
            content=part.content + self.content_delta,
            provider_name=self.provider_name or part.provider_name,
            provider_details=merge_details(part.provider_details, self.provider_details) or None,
            citations=part.citations if self.citations_delta is None else self.citations_delta,
        )


@dataclass(repr=False, eq=False, kw_only=True)
class ThinkingPartDelta(ShortRepr):
    """A chunk of a thinking part."""

    content_delta: str | None = None
    """The text to append."""
    signature_delta: str | None = None
    """The signature, which replaces the previous one."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: ProviderDetailsDelta = None
    """Details to merge into those of the part."""
    part_delta_kind: Literal['thinking'] = 'thinking'
    """Discriminator of the delta."""

    @overload
    def apply(self, part: ThinkingPart) -> ThinkingPart: ...

    @overload
    def apply(self, part: ThinkingPartDelta) -> ThinkingPartDelta: ...

    @overload
    def apply(self, part: object) -> ThinkingPart | ThinkingPartDelta: ...

    def apply(self, part: object) -> ThinkingPart | ThinkingPartDelta:
        """Return a thinking part, or a thinking delta, with this chunk appended; the argument is not changed.

        Raises:
            ValueError: `part` is neither, or is a delta and this one has nothing to append.
        """
        if isinstance(part, ThinkingPart):
            return replace_no_init(
                part,
                content=part.content + (self.content_delta or ''),
                signature=self.signature_delta if self.signature_delta is not None else part.signature,
                provider_name=self.provider_name or part.provider_name,
                provider_details=merge_details(part.provider_details, self.provider_details),
            )
        if not isinstance(part, ThinkingPartDelta):
            raise ValueError(
                f'A thinking delta applies to a `ThinkingPart` or a `ThinkingPartDelta`, not to {short_repr(part)}.'
            )
        if self.content_delta is None and self.signature_delta is None:
            raise ValueError('A thinking delta without text and signature cannot be applied to another delta.')
        content = part.content_delta
        if self.content_delta is not None:
            content = (content or '') + self.content_delta
        return replace_no_init(
            part,
            content_delta=content,
            signature_delta=self.signature_delta if self.signature_delta is not None else part.signature_delta,
            provider_name=self.provider_name or part.provider_name,
            provider_details=_chained(part.provider_details, self.provider_details),
        )


def _chained(first: ProviderDetailsDelta, second: ProviderDetailsDelta) -> ProviderDetailsDelta:
    """Combine two consecutive deltas of details into one."""
    if not callable(first) and not callable(second):
        return merge_details(first, second)
    return lambda old: merge_details(merge_details(old, first), second)  # type: ignore[reportUnknownLambdaType]


@dataclass(repr=False, eq=False, kw_only=True)
class ToolCallPartDelta(ShortRepr):
    """A chunk of a tool call."""

    tool_name_delta: str | None = None
    """The text to append to the name."""
    args_delta: str | JsonObject | None = None
    """The JSON text to append, or an object to merge."""
    tool_call_id: str | None = None
    """The id of the call, which replaces the previous one."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: JsonObject | None = None
    """Details to merge into those of the part."""
    part_delta_kind: Literal['tool_call'] = 'tool_call'
    """Discriminator of the delta."""

    def as_part(self) -> ToolCallPart | None:
        """Return the call that this delta starts, or `None` while its name is unknown."""
        if self.tool_name_delta is None:
            return None
        return ToolCallPart(
            self.tool_name_delta,
            self.args_delta,
            self.tool_call_id or generate_tool_call_id(),
            provider_name=self.provider_name,
            provider_details=self.provider_details,
        )

    def apply(self, part: object) -> ToolCallPart | NativeToolCallPart | ToolCallPartDelta:
        """Return a call, or a call delta, with this chunk appended; the argument is not changed.

        Returns:
            The call; for a delta, the call that the two form, or a delta while its name is unknown. An empty chunk
            returns its argument.

        Raises:
            ValueError: `part` is neither.
            UnexpectedModelBehavior: JSON text would be appended to an object, or an object merged into JSON text.
        """
        if isinstance(part, ToolCallPartDelta):
            joined = part if self._is_empty() else self._joined_to(part)
            return joined.as_part() or joined
        if not isinstance(part, (ToolCallPart, NativeToolCallPart)):
            raise ValueError(
                'A tool call delta applies to a `ToolCallPart`, a `NativeToolCallPart` or a `ToolCallPartDelta`, '
                f'not to {short_repr(part)}.'
            )
        if self._is_empty():
            return part
        return replace_no_init(
            part,
            tool_name=part.tool_name + (self.tool_name_delta or ''),
            args=self._appended(part.args, part),
            tool_call_id=self.tool_call_id or part.tool_call_id,
            provider_name=self.provider_name or part.provider_name,
            provider_details=merge_details(part.provider_details, self.provider_details),
        )

    def _is_empty(self) -> bool:
        return self.args_delta is None and not (
            self.tool_name_delta or self.tool_call_id or self.provider_name or self.provider_details
        )

    def _joined_to(self, first: ToolCallPartDelta) -> ToolCallPartDelta:
        name = first.tool_name_delta
        if self.tool_name_delta:
            name = (name or '') + self.tool_name_delta
        return replace_no_init(
            first,
            tool_name_delta=name,
            args_delta=self._appended(first.args_delta, first),
            tool_call_id=self.tool_call_id or first.tool_call_id,
            provider_name=self.provider_name or first.provider_name,
            provider_details=merge_details(first.provider_details, self.provider_details),
        )

    def _appended(self, args: str | JsonObject | None, target: object) -> str | JsonObject | None:
        delta = self.args_delta
        if delta is None or args is None:
            return args if delta is None else delta
        if isinstance(delta, str):
            if not isinstance(args, str):
                raise UnexpectedModelBehavior(
                    f'The model sent JSON text to append to arguments that are an object: {short_repr(target)}'
                )
            return args + delta
        if not isinstance(args, dict):
            raise UnexpectedModelBehavior(
                f'The model sent an object to merge into arguments that are JSON text: {short_repr(target)}'
            )
        return {**args, **delta}


ModelResponsePartDelta = Annotated[
    Union[TextPartDelta, ThinkingPartDelta, ToolCallPartDelta], Discriminator('part_delta_kind')
]
"""A chunk of a part of a response."""
