"""Encodes messages for xAI's API. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from typing_extensions import NamedTuple  # generic on Python 3.10, too

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject, as_dict
from ...exceptions import UserError
from ...messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserContent,
    UserPromptPart,
)
from ...profiles import ModelProfile
from .._base import instruction_parts_of
from .._media import DownloadFormat, Downloads, content_of, is_text

T = TypeVar('T')

MCP_PREFIX = 'mcp_server:'
"""The beginning of the names of native calls to MCP servers; the name of the server follows."""
_NATIVE_TYPES = {
    'web_search': 'WEB_SEARCH',
    'x_search': 'X_SEARCH',
    'code_execution': 'CODE_EXECUTION',
    'file_search': 'COLLECTIONS_SEARCH',
}
_IMAGE_DETAILS = ('auto', 'low', 'high')


@dataclass
class Upload:
    """A file that must be uploaded before a message can refer to it."""

    name: str
    """The name of the file."""
    data: bytes
    """The content of the file."""


def uploads_of(messages: Iterable[ModelMessage], downloads: Downloads) -> dict[int, Upload]:
    """Return the files in messages that must be uploaded, by the `id` of their content items."""
    uploads: dict[int, Upload] = {}
    for item in content_of(messages):
        if isinstance(item, BinaryContent):
            if item.is_document or is_text(item.media_type):
                uploads[id(item)] = Upload(item.identifier, item.data)
        elif isinstance(item, DocumentUrl):
            download = downloads[id(item)]
            uploads[id(item)] = Upload(f'{item.identifier}.{download["data_type"]}', download['data'])
    return uploads


def has_uploads(message: ModelMessage, uploads: Mapping[int, str]) -> bool:
    """Return whether a message has files among those that were uploaded."""
    return bool(uploads) and any(id(item) in uploads for item in content_of((message,)))


class Encoded(NamedTuple, Generic[T]):
    """What one message becomes in a request."""

    first: list[T]
    """The messages of a response, or the prompts of a request."""
    results: list[tuple[str, T]]
    """The results of tools, with the ids of their calls."""
    last: list[T]
    """The files in the results."""
    calls: list[str]
    """The ids of the calls of a response."""


def joined(encoded: Sequence[Encoded[T]]) -> list[T]:
    """Return the messages of a request, with results in the order of their calls, which the API expects."""
    messages: list[T] = []
    order: dict[str, int] = {}
    for first, results, last, calls in encoded:
        messages += first
        if results:
            if len(results) > 1:
                results = sorted(results, key=lambda result: order.get(result[0], len(order)))
            messages += [message for _, message in results]
            messages += last
        for call in calls:
            order[call] = len(order)
    return messages


@dataclass
class XaiMessageEncoder:
    """Encodes messages as those of a request to xAI's API."""

    system: str
    """The name of the provider. Parts that only their provider understands are sent to no other."""
    profile: ModelProfile
    downloads: Downloads = field(default_factory=lambda: {})
    """The files that were downloaded for the request."""
    uploads: Mapping[int, str] = field(default_factory=lambda: {})
    """The ids of uploaded files, by the `id` of their content items."""

    def encode_message(self, message: ModelMessage) -> Encoded[JsonObject]:
        """Return the messages of xAI's API that a message becomes.

        Raises:
            UserError: It has content that xAI does not accept.
        """
        if isinstance(message, ModelRequest):
            return self._request(message)
        calls: list[str] = []
        return Encoded([*self._response(message, calls)], [], [], calls)

    @staticmethod
    def encode_instructions(messages: Sequence[ModelMessage], params: ModelRequestParameters) -> list[JsonObject]:
        """Return the instructions of a request, as messages of xAI's API."""
        texts = [part.content for part in instruction_parts_of(messages, params) or ()]
        return [_message('SYSTEM', {'text': text}) for text in texts if text]

    def _request(self, message: ModelRequest) -> Encoded[JsonObject]:
        prompts: list[JsonObject] = []
        results: list[tuple[str, JsonObject]] = []
        files: list[UserContent] = []
        for part in message.parts:
            if isinstance(part, SystemPromptPart):
                prompts.append(_message('SYSTEM', {'text': part.content}))
            elif isinstance(part, UserPromptPart):
                items = [part.content] if isinstance(part.content, str) else part.content
                if content := self._content(items):
                    prompts.append(_message('USER', *content))
            elif isinstance(part, ToolReturnPart):
                text, content_items = part.model_response_str_and_user_content()
                files.extend(content_items)
                results.append(_result(part.tool_call_id, text))
            elif isinstance(part, RetryPromptPart):
                text = part.model_response()
                if part.tool_name is None:
                    prompts.append(_message('USER', {'text': text}))
                else:
                    results.append(_result(part.tool_call_id, text))
        # Tool results can only be text.
        return Encoded(prompts, results, [_message('USER', *self._content(files))] if files else [], [])

    def _response(self, message: ModelResponse, call_ids: list[str]) -> Iterable[JsonObject]:
        calls: list[JsonObject] = []
        for part in message.parts:
            if isinstance(part, (ToolCallPart, NativeToolCallPart)):
                if (call := self._call(part)) is not None:
                    call_ids.append(part.tool_call_id)
                    calls.append(call)
                continue
            encoded = self._text(part)
            if encoded is None:
                continue
            if calls:
                yield _message('ASSISTANT', {'text': ''}, tool_calls=calls)
                calls = []
            yield encoded
        if calls:
            yield _message('ASSISTANT', {'text': ''}, tool_calls=calls)

    def _text(self, part: ModelResponsePart) -> JsonObject | None:
        if isinstance(part, TextPart):
            return _message('ASSISTANT', {'text': part.content})
        if not isinstance(part, ThinkingPart):
            return None
        if part.provider_name == self.system and (part.content or part.signature):
            fields = {'reasoning_content': part.content, 'encrypted_content': part.signature}
            return _message('ASSISTANT', {'text': ''}, **{name: value for name, value in fields.items() if value})
        if not part.content:
            return None
        start, end = self.profile.thinking_tags
        return _message('ASSISTANT', {'text': f'{start}\n{part.content}\n{end}'})

    def _call(self, part: ToolCallPart | NativeToolCallPart) -> JsonObject | None:
        if isinstance(part, ToolCallPart):
            return _tool_call(part.tool_call_id, 'CLIENT_SIDE', part.tool_name, part.args_as_json_str())
        if part.provider_name != self.system:
            return None
        if part.tool_name.startswith(MCP_PREFIX):
            arguments = as_dict(part.args_as_dict())
            label, tool = part.tool_name.removeprefix(MCP_PREFIX), arguments.get('tool_name')
            name = f'{label}.{tool}' if tool else label
            return _tool_call(part.tool_call_id, 'MCP', name, json.dumps(arguments.get('tool_args') or {}))
        kind = _NATIVE_TYPES.get(part.tool_name)
        if kind is None:
            return None
        name = as_dict(part.provider_details).get('function_name') or part.tool_name
        return _tool_call(part.tool_call_id, kind, name, part.args_as_json_str())

    def _content(self, items: Iterable[UserContent]) -> list[JsonObject]:
        return [encoded for encoded in map(self._item, items) if encoded is not None]

    def _item(self, item: UserContent) -> JsonObject | None:
        if isinstance(item, str):
            return {'text': item}
        if isinstance(item, TextContent):
            return {'text': item.content}
        if isinstance(item, CachePoint):  # xAI caches on its own
            return None
        if id(item) in self.uploads:
            return {'file': {'file_id': self.uploads[id(item)]}}
        if isinstance(item, ImageUrl):
            return _image(self.downloads[id(item)]['data'] if id(item) in self.downloads else item.url, item)
        if isinstance(item, UploadedFile):
            if item.provider_name != self.system:
                raise UserError(
                    f'The file {item.file_id!r} was uploaded to {item.provider_name!r}, but the request goes to '
                    f'{self.system!r}. Upload it there, or send its bytes as `BinaryContent`.'
                )
            return {'file': {'file_id': item.file_id}}
        if isinstance(item, BinaryContent):
            if item.is_image:
                return _image(item.data_uri, item)
            raise UserError(f'xAI does not support {item.media_type!r}, but only images, documents and text.')
        raise UserError(f'xAI does not support {type(item).__name__}. Use another model, or leave it out.')

    @staticmethod
    def download_format(item: FileUrl) -> DownloadFormat | None:
        """Return the format to download a URL in, or `None` to send the URL."""
        if isinstance(item, ImageUrl):
            return ('base64_uri', 'mime') if item.force_download else None
        return ('bytes', 'extension') if isinstance(item, DocumentUrl) else None


def _message(role: str, *content: JsonObject, **fields: object) -> JsonObject:
    return {'role': f'ROLE_{role}', 'content': list(content), **fields}


def _result(call_id: str, text: str) -> tuple[str, JsonObject]:
    return call_id, _message('TOOL', {'text': text}, tool_call_id=call_id)


def _tool_call(call_id: str, kind: str, name: str, arguments: str) -> JsonObject:
    return {
        'id': call_id,
        'type': f'TOOL_CALL_TYPE_{kind}_TOOL',
        'status': 'TOOL_CALL_STATUS_COMPLETED',
        'function': {'name': name, 'arguments': arguments},
    }


def _image(url: str, item: ImageUrl | BinaryContent) -> JsonObject:
    requested = (item.vendor_metadata or {}).get('detail')
    detail = requested if requested in _IMAGE_DETAILS else 'auto'
    return {'image_url': {'image_url': url, 'detail': f'DETAIL_{detail.upper()}'}}
