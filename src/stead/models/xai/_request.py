"""Messages on the way out: as xAI's API has them. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._kit.plain import as_dict
from ...exceptions import UserError
from ...messages import (
    INVALID_JSON_KEY,
    BinaryContent,
    CachePoint,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)
from ...profiles import ModelProfile
from .._base import instruction_parts_of
from .._media import Downloads, Wish, content_of, is_text

MCP_PREFIX = 'mcp_server:'
"""Before the name of a server in the names of native calls to it."""
_NATIVE_TYPES = {
    'web_search': 'WEB_SEARCH',
    'x_search': 'X_SEARCH',
    'code_execution': 'CODE_EXECUTION',
    'file_search': 'COLLECTIONS_SEARCH',
}
_DETAILS = ('auto', 'low', 'high')


@dataclass
class Upload:
    """A file that has to be uploaded before a message can refer to it."""

    name: str
    data: bytes


def uploads_of(messages: Iterable[ModelMessage], downloads: Downloads) -> dict[int, Upload]:
    """Return the files in messages that have to be uploaded, by the identity of what they stand for."""
    made: dict[int, Upload] = {}
    for item in content_of(messages):
        if isinstance(item, BinaryContent):
            if item.is_document or is_text(item.media_type):
                made[id(item)] = Upload(item.identifier, item.data)
        elif isinstance(item, DocumentUrl):
            found = downloads[id(item)]
            made[id(item)] = Upload(f'{item.identifier}.{found["data_type"]}', found['data'])
    return made


@dataclass
class MessageEncoder:
    """Turns messages into those of xAI's API."""

    system: str
    """The provider; what comes from another one is not sent back as if it were its own."""
    profile: ModelProfile
    downloads: Downloads = field(default_factory=lambda: {})
    uploads: Mapping[int, str] = field(default_factory=lambda: {})
    """The ids of files that were uploaded, by the identity of what they stand for."""

    def encode(self, messages: Sequence[ModelMessage], params: ModelRequestParameters) -> list[dict[str, Any]]:
        """Return messages as xAI's API has them.

        Raises:
            UserError: A message has content that the model does not take, or there is nothing to send.
        """
        made: list[dict[str, Any]] = []
        order: dict[str, int] = {}
        for message in messages:
            if isinstance(message, ModelRequest):
                made.extend(self._request(message, order))
            else:
                made.extend(self._response(message, order))
        self._insert_instructions(made, messages, params)
        if not made:
            raise UserError('There is nothing to send: the messages have no content. Pass a prompt or instructions.')
        return made

    def _insert_instructions(
        self, made: list[dict[str, Any]], messages: Sequence[ModelMessage], params: ModelRequestParameters
    ) -> None:
        texts = [part.content for part in instruction_parts_of(messages, params) or ()]
        # After the system prompts, which the instructions may build on.
        place = next((i for i, message in enumerate(made) if message['role'] != 'ROLE_SYSTEM'), len(made))
        made[place:place] = [_message('SYSTEM', {'text': text}) for text in texts if text]

    def _request(self, message: ModelRequest, order: Mapping[str, int]) -> Iterable[dict[str, Any]]:
        results: list[dict[str, Any]] = []
        files: list[Any] = []
        for part in message.parts:
            if isinstance(part, SystemPromptPart):
                yield _message('SYSTEM', {'text': part.content})
            elif isinstance(part, UserPromptPart):
                items = [part.content] if isinstance(part.content, str) else part.content
                if content := self._content(items):
                    yield _message('USER', *content)
            elif isinstance(part, ToolReturnPart):
                text, found = part.model_response_str_and_user_content()
                files.extend(found)
                results.append(_message('TOOL', {'text': text}, tool_call_id=part.tool_call_id))
            elif isinstance(part, RetryPromptPart):
                text = part.model_response()
                if part.tool_name is None:
                    yield _message('USER', {'text': text})
                else:
                    results.append(_message('TOOL', {'text': text}, tool_call_id=part.tool_call_id))
        # The API wants results in the order of their calls.
        yield from sorted(results, key=lambda result: order.get(result['tool_call_id'], len(order)))
        if files:  # results are text only
            yield _message('USER', *self._content(files))

    def _response(self, message: ModelResponse, order: dict[str, int]) -> Iterable[dict[str, Any]]:
        calls: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, (ToolCallPart, NativeToolCallPart)):
                if (call := self._call(part)) is not None:
                    order[part.tool_call_id] = len(order)
                    calls.append(call)
                continue
            made = self._text(part)
            if made is None:
                continue
            if calls:
                yield _message('ASSISTANT', {'text': ''}, tool_calls=calls)
                calls = []
            yield made
        if calls:
            yield _message('ASSISTANT', {'text': ''}, tool_calls=calls)

    def _text(self, part: Any) -> dict[str, Any] | None:
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

    def _call(self, part: ToolCallPart | NativeToolCallPart) -> dict[str, Any] | None:
        if isinstance(part, ToolCallPart):
            return _tool_call(part.tool_call_id, 'CLIENT_SIDE', part.tool_name, _arguments(part))
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
        return _tool_call(part.tool_call_id, kind, name, _arguments(part))

    def _content(self, items: Iterable[Any]) -> list[dict[str, Any]]:
        return [made for made in map(self._item, items) if made is not None]

    def _item(self, item: Any) -> dict[str, Any] | None:
        if isinstance(item, str):
            return {'text': item}
        if isinstance(item, TextContent):
            return {'text': item.content}
        if isinstance(item, CachePoint):  # prompts are cached without being told to
            return None
        if id(item) in self.uploads:
            return {'file': {'file_id': self.uploads[id(item)]}}
        if isinstance(item, ImageUrl):
            return _image(self.downloads[id(item)]['data'] if id(item) in self.downloads else item.url, item)
        if isinstance(item, UploadedFile):
            if item.provider_name != self.system:
                raise UserError(
                    f'The uploaded file {item.file_id!r} is one of {item.provider_name!r}, but the request goes to '
                    f'{self.system!r}. Upload it there, or send its bytes as `BinaryContent`.'
                )
            return {'file': {'file_id': item.file_id}}
        if isinstance(item, BinaryContent):
            if item.is_image:
                return _image(item.data_uri, item)
            raise UserError(f'xAI takes no {item.media_type!r}: it takes images, documents and text.')
        raise UserError(f'xAI takes no {type(item).__name__}. Use another model for it, or leave it out.')

    @staticmethod
    def wish(item: FileUrl) -> Wish:
        """Return the form that a link is downloaded in, if it is."""
        if isinstance(item, ImageUrl):
            return ('base64_uri', 'mime') if item.force_download else None
        return ('bytes', 'extension') if isinstance(item, DocumentUrl) else None


def _message(role: str, *content: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {'role': f'ROLE_{role}', 'content': list(content), **fields}


def _tool_call(call_id: str, kind: str, name: str, arguments: str) -> dict[str, Any]:
    return {
        'id': call_id,
        'type': f'TOOL_CALL_TYPE_{kind}_TOOL',
        'status': 'TOOL_CALL_STATUS_COMPLETED',
        'function': {'name': name, 'arguments': arguments},
    }


def _arguments(part: ToolCallPart | NativeToolCallPart) -> str:
    """Return the arguments of a call as a JSON object, even if the model wrote something else."""
    text = part.args_as_json_str()
    try:
        is_object = isinstance(json.loads(text), dict)
    except ValueError:
        is_object = False
    return text if is_object else json.dumps({INVALID_JSON_KEY: text})


def _image(url: str, item: ImageUrl | BinaryContent) -> dict[str, Any]:
    wanted = (item.vendor_metadata or {}).get('detail')
    detail = wanted if wanted in _DETAILS else 'auto'
    return {'image_url': {'image_url': url, 'detail': f'DETAIL_{detail.upper()}'}}
