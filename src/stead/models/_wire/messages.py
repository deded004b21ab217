"""Messages of a request as JSON: those that are kept, and those that are new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import FileUrl, ModelMessage
from .._media import DownloadFormat, Downloads, download_all, has_downloads
from .body import write
from .kept import KeptMessages, PieceT, Written


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
        key: What the JSON depends on in addition to the messages.

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
    return await _encode(messages, encoder, kept, key, _written)


async def plain_messages(
    messages: Sequence[ModelMessage], encoder: MessageEncoder, kept: KeptMessages[JsonObject], key: object
) -> list[JsonObject]:
    """Return messages as `write_messages` does, as plain data, for clients that write them themselves and change nothing in them.

    Those that are kept are not encoded again. Arguments and errors as `write_messages`.
    """
    return await _encode(messages, encoder, kept, key, _itself)


def length_of(item: JsonObject) -> int:
    """Return how many bytes plain data has as JSON, about."""
    try:
        return len(write(item))
    except (TypeError, ValueError, UserError):  # who writes it will say so
        return 0


async def _encode(
    messages: Sequence[ModelMessage],
    encoder: MessageEncoder,
    kept: KeptMessages[PieceT],
    key: object,
    pack: Callable[[JsonObject], PieceT],
) -> list[Any]:
    async def load(new: list[ModelMessage]) -> None:
        encoder.downloads = await download_all(new, encoder.download_format)

    def encode(message: ModelMessage) -> tuple[list[Any], bool]:
        encoded = encoder.encode_message(message)
        if any(map(_has_cache_points, encoded)):
            return encoded, False
        return [*map(pack, encoded)], not has_downloads(message, encoder.downloads)

    return await kept.load_and_encode(messages, key, load, encode)


def _written(item: JsonObject) -> Written:
    return Written(item.get('role', ''), write(item))


def _itself(item: JsonObject) -> JsonObject:
    return item


def _has_cache_points(item: JsonObject) -> bool:
    content = item.get('content')
    return isinstance(content, list) and any('cache_control' in block for block in content)  # type: ignore[reportUnknownVariableType]
