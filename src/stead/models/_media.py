"""Multi-modal content on its way to a provider: downloads, and files that are text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypeAlias

from .._kit.aio import gather
from ..messages import FileUrl, ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from . import download_item

Wish: TypeAlias = 'tuple[Literal["bytes", "base64", "base64_uri", "text"], Literal["mime", "extension"]] | None'
"""The form that a link is downloaded in; `None` sends the link."""
Downloads: TypeAlias = Mapping[int, Any]
"""What was downloaded, by the identity of the link."""

TEXT_TYPES = frozenset(
    {
        'application/json',
        'application/xml',
        'application/yaml',
        'application/x-yaml',
        'application/toml',
        'application/javascript',
        'application/x-javascript',
        'application/ld+json',
    }
)


def is_text(media_type: str) -> bool:
    """Return whether a file of this type can be sent as text."""
    return media_type.startswith('text/') or media_type in TEXT_TYPES or media_type.endswith(('+json', '+xml'))


def as_text_file(text: str, *, media_type: str, identifier: str) -> str:
    """Return a text file with marks around it, so that the model knows where it begins and ends."""
    return f'-----BEGIN FILE id="{identifier}" type="{media_type}"-----\n{text}\n-----END FILE id="{identifier}"-----'


def content_of(messages: Iterable[ModelMessage]) -> Iterable[Any]:
    """Yield the items of user prompts, and the files that tools returned."""
    for message in messages:
        if not isinstance(message, ModelRequest):
            continue
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                if not isinstance(part.content, str):
                    yield from part.content
            elif isinstance(part, ToolReturnPart) and not isinstance(part.content, str):
                yield from part.files


async def download_all(messages: Sequence[ModelMessage], wish: Callable[[FileUrl], Wish]) -> Downloads:
    """Download the links in messages that a provider does not read itself, all at once.

    Args:
        messages: The messages.
        wish: Says in which form a link is downloaded, if it is.

    Raises:
        UserError: A link cannot be downloaded, or leads to an address that is not public.
    """
    wanted = [(item, form) for item in content_of(messages) if isinstance(item, FileUrl) and (form := wish(item))]
    if not wanted:
        return {}
    found = await gather(*(download_item(item, data, kind) for item, (data, kind) in wanted))
    return {id(item): downloaded for (item, _), downloaded in zip(wanted, found)}
