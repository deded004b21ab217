"""Messages as OpenTelemetry wants them; the names are those of the GenAI semantic conventions."""

from __future__ import annotations

from typing import Any, Protocol

import pydantic_core

from .media import BinaryContent, FileUrl, TextContent, UploadedFile


class ContentSettings(Protocol):
    """The part of `InstrumentationSettings` that decides what content is shown."""

    include_content: bool
    include_binary_content: bool
    version: int


def event(name: str, body: dict[str, Any]) -> Any:
    """Return a log record; imports OpenTelemetry when it is called."""
    from opentelemetry._logs import LogRecord

    return LogRecord(attributes={'event.name': name}, body=body)


def plain(value: Any) -> Any:
    """Return a value as plain data; what cannot be turned into it becomes text."""
    return pydantic_core.to_jsonable_python(value, fallback=str)


def text_part(text: str, settings: ContentSettings) -> dict[str, Any]:
    """Return text as a message part, without the text if content is not to be shown."""
    return {'type': 'text', **({'content': text} if settings.include_content else {})}


def modality(media_type: str) -> str:
    """Return the kind of file that a media type stands for."""
    kind = media_type.split('/', 1)[0]
    return kind if kind in ('image', 'audio', 'video') else 'document'


def user_content_part(item: Any, settings: ContentSettings) -> dict[str, Any] | None:
    """Return an item of a user prompt as a message part; `None` for items that say nothing."""
    show = settings.include_content
    if isinstance(item, (str, TextContent)):
        return text_part(item if isinstance(item, str) else item.content, settings)
    if isinstance(item, FileUrl):
        return {'type': item.kind, **({'url': item.url} if show else {})}  # type: ignore[attr-defined]
    if isinstance(item, BinaryContent):
        part: dict[str, Any] = {'type': 'binary', 'media_type': item.media_type}
        if show and settings.include_binary_content:
            part['content'] = item.base64
        return part
    if isinstance(item, UploadedFile):
        part = {'type': 'file', 'modality': modality(item.media_type), 'mime_type': item.media_type}
        return {**part, 'file_id': item.file_id} if show else part
    return None


def user_content_event(item: Any, settings: ContentSettings) -> Any:
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
