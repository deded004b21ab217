"""The parts of requests and responses, except those of tool calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, Optional, Union

from pydantic import AfterValidator
from typing_extensions import TypeAlias

from .._kit.ids import now_utc
from .._kit.json_types import JsonObject
from .._kit.left_out import CONVERSATION, left_out
from .._kit.marks import Discriminator
from .._kit.records import ShortRepr
from . import _media as media, _otel as otel
from ._open import OpenContent, OpenWord, UnknownContent, kinds_of


@dataclass(repr=False, eq=False)
class SystemPromptPart(ShortRepr):
    """A system prompt."""

    content: str
    """The text."""
    _: KW_ONLY
    timestamp: datetime = field(default_factory=now_utc)
    """When it was created."""
    dynamic_ref: str | None = None
    """The name of the function that returned it, if the function is called again when a run continues the history."""
    context_id: Annotated[str | None, left_out()] = None
    """The id of the context that it belongs to, if the application counts those."""
    scope: Annotated[Literal['conversation', 'request'], OpenWord('scope'), left_out(CONVERSATION)] = 'conversation'
    """Whether it holds for the conversation, or for this request alone."""
    metadata: Annotated[JsonObject | None, left_out()] = None
    """Data for the application; never sent to the model."""
    part_kind: Literal['system-prompt'] = 'system-prompt'
    """Discriminator of the part."""

    def otel_event(self, settings: otel.ContentSettings) -> Any:
        """Return the OpenTelemetry log record of the part (instrumentation version 1)."""
        content = {'content': self.content} if settings.include_content else {}
        return otel.event('gen_ai.system.message', {'role': 'system', **content})

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(self.content, settings)]


@dataclass(repr=False, eq=False)
class UserPromptPart(ShortRepr):
    """A prompt of the user."""

    content: str | Sequence[media.UserContent]
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


@dataclass(repr=False, eq=False)
class WebCitationSource(ShortRepr):
    """A page."""

    url: str
    """Its URL."""
    _: KW_ONLY
    title: str | None = None
    """Its title."""
    excerpts: list[str] = field(default_factory=list[str])
    """What was taken from it."""
    kind: Literal['web'] = 'web'
    """Discriminator of the source."""


@dataclass(repr=False, eq=False, kw_only=True)
class DocumentCitationSource(ShortRepr):
    """A document.

    Raises:
        ValueError: Nothing is said about it.
    """

    document_id: str | None = None
    """Its id at the provider."""
    title: str | None = None
    """Its title."""
    excerpts: list[str] = field(default_factory=list[str])
    """What was taken from it."""
    kind: Literal['document'] = 'document'
    """Discriminator of the source."""

    def __post_init__(self) -> None:
        if self.document_id is None and self.title is None and not self.excerpts:
            raise ValueError('a document that is cited has at least an id, a title or an excerpt')


@dataclass(repr=False, eq=False, kw_only=True)
class _Anchor(ShortRepr):
    start: int
    """Where it starts, in characters of the content of the part."""
    end: int
    """Where it ends; that character is not part of it."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f'a citation is anchored at 0 <= start < end, not at {self.start} and {self.end}')


@dataclass(repr=False, eq=False, kw_only=True)
class ContentCitationAnchor(_Anchor):
    """The text that the sources support.

    Raises:
        ValueError: It is empty.
    """

    kind: Literal['content'] = 'content'
    """Discriminator of the anchor."""


@dataclass(repr=False, eq=False, kw_only=True)
class MarkerCitationAnchor(_Anchor):
    """The mark in the text that stands for the sources, such as `[1]`.

    Raises:
        ValueError: It is empty.
    """

    kind: Literal['marker'] = 'marker'
    """Discriminator of the anchor."""


_KnownSource = Annotated[Union[WebCitationSource, DocumentCitationSource], Discriminator('kind')]
_KnownAnchor = Annotated[Union[ContentCitationAnchor, MarkerCitationAnchor], Discriminator('kind')]


@cache
def _kinds() -> frozenset[str]:
    return kinds_of(Union[_KnownSource, _KnownAnchor], 'kind')


CitationSource: TypeAlias = Annotated[
    Union[_KnownSource, UnknownContent], OpenContent(UnknownContent, _KnownSource, _kinds)
]
"""What is cited."""
CitationAnchor: TypeAlias = Annotated[
    Union[_KnownAnchor, UnknownContent], OpenContent(UnknownContent, _KnownAnchor, _kinds)
]
"""Where in a text it is cited."""


@dataclass(repr=False, eq=False)
class Citation(ShortRepr):
    """A citation in a text of the model.

    Raises:
        ValueError: It has no sources.
    """

    sources: list[CitationSource]
    """What is cited."""
    _: KW_ONLY
    anchor: Optional[CitationAnchor] = None
    """Where in the text, if the provider says so."""

    def __post_init__(self) -> None:
        if not self.sources:
            raise ValueError('a citation has at least one source')


@dataclass(repr=False, eq=False)
class TextPart(ShortRepr):
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
    citations: Annotated[list[Annotated[Citation, OpenContent()]] | None, left_out()] = None
    """What pieces of the text are taken from."""
    part_kind: Literal['text'] = 'text'
    """Discriminator of the part."""

    def has_content(self) -> bool:
        """Return whether there is any text."""
        return bool(self.content)


@dataclass(repr=False, eq=False)
class ThinkingPart(ShortRepr):
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


@dataclass(repr=False, eq=False)
class CompactionPart(ShortRepr):
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
    metadata: Annotated[JsonObject | None, left_out()] = None
    """Data for the application; never sent to the model."""
    part_kind: Literal['compaction'] = 'compaction'
    """Discriminator of the part."""

    def has_content(self) -> bool:
        """Return whether the provider shows a summary."""
        return bool(self.content)

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(self.content, settings)] if self.content else []


@dataclass(repr=False, eq=False)
class FilePart(ShortRepr):
    """A file from the model."""

    content: Annotated[media.BinaryContent, AfterValidator(media.BinaryContent.narrow_type), OpenContent()]
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
