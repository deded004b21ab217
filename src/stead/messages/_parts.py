"""The parts of requests and responses, except those of tool calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from .._kit.ids import now_utc
from .._kit.json_types import JsonObject
from .._kit.records import repr_without_defaults
from . import _otel as otel
from ._media import BinaryContent, UserContent
from ._open import OpenContent


@dataclass(repr=False)
class SystemPromptPart:
    """A system prompt."""

    content: str
    """The text."""
    _: KW_ONLY
    timestamp: datetime = field(default_factory=now_utc)
    """When it was created."""
    dynamic_ref: str | None = None
    """The name of the function that returned it, if the function is called again when a run continues the history."""
    part_kind: Literal['system-prompt'] = 'system-prompt'
    """Discriminator of the part."""

    def otel_event(self, settings: otel.ContentSettings) -> Any:
        """Return the OpenTelemetry log record of the part (instrumentation version 1)."""
        content = {'content': self.content} if settings.include_content else {}
        return otel.event('gen_ai.system.message', {'role': 'system', **content})

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(self.content, settings)]

    __repr__ = repr_without_defaults


@dataclass(repr=False)
class UserPromptPart:
    """A prompt of the user."""

    content: str | Sequence[UserContent]
    """Text, or a sequence of text and multi-modal content."""
    _: KW_ONLY
    timestamp: datetime = field(default_factory=now_utc)
    """When it was created."""
    part_kind: Literal['user-prompt'] = 'user-prompt'
    """Discriminator of the part."""

    def otel_event(self, settings: otel.ContentSettings) -> Any:
        """Return the OpenTelemetry log record of the part (instrumentation version 1)."""
        if isinstance(self.content, str):
            content: Any = self.content if settings.include_content else {'kind': 'text'}
        else:
            items = [otel.user_content_event(item, settings) for item in self.content]
            content = [item for item in items if item is not None]
            if content == [{'kind': 'text'}]:  # text that is left out looks the same, alone or in a sequence
                content = content[0]
        return otel.event('gen_ai.user.message', {'content': content, 'role': 'user'})

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        items = [self.content] if isinstance(self.content, str) else self.content
        parts = [otel.user_content_part(item, settings) for item in items]
        return [part for part in parts if part is not None]

    __repr__ = repr_without_defaults


@dataclass(repr=False)
class InstructionPart:
    """A block of instructions, as models receive it."""

    content: str
    """The text."""
    _: KW_ONLY
    dynamic: bool = False
    """Whether the text may change from step to step; static blocks come first, so that providers can cache them."""
    part_kind: Literal['instruction'] = 'instruction'
    """Discriminator of the part."""

    @staticmethod
    def sorted(parts: Iterable[InstructionPart]) -> list[InstructionPart]:
        """Return parts with the static ones first."""
        return sorted(parts, key=lambda part: part.dynamic)

    @staticmethod
    def join(parts: Sequence[InstructionPart]) -> str | None:
        """Return the text of all parts, or `None` if there is none."""
        if len(parts) == 1:
            return parts[0].content.strip() or None
        return '\n\n'.join(part.content for part in parts).strip() or None

    __repr__ = repr_without_defaults


@dataclass(repr=False)
class TextPart:
    """Text from the model."""

    content: str
    """The text."""
    _: KW_ONLY
    id: str | None = None
    """Its id at the provider."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: JsonObject | None = None
    """Further details from the provider."""
    part_kind: Literal['text'] = 'text'
    """Discriminator of the part."""

    def has_content(self) -> bool:
        """Return whether there is any text."""
        return bool(self.content)

    __repr__ = repr_without_defaults


@dataclass(repr=False)
class ThinkingPart:
    """Thinking from the model."""

    content: str
    """The text."""
    _: KW_ONLY
    id: str | None = None
    """Its id at the provider."""
    signature: str | None = None
    """The signature of the provider, sent back to it with the part."""
    provider_name: str | None = None
    """The provider that sent it; signatures are only sent back to the same one."""
    provider_details: JsonObject | None = None
    """Further details from the provider."""
    part_kind: Literal['thinking'] = 'thinking'
    """Discriminator of the part."""

    def has_content(self) -> bool:
        """Return whether there is any text."""
        return bool(self.content)

    __repr__ = repr_without_defaults


@dataclass(repr=False)
class CompactionPart:
    """A summary with which the provider replaced earlier messages."""

    content: str | None = None
    """The summary, if the provider shows it."""
    _: KW_ONLY
    id: str | None = None
    """Its id at the provider."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: JsonObject | None = None
    """Further details from the provider."""
    part_kind: Literal['compaction'] = 'compaction'
    """Discriminator of the part."""

    def has_content(self) -> bool:
        """Return whether the provider shows a summary."""
        return bool(self.content)

    __repr__ = repr_without_defaults


@dataclass(repr=False)
class FilePart:
    """A file from the model."""

    content: Annotated[BinaryContent, AfterValidator(BinaryContent.narrow_type), OpenContent()]
    """The file; images are a `BinaryImage`."""
    _: KW_ONLY
    id: str | None = None
    """Its id at the provider."""
    provider_name: str | None = None
    """The provider that sent it."""
    provider_details: JsonObject | None = None
    """Further details from the provider."""
    part_kind: Literal['file'] = 'file'
    """Discriminator of the part."""

    def has_content(self) -> bool:
        """Return whether the file has any bytes."""
        return bool(self.content.data)

    __repr__ = repr_without_defaults
