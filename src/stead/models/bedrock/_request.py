"""Encodes messages for the Converse API. No I/O."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject, as_dict
from ...exceptions import UserError
from ...messages import (
    MULTI_MODAL_CONTENT_TYPES,
    CachePoint,
    FileUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    MultiModalContent,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UnknownContent,
    UserContent,
    UserPromptPart,
    sent_items,
)
from ...providers.bedrock import BedrockModelProfile
from .._base import instruction_parts_of
from .._media import DownloadFormat, Downloads
from .._wire.call_ids import BEDROCK_IDS, without_half_calls
from ._files import S3, file_block, kind_of
from ._settings import BedrockModelSettings, CacheFor

CODE_EXECUTION = 'code_execution'
CODE_INTERPRETER = 'nova_code_interpreter'
"""Bedrock's name of the native tool that executes code."""
REDACTED = 'redacted_content'
"""The id of a thought that only the model can read."""
SEALED = 'data:;base64,'
"""The beginning of the signature of such a thought, if its bytes are not text."""
MAX_CACHE_POINTS = 4
"""The maximum number of cache points that the API accepts in a request."""

_ATTACHED = 'See attached document(s).'
_NOTHING = '.'


class Turn(NamedTuple):
    """The content of one message. A message of the API may have the content of several."""

    role: Literal['user', 'assistant']
    blocks: list[JsonObject]


@dataclass
class ConverseEncoder:
    """Encodes messages as those of a request to the Converse API."""

    system: str
    """The name of the provider. Parts that only their provider understands are sent to no other."""
    profile: BedrockModelProfile
    downloads: Downloads = field(default_factory=lambda: {})
    """The files that were downloaded for the request."""
    documents: int = 0
    """How many documents there are so far."""
    cites: bool = False
    """Whether the model cites documents."""

    def turn(self, message: ModelMessage) -> Turn:
        """Return the content of a message.

        Raises:
            UserError: The message has content that Bedrock does not take.
        """
        if isinstance(message, ModelRequest):
            return Turn('user', list(self._request(message)))
        return Turn('assistant', list(self._response(message)))

    def encode(self, turns: Sequence[Turn], settings: BedrockModelSettings) -> list[JsonObject]:
        """Return messages as the API has them: they begin with one of the user, whose messages do not follow each other.

        The blocks are those of the turns, the lists of them are new.
        """
        encoded: list[JsonObject] = []
        for role, blocks in turns:
            if not blocks:
                continue
            if role == 'user' and encoded and encoded[-1]['role'] == 'user':
                encoded[-1]['content'].extend(blocks)
            else:
                encoded.append({'role': role, 'content': [*blocks]})
        if not encoded or encoded[0]['role'] != 'user':
            encoded.insert(0, {'role': 'user', 'content': [{'text': _NOTHING}]})
        point = self._point(settings.get('bedrock_cache_messages'))
        if point is not None:
            last = next(message for message in reversed(encoded) if message['role'] == 'user')
            if 'cachePoint' not in last['content'][-1]:
                _insert_point(last['content'], point)
        return encoded

    def encode_system(
        self, messages: Sequence[ModelMessage], params: ModelRequestParameters, settings: BedrockModelSettings
    ) -> list[JsonObject]:
        """Return the system prompts and instructions; a cache point follows those that do not change."""
        static = [
            part.content
            for message in messages
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, SystemPromptPart) and part.content
        ]
        changing: list[str] = []
        for part in instruction_parts_of(messages, params) or ():
            if part.content:
                (changing if part.dynamic or changing else static).append(part.content)
        blocks: list[JsonObject] = [{'text': text} for text in static]
        point = self._point(settings.get('bedrock_cache_instructions'))
        if point is not None and blocks:
            blocks.append(point)
        return [*blocks, *({'text': text} for text in changing)]

    def _point(self, setting: CacheFor | None) -> JsonObject | None:
        return cache_point(setting) if self.profile.bedrock_supports_prompt_caching else None

    def _request(self, message: ModelRequest) -> Iterable[JsonObject]:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                yield from self._user(part.content)
            elif isinstance(part, ToolReturnPart):
                content, files = self._returned(part)
                yield _result(BEDROCK_IDS.fit(part.tool_call_id), content, 'success')
                yield from files
            elif isinstance(part, RetryPromptPart):
                text: JsonObject = {'text': part.model_response()}
                yield text if part.tool_name is None else _result(BEDROCK_IDS.fit(part.tool_call_id), [text], 'error')

    def _returned(self, part: ToolReturnPart) -> tuple[list[JsonObject], list[JsonObject]]:
        """Return the content of a result, and the files that follow it, since the model does not take them in results."""
        as_json = self.profile.bedrock_tool_result_format == 'json'
        content: list[JsonObject] = []
        files: list[JsonObject] = []
        for item in sent_items(part, 'jsonable' if as_json else 'str'):
            if isinstance(item, MULTI_MODAL_CONTENT_TYPES):
                file: Any = item
                if kind_of(file)[0] in self.profile.bedrock_supported_media_kinds_in_tool_returns:
                    content.append(self._file(file))
                else:
                    content.append({'text': f'See file {file.identifier}.'})
                    files += ({'text': f'This is file {file.identifier}:'}, self._file(file))
            elif isinstance(item, str):
                content.append({'text': item})
            else:
                content.append({'json': item})
        content = [block for block in content if block.get('text') != ''] or [{'text': _NOTHING}]
        return content, files

    def _user(self, content: str | Sequence[UserContent]) -> list[JsonObject]:
        blocks: list[JsonObject] = []
        for item in [content] if isinstance(content, str) else content:
            if isinstance(item, str):
                blocks.append({'text': item})
            elif isinstance(item, TextContent):
                blocks.append({'text': item.content})
            elif not isinstance(item, (CachePoint, UnknownContent)):
                blocks.append(self._file(item))
            elif isinstance(item, CachePoint) and self.profile.bedrock_supports_prompt_caching:
                _point_in_prompt(blocks, {'cachePoint': {'type': 'default', 'ttl': item.ttl}})
        blocks = [
            block for block in blocks if 'text' not in block or block['text'].strip()
        ]  # the API refuses blank texts
        if any('document' in block for block in blocks) and not any('text' in block for block in blocks):
            blocks.insert(0, {'text': _ATTACHED})  # the API demands text with documents
        return blocks

    def _file(self, item: MultiModalContent) -> JsonObject:
        block = file_block(item, self.system, self.downloads, self.documents + 1)
        if (document := block.get('document')) is not None:
            self.documents += 1
            if self.cites:
                document['citations'] = {'enabled': True}
        return block

    def _response(self, message: ModelResponse) -> Iterable[JsonObject]:
        for part in without_half_calls(message):
            if isinstance(part, TextPart):
                if part.content.strip():  # the API refuses blank texts
                    yield {'text': part.content}
            elif isinstance(part, ThinkingPart):
                yield from self._thought(part)
            elif isinstance(part, ToolCallPart):
                yield _call(BEDROCK_IDS.fit(part.tool_call_id), part.tool_name, part.args_as_dict())
            elif isinstance(part, NativeToolCallPart):
                if part.provider_name == self.system and part.tool_name == CODE_EXECUTION:
                    call = _call(part.tool_call_id, CODE_INTERPRETER, part.args_as_dict())
                    yield {'toolUse': {**call['toolUse'], 'type': 'server_tool_use'}}
            elif isinstance(part, NativeToolReturnPart):
                if part.provider_name == self.system and part.tool_name == CODE_EXECUTION:
                    status = as_dict(part.provider_details).get('status')
                    result = _result(part.tool_call_id, [{'json': part.content}], status)
                    yield {'toolResult': {**result['toolResult'], 'type': f'{CODE_INTERPRETER}_result'}}

    def _thought(self, part: ThinkingPart) -> Iterable[JsonObject]:
        own = part.provider_name == self.system and part.signature
        if own and self.profile.bedrock_send_back_thinking_parts:
            if part.id == REDACTED:
                yield {'reasoningContent': {'redactedContent': _sealed(own)}}
            else:
                yield {'reasoningContent': {'reasoningText': {'text': part.content, 'signature': own}}}
        elif part.content:
            start, end = self.profile.thinking_tags
            yield {'text': f'{start}\n{part.content}\n{end}'}

    @staticmethod
    def download_format(item: FileUrl) -> DownloadFormat | None:
        """Return the format to download a URL in; `None` leaves it to Bedrock, which reads from S3 only."""
        return None if item.url.startswith(S3) else ('bytes', 'mime')


def cache_point(setting: CacheFor | None) -> JsonObject | None:
    """Return the cache point for a setting, or `None` if the setting is off."""
    if not setting:
        return None
    return {'cachePoint': {'type': 'default'} if setting is True else {'type': 'default', 'ttl': setting}}


def _place_of_point(blocks: Sequence[JsonObject]) -> int:
    """Return where a cache point goes: the API refuses it right after documents and videos."""
    place = len(blocks)
    while place and ('document' in blocks[place - 1] or 'video' in blocks[place - 1]):
        place -= 1
    return place


def _insert_point(blocks: list[JsonObject], point: JsonObject) -> None:
    """Insert a cache point, unless there is nothing before it, or another one."""
    place = _place_of_point(blocks)
    if place and 'cachePoint' not in blocks[place - 1]:
        blocks.insert(place, point)


def _point_in_prompt(blocks: list[JsonObject], point: JsonObject) -> None:
    if not blocks:
        raise UserError(
            'A `CachePoint` cannot come first in a user prompt, since it caches the content before it. To cache '
            'instructions or tools, use the setting `bedrock_cache_instructions` or `bedrock_cache_tool_definitions`.'
        )
    if _place_of_point(blocks) == 0:
        raise UserError(
            'A `CachePoint` cannot follow documents and videos alone, which Bedrock does not allow. Add text to the prompt, '
            'before the files or after them.'
        )
    _insert_point(blocks, point)


def _call(call_id: str, name: str, arguments: JsonObject) -> JsonObject:
    return {'toolUse': {'toolUseId': call_id, 'name': name, 'input': arguments}}


def _result(call_id: str, content: list[JsonObject], status: str | None) -> JsonObject:
    result: JsonObject = {'toolUseId': call_id, 'content': content}
    return {'toolResult': {**result, 'status': status} if status else result}


def _sealed(signature: str) -> bytes:
    return b64decode(signature[len(SEALED) :]) if signature.startswith(SEALED) else signature.encode()


def limit_cache_points(payload: JsonObject) -> None:
    """Remove the earliest cache points of messages, beyond the number that the API accepts in a request."""
    others: list[JsonObject] = [*payload['system'], *as_dict(payload.get('toolConfig')).get('tools', ())]
    left = MAX_CACHE_POINTS - sum('cachePoint' in block for block in others)
    for message in reversed(payload['messages']):
        content: list[JsonObject] = message['content']
        for place in range(len(content) - 1, -1, -1):
            if 'cachePoint' in content[place]:
                if left <= 0:
                    del content[place]
                left -= 1
