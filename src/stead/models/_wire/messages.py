"""Messages of a request as JSON: those that are kept, and those that are new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..._kit.json_types import JsonObject
from ...messages import FileUrl, ModelMessage
from .._media import DownloadFormat, Downloads, download_all
from .body import write
from .kept import KeptMessages, Written


class MessageEncoder(Protocol):
    """Encodes messages for an API, one by one."""

    downloads: Downloads
    """The files that were downloaded for the request."""

    def download_format(self, item: FileUrl, /) -> DownloadFormat | None:
        """Return the format to download a link in; `None` sends the link."""
        ...

    def encode_message(self, message: ModelMessage, /) -> list[JsonObject]:
        """Return the messages of the API that a message becomes."""
        ...


async def write_messages(
    messages: Sequence[ModelMessage], encoder: MessageEncoder, kept: KeptMessages | None, key: object
) -> list[Any]:
    """Return messages as an API has them, once the files in them are downloaded that the model does not fetch itself.

    Args:
        messages: The messages.
        encoder: Encodes a message.
        kept: Where messages are kept as JSON; those that are there are neither encoded nor written again. `None` for messages
            as plain data.
        key: What the JSON depends on besides the messages.

    Returns:
        With `kept`, `Written` messages, but plain data for those with cache points, which a request may have to remove.

    Raises:
        UserError: A message has content that the model does not accept, or a file cannot be downloaded.
        httpx.HTTPError: A download failed.
        TypeError: A message has something that has no JSON form; `ValueError` likewise.
    """
    if kept is None:
        encoder.downloads = await download_all(messages, encoder.download_format)
        return [item for message in messages for item in encoder.encode_message(message)]
    key = kept.key_like(key)
    found: list[Any] = [*kept.find(messages, key)]
    new = [message for message, written in zip(messages, found) if written is None]
    if new:
        encoder.downloads = await download_all(new, encoder.download_format)
        for place, message in enumerate(messages):
            if found[place] is None:
                items = encoder.encode_message(message)
                if any(_has_cache_points(item) for item in items):
                    found[place] = items
                else:
                    found[place] = written = [Written(item.get('role', ''), write(item)) for item in items]
                    kept.keep(message, key, written, encoder.downloads)
    return [item for items in found for item in items]


def _has_cache_points(item: JsonObject) -> bool:
    content = item.get('content')
    return isinstance(content, list) and any('cache_control' in block for block in content)  # type: ignore[reportUnknownVariableType]
