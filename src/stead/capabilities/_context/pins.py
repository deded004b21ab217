"""`pin`: content of a conversation that is sent word for word, whatever is left out or summarised around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast, overload

from ..._kit.short import short_repr
from ...exceptions import UserError
from ...messages import (
    BaseToolReturnPart,
    ModelRequest,
    ModelResponse,
    TextContent,
    ToolReturn,
    UserContent,
    UserPromptPart,
)

T = TypeVar('T')
PINNED = 'stead_pinned'
"""The key of pins, in the metadata of content and tool results, and in the provider details of parts of responses."""


@overload
def pin(content: str) -> TextContent: ...
@overload
def pin(content: T) -> T: ...
def pin(content: object) -> object:
    """Return content that is sent word for word, however often `KeepLast` or `Summarise` leave out what is around it.

    Args:
        content: Text of a prompt, which becomes a `TextContent`; the items of a prompt, of which the texts are pinned; a
            `ToolReturn`, for tools; a message; or a part of one. To pin every result of a tool, give it
            `metadata={'pinned': True}` or `pinned=True`.

    Returns:
        The same content with a mark in its metadata, which is stored with the history and never sent.

    Raises:
        UserError: Content of this type has no place for the mark: pin the message, or use `keep=` of the capability.
    """
    if isinstance(content, str):
        return TextContent(content, metadata={PINNED: True})
    if isinstance(content, list):
        items = cast('list[UserContent]', content)
        return [pin(item) if isinstance(item, (str, TextContent)) else item for item in items]
    if isinstance(content, UserPromptPart):
        prompt = content.content
        return replace(content, content=pin([prompt] if isinstance(prompt, str) else [*prompt]))
    if isinstance(content, (TextContent, ToolReturn, BaseToolReturnPart, ModelRequest, ModelResponse)):
        known: Any = cast(Any, content).metadata
        if known is not None and not isinstance(known, Mapping):
            raise UserError(f'`pin` marks content in its metadata, which must be a mapping, not {short_repr(known)}.')
        return replace(cast(Any, content), metadata={**(known or {}), PINNED: True})
    part = cast(Any, content)
    if hasattr(part, 'provider_details'):
        return replace(part, provider_details={**(part.provider_details or {}), PINNED: True})
    raise UserError(
        f'`pin` cannot mark {short_repr(content)}. Pin text, a `ToolReturn`, a message or a part of one; for other content, pin '
        'the message, or use `keep=` of the capability that leaves messages out.'
    )


def is_marked(metadata: object) -> bool:
    """Return whether there is the mark of a pin in metadata."""
    return (
        metadata is not None and isinstance(metadata, Mapping) and bool(cast('Mapping[str, Any]', metadata).get(PINNED))
    )


def is_pinned(part: Any) -> bool:
    """Return whether a part other than a prompt is pinned."""
    return is_marked(getattr(part, 'metadata', None)) or is_marked(getattr(part, 'provider_details', None))


def pinned_content(part: UserPromptPart) -> Sequence[UserContent]:
    """Return the items of a prompt that are pinned."""
    if isinstance(part.content, str):
        return ()
    return [item for item in part.content if isinstance(item, TextContent) and is_marked(item.metadata)]
