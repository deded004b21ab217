"""Multi-modal content in requests: downloads of URLs, and text files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypeAlias

from .._kit.aio import gather
from ..messages import FileUrl, ModelMessage, ModelRequest, ToolReturnPart, UserContent, UserPromptPart
from . import DownloadedItem, download_item

DownloadFormat: TypeAlias = tuple[
    Literal['bytes', 'base64', 'base64_uri', 'text'],
    Literal['mime', 'extension'],
]
"""The format of the data of a download, and of its type."""
Downloads: TypeAlias = Mapping[int, DownloadedItem[Any]]
"""Downloaded files by the `id` of their `FileUrl`, since URLs of the same file may want different formats."""

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
        'application/jsonl',
        'application/x-ndjson',
        'application/sql',
        'application/graphql',
        'application/x-sh',
        'application/x-python',
        'application/typescript',
        'application/x-typescript',
        'application/x-tex',
    }
)


def is_text(media_type: str) -> bool:
    """Return whether files of a media type can be sent as text."""
    return media_type.startswith('text/') or media_type in TEXT_TYPES or media_type.endswith(('+json', '+xml'))


def as_text_file(text: str, *, media_type: str, identifier: str) -> str:
    """Return a text file between markers, which show the model where it begins and ends."""
    return f'-----BEGIN FILE id="{identifier}" type="{media_type}"-----\n{text}\n-----END FILE id="{identifier}"-----'


def content_of(messages: Iterable[ModelMessage]) -> Iterable[UserContent]:
    """Yield the content items of user prompts, and the files in tool returns."""
    for message in messages:
        if not isinstance(message, ModelRequest):
            continue
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                if not isinstance(part.content, str):
                    yield from part.content
            elif isinstance(part, ToolReturnPart) and not isinstance(part.content, str):
                yield from part.files


async def download_all(
    messages: Sequence[ModelMessage], format_for: Callable[[FileUrl], DownloadFormat | None]
) -> Downloads:
    """Download the URLs in messages that a provider does not fetch itself, concurrently.

    Args:
        messages: The messages.
        format_for: Returns the format to download a URL in, or `None` to send the URL.

    Raises:
        UserError: A URL cannot be downloaded, or resolves to an address that is not public.
        httpx.HTTPError: A download failed.
    """
    wanted = [(item, form) for item in content_of(messages) if isinstance(item, FileUrl) and (form := format_for(item))]
    if not wanted:
        return {}
    items = await gather(*(download_item(item, data, kind) for item, (data, kind) in wanted))
    return {id(item): downloaded for (item, _), downloaded in zip(wanted, items)}


def has_downloads(message: ModelMessage, downloads: Downloads) -> bool:
    """Return whether a message has files among those that were downloaded."""
    return bool(downloads) and any(id(item) in downloads for item in content_of((message,)))
