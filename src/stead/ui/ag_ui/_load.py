"""Messages of AG-UI as messages of an agent."""

from __future__ import annotations

import json
import warnings
from base64 import b64decode
from collections.abc import Sequence
from typing import Any, cast

from ag_ui.core import (
    ActivityMessage,
    AssistantMessage,
    DeveloperMessage,
    Message,
    ReasoningMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pydantic_core import from_json

from ..._kit.json_types import JsonObject, as_dict, as_list
from ..._kit.records import is_list, is_str_dict
from ...messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelMessage,
    NativeToolCallPart,
    NativeToolReturnPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserContent,
    UserPromptPart,
    VideoUrl,
)
from .._messages_builder import MessagesBuilder
from ._version import FILE_ACTIVITY, NATIVE_CALL, UPLOAD_ACTIVITY

_URLS = {'image': ImageUrl, 'audio': AudioUrl, 'video': VideoUrl}
_ROLES = frozenset({'user', 'system', 'developer', 'assistant', 'tool', 'reasoning', 'activity'})
_TYPES = frozenset({'text', 'binary', 'document', *_URLS})


def load_messages(messages: Sequence[Message], *, preserve_file_data: bool = False) -> list[ModelMessage]:
    """Return messages of AG-UI as messages of an agent; see `AGUIAdapter.load_messages`."""
    builder = MessagesBuilder()
    names: dict[str, str] = {}  # of tools, by the ids of their calls
    orphan: str | None = None
    for message in messages:
        if isinstance(message, UserMessage):
            _add_prompt(builder, message)
        elif isinstance(message, (SystemMessage, DeveloperMessage)):
            builder.add(SystemPromptPart(message.content))
        elif isinstance(message, AssistantMessage):
            _add_assistant(builder, message, names)
        elif isinstance(message, ToolMessage):
            if message.tool_call_id in names:
                _add_result(builder, message, names)
            else:  # an interface that shortens its history may leave one; no one has to believe it
                orphan = message.tool_call_id
        elif isinstance(message, ReasoningMessage):
            builder.add(ThinkingPart(message.content, **_unsealed(message.encrypted_value)))
        elif not isinstance(message, ActivityMessage):
            warnings.warn(
                f'A message of AG-UI is left out: {type(message).__name__} is of a kind that stead does not know.',
                UserWarning,
                stacklevel=3,
            )
        elif preserve_file_data:
            _add_file(builder, message.activity_type, message.content)
    if orphan is not None and not builder.messages:
        raise ValueError(
            f'There is only a result for the tool call {orphan!r}, and no message before it has that call.'
        )
    return builder.messages


def _add_prompt(builder: MessagesBuilder, message: UserMessage) -> None:
    content = message.content if isinstance(message.content, str) else _content(message.content)
    if content or isinstance(content, str):
        builder.add(UserPromptPart(_plain(content)))


def with_known_parts(body: bytes) -> JsonObject | None:
    """Return a request that the package refused, with what it knows of another version of the protocol.

    Binary parts, which it has not known since 1.0, become parts for images and so on. Messages of roles, and parts of types,
    that are newer than the package are left out.

    Args:
        body: The request as JSON.

    Returns:
        The request; `None` if it is not JSON.
    """
    try:
        data = as_dict(from_json(body))
    except ValueError:
        return None
    known = [message for message in as_list(data.get('messages')) if not _is_newer(message, 'role', _ROLES)]
    for message in known:
        if is_str_dict(message) and is_list(parts := message.get('content')):
            parts = [_with_source(as_dict(part)) or part for part in parts]
            message['content'] = [part for part in parts if not _is_newer(part, 'type', _TYPES)]
    return {**data, 'messages': known} if 'messages' in data else data


def _is_newer(item: object, name: str, known: frozenset[str]) -> bool:
    return is_str_dict(item) and isinstance(word := as_dict(item).get(name), str) and word not in known


def _with_source(part: JsonObject) -> JsonObject | None:
    url, value, media = part.get('url'), part.get('data'), part.get('mimeType')
    if part.get('type') != 'binary' or not (url or value) or not isinstance(media, str):
        return None
    if isinstance(url, str) and url.startswith('data:'):
        url, value = None, url.partition(',')[2]
    source = {'type': 'url', 'value': url} if url else {'type': 'data', 'value': value}
    kind = media.partition('/')[0]
    return {'type': kind if kind in _URLS else 'document', 'source': {**source, 'mimeType': media}}


def _plain(content: str | list[UserContent]) -> str | list[UserContent]:
    return content[0] if len(content) == 1 and isinstance(content[0], str) else content


def _add_assistant(builder: MessagesBuilder, message: AssistantMessage, names: dict[str, str]) -> None:
    if message.content:
        builder.add(TextPart(message.content))
    for call in message.tool_calls or ():
        name, args = call.function.name, call.function.arguments
        names[call.id] = name
        if (native := _native(call.id)) is None:
            builder.add(ToolCallPart(name, args, tool_call_id=call.id))
        else:
            provider, id = native
            builder.add(NativeToolCallPart(name, args, tool_call_id=id, provider_name=provider))


def _add_result(builder: MessagesBuilder, message: ToolMessage, names: dict[str, str]) -> None:
    id = message.tool_call_id
    name = names[id]
    content: Any = cast(object, message.content)
    if not isinstance(content, str):  # since 1.0 it can have parts
        content = _plain(_content(content))
    if (native := _native(id)) is None:
        builder.add(ToolReturnPart(name, content, tool_call_id=id))
        return
    provider, id = native
    part = NativeToolReturnPart(name, _parsed(content), tool_call_id=id, provider_name=provider)
    builder.add(part)


def _native(id: str) -> tuple[str, str] | None:
    """Return the provider and the id of a call that the provider executed; `None` for other calls."""
    if not id.startswith(f'{NATIVE_CALL}|'):
        return None
    _, provider, rest = (*id.split('|', 2), '')[:3]
    if not rest:
        raise ValueError(f'The tool call {id!r} should have an id of three parts: {NATIVE_CALL}|PROVIDER|ID.')
    return provider, rest


def _parsed(content: object) -> object:
    """Return the value of a text that is JSON, as the results of providers are."""
    if not isinstance(content, str):
        return content
    try:
        return from_json(content)
    except ValueError:
        return content


def _unsealed(text: str | None) -> dict[str, Any]:
    """Return the fields of thinking that a provider needs, from JSON that the interface kept; what is odd is left out."""
    try:
        data = as_dict(json.loads(text or '{}'))
    except (ValueError, RecursionError):
        return {}
    fields: dict[str, Any] = {
        name: data[name] for name in ('id', 'signature', 'provider_name') if isinstance(data.get(name), str)
    }
    details = data.get('provider_details')
    return {**fields, 'provider_details': details} if is_str_dict(details) else fields


def _content(parts: Sequence[object]) -> list[UserContent]:
    return [_user_content(part) for part in parts]


def _user_content(part: Any) -> UserContent:
    if part.type == 'text':
        return part.text
    if part.type == 'binary':
        return _binary(part)
    source: Any = part.source
    if source.type == 'data':
        return BinaryContent(data=_decoded(source.value), media_type=source.mime_type)
    if source.type == 'file':
        provider: Any = source.provider or ''
        return UploadedFile(source.value, provider_name=provider, media_type=source.mime_type)
    return _URLS.get(part.type, DocumentUrl)(source.value, media_type=source.mime_type)


def _decoded(data: str) -> bytes:
    try:
        return b64decode(data)
    except ValueError as error:
        raise ValueError(f'The data of a file in a message is not base64: {error}.') from None


def _binary(part: Any) -> UserContent:
    """Return the content of a part of the kind that all files had before 0.1.15."""
    if part.url and part.url.startswith('data:'):
        return BinaryContent.from_data_uri(part.url)
    if part.url:
        kind = _URLS.get(part.mime_type.partition('/')[0], DocumentUrl)
        return kind(part.url, media_type=part.mime_type)
    if part.data:
        return BinaryContent(data=_decoded(part.data), media_type=part.mime_type)
    raise ValueError('A file has neither a `url` nor `data`; an `id` alone cannot be resolved.')


def _add_file(builder: MessagesBuilder, kind: str, content: dict[str, Any]) -> None:
    if kind == FILE_ACTIVITY:
        names = ('id', 'provider_name', 'provider_details')
        fields = {name: content[name] for name in names if content.get(name) is not None}
        builder.add(FilePart(BinaryContent.from_data_uri(_text(content, 'url')), **fields))
    elif kind == UPLOAD_ACTIVITY:
        provider: Any = _text(content, 'provider_name')
        names = ('media_type', 'identifier', 'vendor_metadata')
        fields = {name: content[name] for name in names if content.get(name) is not None}
        builder.add(UserPromptPart([UploadedFile(_text(content, 'file_id'), provider_name=provider, **fields)]))


def _text(content: dict[str, Any], name: str) -> str:
    if not isinstance(value := content.get(name), str):
        raise ValueError(f'An activity message with a file needs the text {name!r} in its content.')
    return value
