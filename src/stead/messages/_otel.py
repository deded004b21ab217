"""Messages in the format of OpenTelemetry; the names are those of the GenAI semantic conventions."""

from __future__ import annotations

from typing import Any, Protocol, cast

import pydantic_core

from .._kit.json_types import JsonObject
from . import _media as media
from ._text_content import TextContent

_PLAIN = frozenset({str, int, bool, type(None)})


class ContentSettings(Protocol):
    """The part of `InstrumentationSettings` that controls which content is recorded."""

    include_content: bool
    include_binary_content: bool

    @property
    def version(self) -> int:
        """The version of the data format."""
        ...


def event(name: str, body: JsonObject) -> Any:
    """Return a log record; OpenTelemetry is imported on the first call."""
    from opentelemetry._logs import LogRecord

    return LogRecord(attributes={'event.name': name}, body=body)


def plain(value: object) -> Any:
    """Return a value as plain data, or as text if it cannot be converted, since telemetry must not raise errors."""
    if type(value) in _PLAIN:
        return value
    try:
        return pydantic_core.to_jsonable_python(value, inf_nan_mode='null')
    except Exception:
        return str(value)


def shown(value: object, settings: ContentSettings) -> Any:
    """Return a value as plain data, without the bytes of files in it unless binary content is recorded."""
    if settings.include_binary_content or type(value) in _PLAIN:
        return plain(value)
    try:
        data = pydantic_core.to_jsonable_python(_bytes_apart(value), inf_nan_mode='null', fallback=type)
    except Exception:
        return f'<{type(value).__name__}>'
    return _without_data(data)


def _bytes_apart(value: object) -> object:
    """Return containers with the length of bytes in their place."""
    if isinstance(value, (bytes, bytearray)):
        return f'<{len(value)} bytes>'
    if isinstance(value, dict):
        return {key: _bytes_apart(item) for key, item in cast('dict[object, object]', value).items()}
    if isinstance(value, (list, tuple, set)):
        return [_bytes_apart(item) for item in cast('list[object]', value)]
    return value


def _without_data(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast('JsonObject', value)
        is_file = items.get('kind') == 'binary'
        return {key: _without_data(item) for key, item in items.items() if not (is_file and key == 'data')}
    return [_without_data(item) for item in cast('list[Any]', value)] if isinstance(value, list) else value


def plain_args(args: str | JsonObject) -> object:
    """Return the arguments of a call as plain data, one by one: an argument that fails must not affect the others."""
    if isinstance(args, str):
        return args
    return {name: arg if type(arg) in _PLAIN else plain(arg) for name, arg in args.items()}


def code_argument(metadata: object) -> JsonObject:
    """Return the entries about arguments in the `otel_metadata` of a call, without empty ones."""
    if not isinstance(metadata, dict):
        return {}
    values = cast('JsonObject', metadata)
    return {name: plain(values[name]) for name in ('code_arg_name', 'code_arg_language') if values.get(name)}


def text_part(text: str, settings: ContentSettings) -> JsonObject:
    """Return text as a message part, without the text unless content is recorded."""
    return {'type': 'text', **({'content': text} if settings.include_content else {})}


def modality(media_type: str) -> str | None:
    """Return the modality of a media type, or `None` if the conventions have no name for it."""
    kind = media_type.split('/', 1)[0]
    return kind if kind in ('image', 'audio', 'video') else None


def url_part(item: media.FileUrl, settings: ContentSettings) -> JsonObject:
    """Return a link as a message part."""
    kind: str = cast(Any, item).kind
    if settings.version < 4:
        return {'type': kind, **({'url': item.url} if settings.include_content else {})}
    part: JsonObject = {'type': 'uri'}
    if kind != 'document-url':
        part['modality'] = kind.removesuffix('-url')
    try:
        part['mime_type'] = item.media_type
    except ValueError:  # it cannot be inferred from the link
        pass
    return {**part, 'uri': item.url} if settings.include_content else part


def binary_part(item: media.BinaryContent, settings: ContentSettings) -> JsonObject:
    """Return binary content as a message part."""
    part: JsonObject
    if settings.version < 4:
        part = {'type': 'binary', 'media_type': item.media_type}
    else:
        part = {'type': 'blob', 'mime_type': item.media_type}
        if kind := modality(item.media_type):
            part['modality'] = kind
    if settings.include_content and settings.include_binary_content:
        part['content'] = item.base64
    return part


def user_content_part(item: object, settings: ContentSettings) -> JsonObject | None:
    """Return an item of a user prompt as a message part; `None` for items without content."""
    if isinstance(item, (str, TextContent)):
        return text_part(item if isinstance(item, str) else item.content, settings)
    if isinstance(item, media.FileUrl):
        return url_part(item, settings)
    if isinstance(item, media.BinaryContent):
        return binary_part(item, settings)
    if isinstance(item, media.UploadedFile):
        media_type = item.media_type
        part = {'type': 'file', 'modality': modality(media_type) or 'document', 'mime_type': media_type}
        return {**part, 'file_id': item.file_id} if settings.include_content else part
    return None


def user_content_event(item: object, settings: ContentSettings) -> object:
    """Return an item of a user prompt for the body of an event (instrumentation version 1)."""
    if isinstance(item, (str, TextContent)):
        text = item if isinstance(item, str) else item.content
        return text if settings.include_content else {'kind': 'text'}
    part = user_content_part(item, settings)
    if part is None:
        return None
    body = {'kind': part.pop('type'), **part}
    if 'content' in body:
        body['binary_content'] = body.pop('content')
    return body
