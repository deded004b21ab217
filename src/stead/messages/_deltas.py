"""Pieces of parts, as streams bring them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Literal, Union, cast, overload

from pydantic import Discriminator
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAlias

from .._kit.ids import generate_tool_call_id
from .._kit.records import replace_no_init, repr_without_defaults
from ..exceptions import UnexpectedModelBehavior
from ._parts import TextPart, ThinkingPart
from ._tool_parts import NativeToolCallPart, ToolCallPart

ProviderDetailsDelta: TypeAlias = Union[
    dict[str, Any],
    SkipJsonSchema[Callable[[Union[dict[str, Any], None]], dict[str, Any]]],
    None,
]
"""Details to merge into those of a part, or a function of the old details that returns the new ones."""


def merge_details(old: dict[str, Any] | None, delta: Any) -> dict[str, Any] | None:
    """Return the details of a part with a delta applied; neither is changed."""
    if callable(delta):
        return cast(Any, delta)(old)
    if delta:
        return {**(old or {}), **delta}
    return old


@dataclass(repr=False)
class TextPartDelta:
    """A piece of text."""

    content_delta: str
    """The text to append."""
    _: KW_ONLY
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: dict[str, Any] | None = None
    """Details to merge into those of the part."""
    part_delta_kind: Literal['text'] = 'text'
    """Discriminator of the delta."""

    def apply(self, part: Any) -> TextPart:
        """Return a text part with this piece appended; the part itself is not changed.

        Raises:
            ValueError: It is no text part.
        """
        if not isinstance(part, TextPart):
            raise ValueError(f'A text delta applies to a `TextPart`, not to {part!r}.')
        return replace_no_init(
            part,
            content=part.content + self.content_delta,
            provider_name=self.provider_name or part.provider_name,
            provider_details=merge_details(part.provider_details, self.provider_details) or None,
        )

    __repr__ = repr_without_defaults


@dataclass(repr=False, kw_only=True)
class ThinkingPartDelta:
    """A piece of thinking."""

    content_delta: str | None = None
    """The text to append."""
    signature_delta: str | None = None
    """The signature, which replaces the one before."""
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
    def apply(self, part: Any) -> ThinkingPart | ThinkingPartDelta: ...

    def apply(self, part: Any) -> ThinkingPart | ThinkingPartDelta:
        """Return a thinking part, or a thinking delta, with this piece appended; the argument is not changed.

        Raises:
            ValueError: It is neither, or this delta has nothing to append to a delta.
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
            raise ValueError(f'A thinking delta applies to a `ThinkingPart` or a `ThinkingPartDelta`, not to {part!r}.')
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

    __repr__ = repr_without_defaults


def _chained(first: Any, second: Any) -> Any:
    """Return one details delta for two that follow each other."""
    if not callable(first) and not callable(second):
        return merge_details(first, second)
    return lambda old: merge_details(merge_details(old, first), second)  # type: ignore[reportUnknownLambdaType]


@dataclass(repr=False, kw_only=True)
class ToolCallPartDelta:
    """A piece of a tool call."""

    tool_name_delta: str | None = None
    """The piece of the name to append."""
    args_delta: str | dict[str, Any] | None = None
    """The piece of the JSON text to append, or an object to merge."""
    tool_call_id: str | None = None
    """The id of the call, which replaces the one before."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: dict[str, Any] | None = None
    """Details to merge into those of the part."""
    part_delta_kind: Literal['tool_call'] = 'tool_call'
    """Discriminator of the delta."""

    def as_part(self) -> ToolCallPart | None:
        """Return the call that this delta starts, or `None` as long as its name is not known."""
        if self.tool_name_delta is None:
            return None
        return ToolCallPart(
            self.tool_name_delta,
            self.args_delta,
            self.tool_call_id or generate_tool_call_id(),
            provider_name=self.provider_name,
            provider_details=self.provider_details,
        )

    def apply(self, part: Any) -> ToolCallPart | NativeToolCallPart | ToolCallPartDelta:
        """Return a call, or a call delta, with this piece appended; the argument is not changed.

        Returns:
            The call; for a delta, the call that the two make, or a delta as long as its name is not known. A piece that
            says nothing returns its argument.

        Raises:
            ValueError: It is neither.
            UnexpectedModelBehavior: JSON text would be appended to an object, or an object merged into JSON text.
        """
        if isinstance(part, ToolCallPartDelta):
            joined = part if self._says_nothing() else self._joined_to(part)
            return joined.as_part() or joined
        if not isinstance(part, (ToolCallPart, NativeToolCallPart)):
            raise ValueError(
                'A tool call delta applies to a `ToolCallPart`, a `NativeToolCallPart` or a `ToolCallPartDelta`, '
                f'not to {part!r}.'
            )
        if self._says_nothing():
            return part
        return replace_no_init(
            part,
            tool_name=part.tool_name + (self.tool_name_delta or ''),
            args=self._appended(part.args, part),
            tool_call_id=self.tool_call_id or part.tool_call_id,
            provider_name=self.provider_name or part.provider_name,
            provider_details=merge_details(part.provider_details, self.provider_details),
        )

    def _says_nothing(self) -> bool:
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

    def _appended(self, args: str | dict[str, Any] | None, target: Any) -> str | dict[str, Any] | None:
        delta = self.args_delta
        if delta is None or args is None:
            return args if delta is None else delta
        if isinstance(delta, str):
            if not isinstance(args, str):
                raise UnexpectedModelBehavior(
                    f'The model sent JSON text to append to arguments that are an object: {target!r}'
                )
            return args + delta
        if not isinstance(args, dict):
            raise UnexpectedModelBehavior(
                f'The model sent an object to merge into arguments that are JSON text: {target!r}'
            )
        return {**args, **delta}

    __repr__ = repr_without_defaults


ModelResponsePartDelta = Annotated[
    Union[TextPartDelta, ThinkingPartDelta, ToolCallPartDelta], Discriminator('part_delta_kind')
]
"""A piece of a part of a response."""
