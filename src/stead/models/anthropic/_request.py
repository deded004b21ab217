"""Encodes messages for Anthropic's API. No I/O."""

from __future__ import annotations

import base64
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...exceptions import UserError
from ...messages import (
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    MultiModalContent,
    NativeToolCallPart,
    NativeToolReturnPart,
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchReturnPart,
    UnknownContent,
    UploadedFile,
    UserContent,
    UserPromptPart,
    sent_items,
)
from ...profiles.anthropic import AnthropicModelProfile
from .._base import instructions_of
from .._media import DownloadFormat, Downloads, is_text
from .._tool_search import NOTHING_FOUND, NativeSearch, found_names
from .._wire.body import parse
from .._wire.call_ids import ANTHROPIC_IDS, without_half_calls
from .._wire.kept import Written
from ._settings import AnthropicModelSettings, CacheFor


@dataclass(frozen=True)
class Platform:
    """The parts of the API that a platform has."""

    has_request_cache: bool = True
    """Whether requests may have a cache point of their own; elsewhere it stands at the last block of the last message."""
    has_speeds: bool = True
    """Whether requests may ask for a speed."""
    counts_tokens: bool = True
    """Whether tokens can be counted."""


_ALL = Platform()
_PLATFORMS = {
    'AsyncAnthropicBedrock': Platform(has_request_cache=False, has_speeds=False, counts_tokens=False),
    'AsyncAnthropicVertex': Platform(has_request_cache=False, has_speeds=False),
    'AsyncAnthropicFoundry': Platform(has_speeds=False),
    'AsyncAnthropicBedrockMantle': Platform(has_speeds=False),
}


def platform_of(client: object) -> Platform:
    """Return the platform that a client of the SDK, or of a subclass, sends its requests to."""
    return next((_PLATFORMS[base.__name__] for base in type(client).__mro__ if base.__name__ in _PLATFORMS), _ALL)


MCP_PREFIX = 'mcp_server:'
"""The beginning of the names of native calls to MCP servers; the name of the server follows."""
_NATIVE_NAMES = frozenset({'web_search', 'web_fetch', 'code_execution', 'tool_search', 'advisor'})
MAX_CACHE_POINTS = 4
"""The maximum number of cache points that the API accepts in a request."""


@dataclass
class AnthropicMessageEncoder:
    """Encodes messages as those of a request to Anthropic's API."""

    system: str
    """The name of the provider. Parts that only their provider understands are sent to no other."""
    profile: AnthropicModelProfile
    search: NativeSearch = field(default_factory=NativeSearch)
    tool_names: frozenset[str] = frozenset()
    """The names of the tools in the request. The API rejects references to tools that no longer exist."""
    downloads: Downloads = field(default_factory=lambda: {})
    """The files that were downloaded for the request."""
    cites: bool = False
    """Whether the model cites documents, which the API has for all of a request or none."""
    code_files: tuple[str, ...] = ()
    """The ids of the files that the code of the model can read. Each prompt has them, as a prompt may begin a container."""

    def encode_message(self, message: ModelMessage) -> list[JsonObject]:
        """Return the message of the API for a message, without system prompts; none if nothing is left.

        Raises:
            UserError: It has content that Anthropic does not accept.
        """
        if isinstance(message, ModelRequest):
            role, blocks = 'user', list(self._request(message))
        else:
            role, blocks = 'assistant', list(self._response(message))
        return [{'role': role, 'content': blocks}] if blocks else []

    def encode_system(
        self, messages: Sequence[ModelMessage], params: ModelRequestParameters, cache: JsonObject | None
    ) -> str | list[JsonObject] | None:
        """Return the system prompt as text or blocks, or `None`; the last static block may be a cache point."""
        prompts = [
            part.content
            for message in messages
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, SystemPromptPart)
        ]
        prompt = '\n\n'.join(prompts)
        if params.instruction_parts:
            parts = [(part.content, part.dynamic) for part in params.instruction_parts]
        else:
            text = instructions_of(messages, params)
            parts = [(text, False)] if text else []
        if not parts and cache is None:
            return prompt or None
        texts = [(prompt, False), *parts] if prompt else parts
        texts = [(text, dynamic) for text, dynamic in texts if text]
        blocks: list[JsonObject] = [{'type': 'text', 'text': text} for text, _ in texts]
        static = [index for index, (_, dynamic) in enumerate(texts) if not dynamic]
        if cache is not None and static:
            blocks[static[-1]]['cache_control'] = cache
        return blocks or None

    def _request(self, message: ModelRequest) -> Iterable[JsonObject]:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                yield from self._user(part.content)
                yield from ({'type': 'container_upload', 'file_id': file_id} for file_id in self.code_files)
            elif isinstance(part, ToolReturnPart):
                result = {'type': 'tool_result', 'tool_use_id': ANTHROPIC_IDS.fit(part.tool_call_id)}
                yield {**result, 'content': self._tool_result(part) or '', 'is_error': False}
            elif isinstance(part, RetryPromptPart):
                text = part.model_response()
                if part.tool_name is None:
                    yield {'type': 'text', 'text': text}
                else:
                    call_id = ANTHROPIC_IDS.fit(part.tool_call_id)
                    result = {'type': 'tool_result', 'tool_use_id': call_id, 'content': text}
                    yield {**result, 'is_error': True}

    def _tool_result(self, part: ToolReturnPart) -> list[JsonObject]:
        if not (self.search.managed and isinstance(part, ToolSearchReturnPart)):
            return [self._tool_content(item) for item in sent_items(part) if item != '']
        references = _references(part, self.search.managed)
        return references or [{'type': 'text', 'text': part.message or NOTHING_FOUND}]

    def _tool_content(self, item: str | MultiModalContent) -> JsonObject:
        return {'type': 'text', 'text': item} if isinstance(item, str) else self._file(item, 'tool results')

    def _text(self, part: TextPart) -> JsonObject:
        block: JsonObject = {'type': 'text', 'text': part.content}
        notes = as_list(as_dict(part.provider_details).get('citations')) if part.provider_name == self.system else []
        # Documents are cited by their places in a request, which may be others now.
        if pages := [note for note in notes if as_dict(note).get('type') == 'web_search_result_location']:
            block['citations'] = pages
        return block

    def _response(self, message: ModelResponse) -> Iterable[JsonObject]:
        for part in without_half_calls(message):
            if isinstance(part, TextPart):
                if part.content.strip():  # the API refuses blank texts
                    yield self._text(part)
            elif isinstance(part, ThinkingPart):
                yield from self._thinking(part)
            elif isinstance(part, ToolCallPart):
                call_id, arguments = ANTHROPIC_IDS.fit(part.tool_call_id), part.args_as_dict()
                yield {'type': 'tool_use', 'id': call_id, 'name': part.tool_name, 'input': arguments}
            elif isinstance(part, NativeToolCallPart):
                if part.provider_name == self.system and _is_known(part):
                    yield _search_call(part) if isinstance(part, NativeToolSearchCallPart) else _native_call(part)
            elif isinstance(part, NativeToolSearchReturnPart):
                if part.provider_name == self.system:
                    yield _search_return(part, self.tool_names)
            elif isinstance(part, NativeToolReturnPart):
                if part.provider_name == self.system and _is_known(part) and not isinstance(part.content, str):
                    yield _native_return(part)
            elif isinstance(part, CompactionPart) and part.provider_name == self.system:
                yield _compaction(part)

    def _thinking(self, part: ThinkingPart) -> Iterable[JsonObject]:
        if part.provider_name == self.system and part.signature is not None:
            if part.id == 'redacted_thinking':
                yield {'type': 'redacted_thinking', 'data': part.signature}
            else:
                yield {'type': 'thinking', 'thinking': part.content, 'signature': part.signature}
        elif part.content:
            start, end = self.profile.thinking_tags
            yield {'type': 'text', 'text': f'{start}\n{part.content}\n{end}'}

    def _user(self, content: str | Sequence[UserContent]) -> Iterable[JsonObject]:
        blocks: list[JsonObject] = []
        for item in [content] if isinstance(content, str) else content:
            if isinstance(item, (str, TextContent)):
                if (text := item if isinstance(item, str) else item.content).strip():
                    blocks.append({'type': 'text', 'text': text})
            elif isinstance(item, CachePoint):
                if not blocks:
                    raise UserError(
                        'A `CachePoint` cannot come first in a user prompt, since it caches the content before it. To '
                        'cache instructions or tools, use the setting `anthropic_cache_instructions` or '
                        '`anthropic_cache_tool_definitions`.'
                    )
                blocks[-1]['cache_control'] = {'type': 'ephemeral', 'ttl': item.ttl}
            elif not isinstance(item, UnknownContent):
                blocks.append(self._file(item, 'user prompts'))
        return blocks

    def _file(self, item: MultiModalContent, where: str) -> JsonObject:
        """Return the block for a file in `'user prompts'` or `'tool results'`."""
        block = self._block(item, where)
        return {**block, 'citations': {'enabled': True}} if self.cites and block['type'] == 'document' else block

    def _block(self, item: MultiModalContent, where: str) -> JsonObject:
        if isinstance(item, UploadedFile):
            if item.provider_name != self.system:
                raise UserError(
                    f'The file {item.file_id!r} was uploaded to {item.provider_name!r}, but the request goes to '
                    f'{self.system!r}. Upload it there, or send its bytes as `BinaryContent`.'
                )
            kind = 'image' if item.media_type.startswith('image/') else 'document'
            return {'type': kind, 'source': {'type': 'file', 'file_id': item.file_id}}
        if isinstance(item, BinaryContent):
            return self._bytes(item.data, item.media_type, where)
        if isinstance(item, (ImageUrl, DocumentUrl)):
            if (download := self.downloads.get(id(item))) is not None:
                data = download['data']
                return self._bytes(data if isinstance(data, bytes) else data.encode(), item.media_type, where)
            kind = 'image' if isinstance(item, ImageUrl) else 'document'
            return {'type': kind, 'source': {'type': 'url', 'url': item.url}}
        raise UserError(
            f'Anthropic does not support {type(item).__name__} in {where}. Use another model, or leave it out.'
        )

    def _bytes(self, data: bytes, media_type: str, where: str) -> JsonObject:
        if is_text(media_type):
            source = {'type': 'text', 'media_type': 'text/plain', 'data': data.decode('utf-8', errors='replace')}
            return {'type': 'document', 'source': source}
        source = {'type': 'base64', 'media_type': media_type, 'data': base64.b64encode(data).decode()}
        if media_type.startswith('image/'):
            return {'type': 'image', 'source': source}
        if media_type == 'application/pdf':
            return {'type': 'document', 'source': source}
        raise UserError(f'Anthropic does not support {media_type!r} in {where}, but only images, PDF and text.')

    @staticmethod
    def download_format(item: FileUrl) -> DownloadFormat | None:
        """Return the format to download a URL in, or `None` to send the URL."""
        if isinstance(item, DocumentUrl):
            pdf = item.media_type == 'application/pdf'
            return None if pdf and not item.force_download else ('bytes', 'mime')
        return ('bytes', 'mime') if isinstance(item, ImageUrl) and item.force_download else None


def _is_known(part: NativeToolCallPart | NativeToolReturnPart) -> bool:
    """Return whether Anthropic runs the tool of a part; the API rejects calls and results of other tools."""
    return part.tool_name in _NATIVE_NAMES or part.tool_name.startswith(MCP_PREFIX)


def _native_call(part: NativeToolCallPart) -> JsonObject:
    arguments = part.args_as_dict()
    if part.tool_name.startswith(MCP_PREFIX):
        return {
            'type': 'mcp_tool_use',
            'id': part.tool_call_id,
            'server_name': part.tool_name.removeprefix(MCP_PREFIX),
            'name': arguments.get('tool_name'),
            'input': arguments.get('tool_args') or {},
        }
    name = as_dict(part.provider_details).get('anthropic_tool_name') or part.tool_name
    return {'type': 'server_tool_use', 'id': part.tool_call_id, 'name': name, 'input': arguments}


def _native_return(part: NativeToolReturnPart) -> JsonObject:
    if part.tool_name.startswith(MCP_PREFIX):
        return {'type': 'mcp_tool_result', 'tool_use_id': part.tool_call_id, **as_dict(part.content)}
    name = as_dict(part.provider_details).get('anthropic_tool_name') or part.tool_name
    return {'type': f'{name}_tool_result', 'tool_use_id': part.tool_call_id, 'content': part.content}


def _search_call(part: NativeToolSearchCallPart) -> JsonObject:
    strategy = as_dict(part.provider_details).get('strategy') or 'bm25'
    arguments: JsonObject = part.args_as_dict()
    if 'queries' in arguments:
        words = ' '.join(str(query) for query in as_list(arguments['queries']))
        arguments = {'pattern' if strategy == 'regex' else 'query': words}
    name = f'tool_search_tool_{strategy}'
    return {'type': 'server_tool_use', 'id': part.tool_call_id, 'name': name, 'input': arguments}


def _search_return(part: NativeToolSearchReturnPart, known: Container[str]) -> JsonObject:
    content: JsonObject = {'type': 'tool_search_tool_search_result', 'tool_references': _references(part, known)}
    if (code := as_dict(part.provider_details).get('error_code')) is not None:
        content = {'type': 'tool_search_tool_result_error', 'error_code': code}
    return {'type': 'tool_search_tool_result', 'tool_use_id': part.tool_call_id, 'content': content}


def _compaction(part: CompactionPart) -> JsonObject:
    block: JsonObject = {'type': 'compaction', 'content': part.content}
    if (sealed := as_dict(part.provider_details).get('encrypted_content')) is not None:
        block['encrypted_content'] = sealed
    return block


def _references(part: ToolReturnPart | NativeToolReturnPart, known: Container[str]) -> list[JsonObject]:
    names = [name for name in found_names(part.content) if name in known]
    return [{'type': 'tool_reference', 'tool_name': name} for name in names]


def cache_control(setting: CacheFor | None) -> JsonObject | None:
    """Return the cache point for a setting, or `None` if the setting is off."""
    if not setting:
        return None
    return {'type': 'ephemeral', 'ttl': '5m' if setting is True else setting}


def place_cache_points(payload: JsonObject, settings: AnthropicModelSettings, platform: Platform) -> None:
    """Add the cache points of the settings to a request, and remove the earliest ones of messages beyond the limit.

    Messages that are `Written` have no cache points.
    """
    messages: list[Any] = payload['messages']
    at_end = cache_control(settings.get('anthropic_cache_messages'))
    if control := cache_control(settings.get('anthropic_cache')):
        if platform.has_request_cache:
            payload['cache_control'] = control
        else:
            at_end = control
    if messages and at_end:
        if isinstance(messages[-1], Written):
            messages[-1] = parse(messages[-1].json)
        last = messages[-1]['content'][-1]
        if last['type'] not in ('thinking', 'redacted_thinking'):
            last.setdefault('cache_control', at_end)  # a `CachePoint` there has its own time to live
    others: list[JsonObject] = [*payload.get('tools', ()), *as_list(payload.get('system'))]
    left = MAX_CACHE_POINTS - sum('cache_control' in block for block in others) - ('cache_control' in payload)
    points = [
        block
        for message in messages
        if not isinstance(message, Written)
        for block in message['content']
        if 'cache_control' in block
    ]
    for block in points[: max(len(points) - max(left, 0), 0)]:
        del block['cache_control']
