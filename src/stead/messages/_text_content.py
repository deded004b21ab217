"""Text and structured data in prompts, and the marks between them."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Any, Literal

import pydantic_core

from .._kit.records import DataRecord, ShortRepr
from ..exceptions import UserError


@dataclass(repr=False, eq=False)
class TextContent(ShortRepr):
    """Text in a user prompt, with metadata."""

    content: str
    """The text."""
    _: KW_ONLY
    metadata: Any = None
    """Data for the application; never sent to the model."""
    kind: Literal['text-content'] = 'text-content'
    """Discriminator of the content."""


_MARKUP = {'<': '\\u003c', '>': '\\u003e', '&': '\\u0026'}


@dataclass(repr=False, eq=False)
class StructuredContent(TextContent):
    """Data in a user prompt, which the model reads as text: its JSON, in which nothing can pose as a tag, or its XML.

    Raises:
        ValueError: The tag is not in snake case, or the value has no JSON form.
    """

    content: str = field(default='', kw_only=True)
    """The text; by default it is made of the value."""
    kind: Literal['structured-content'] = field(default='structured-content', kw_only=True)  # pyright: ignore[reportIncompatibleVariableOverride]
    """Discriminator of the content."""
    value: object = field(kw_only=False)
    """The data."""
    _: KW_ONLY
    format: InitVar[Literal['json', 'xml'] | None] = None
    """How the value is written, JSON by default; it is not stored."""
    tag: str | None = None
    """A tag around it."""
    description: str | None = None
    """A line before it."""

    def __post_init__(self, format: Literal['json', 'xml'] | None) -> None:
        if self.tag is not None:
            from .._kit.tags import check_name

            try:
                check_name(self.tag, 'The tag of structured content')
            except UserError as error:
                raise ValueError(str(error)) from None
        if not self.content:
            self.content = self._rendered(format)

    def render(self) -> str:
        """Return the text that is made of the value as JSON."""
        return self._rendered(None)

    def _rendered(self, format: str | None) -> str:
        if format in (None, 'json'):
            text = re.sub('[<>&]', lambda found: _MARKUP[found[0]], pydantic_core.to_json(self.value).decode())
            text = text if self.tag is None else f'<{self.tag}>{text}</{self.tag}>'
        else:
            from ..format_prompt import format_as_xml

            text = format_as_xml(self.value, root_tag=self.tag)
        return text if self.description is None else f'{self.description}\n{text}'


@dataclass(repr=False, eq=False)
class CachePoint(DataRecord):
    """A marker in a user prompt up to which the provider may cache; not sent to providers without prompt caching."""

    kind: Literal['cache-point'] = 'cache-point'
    """Discriminator of the content."""
    ttl: Literal['5m', '1h'] = '5m'
    """The lifetime of the cache entry."""
