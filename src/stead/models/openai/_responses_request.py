"""The Responses API, on the way out: items, tools and settings. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_json

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...exceptions import UserError
from ...messages import (
    SEARCH_TOOLS,
    AudioUrl,
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    NativeToolSearchCallPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    sent_items,
)
from ...profiles.openai import OpenAIModelProfile
from .._base import instructions_of
from .._media import DownloadFormat, Downloads, as_text_file, is_text
from .._tool_search import NativeSearch, found_names
from .._wire.call_ids import RESPONSES_IDS
from .._wire.kept import KeptMessages, Written
from .._wire.messages import write_messages
from ._responses_options import encode_function

MCP_PREFIX = 'mcp_server:'
"""Before the name of a server in the names of native calls to it."""


@dataclass
class ItemEncoder:
    """Encoder of messages as the items of a request."""

    system: str
    """The provider. Parts of other providers are not sent back as its own."""
    profile: OpenAIModelProfile
    send_ids: bool
    """Whether items are sent back with their ids, which reasoning needs."""
    search: NativeSearch = field(default_factory=NativeSearch)
    downloads: Downloads = field(default_factory=lambda: {})

    async def items(
        self, messages: Sequence[ModelMessage], params: ModelRequestParameters, kept: KeptMessages | None = None
    ) -> tuple[list[Any], str | None]:
        """Return messages as items, and the instructions that go into a field of their own.

        Args:
            messages: The messages.
            params: The parameters of the request.
            kept: Where messages are kept as JSON, in which they then are; otherwise they are plain data.

        Raises:
            UserError: A message has content that the model does not take, or cannot be downloaded.
            httpx.HTTPError: A download failed.
        """
        key = self.system, self.profile, self.send_ids, self.search
        items = await write_messages(messages, self, kept, key)
        instructions = instructions_of(messages, params)
        if instructions and params.output_mode == 'prompted':
            # For JSON output, the API requires the input itself to mention JSON.
            role = self._system_role
            place = next((i for i, item in enumerate(items) if _role(item) != role), len(items))
            items.insert(place, {'role': role, 'content': instructions})
            instructions = None
        return items, instructions

    def encode_message(self, message: ModelMessage) -> list[JsonObject]:
        """Return the items that a message becomes.

        Raises:
            UserError: It has content that the model does not take.
        """
        if isinstance(message, ModelRequest):
            return list(self._request(message))
        return _ResponseItems(self, message).encode()

    @property
    def _system_role(self) -> str:
        return self.profile.openai_system_prompt_role or 'system'

    def _request(self, message: ModelRequest) -> Iterable[JsonObject]:
        for part in message.parts:
            if isinstance(part, SystemPromptPart):
                yield {'role': self._system_role, 'content': part.content}
            elif isinstance(part, UserPromptPart):
                yield {'role': 'user', 'content': self._content(part.content)}
            elif isinstance(part, ToolReturnPart):
                call_id, _ = split_id(part.tool_call_id)
                if self.searches(part):
                    yield self._search_output(call_id, part)
                    continue
                output: Any = part.model_response_str()
                if part.files:
                    output = [self._item(item) for item in sent_items(part)]
                yield {'type': 'function_call_output', 'call_id': call_id, 'output': output}
            elif isinstance(part, RetryPromptPart):
                text = part.model_response()
                if part.tool_name is None:
                    yield {'role': 'user', 'content': [{'type': 'input_text', 'text': text}]}
                else:
                    call_id, _ = split_id(part.tool_call_id)
                    if self.searches(part):  # the output of a search has no field for errors
                        yield self._search_output(call_id, part)
                        yield {'role': 'user', 'content': [{'type': 'input_text', 'text': text}]}
                        continue
                    yield {'type': 'function_call_output', 'call_id': call_id, 'output': text}

    def searches(self, part: ToolCallPart | ToolReturnPart | RetryPromptPart) -> bool:
        """Return whether a part belongs to a search for tools, which has items of its own kind."""
        return bool(self.search.managed) and part.tool_name == SEARCH_TOOLS

    def _search_output(self, call_id: str, part: ToolReturnPart | RetryPromptPart) -> JsonObject:
        known = self.search.managed
        definitions = [known[name] for name in found_names(part.content) if name in known]
        tools = [encode_function(tool, self.search, self.profile) for tool in definitions]
        head = {'type': 'tool_search_output', 'call_id': call_id, 'execution': 'client', 'status': 'completed'}
        return {**head, 'tools': tools}

    def _content(self, content: str | Sequence[Any]) -> Any:
        if isinstance(content, str):
            return content
        items = [self._item(item) for item in content if not isinstance(item, CachePoint)]
        return [item for item in items if item.get('text') != ''] or ''

    def _item(self, item: Any) -> JsonObject:
        if isinstance(item, (str, TextContent)):
            return {'type': 'input_text', 'text': item if isinstance(item, str) else item.content}
        if isinstance(item, BinaryContent):
            if is_text(item.media_type) and not item.is_document:
                text = item.data.decode(errors='replace')
                file = as_text_file(text, media_type=item.media_type, identifier=item.identifier)
                return {'type': 'input_text', 'text': file}
            if item.is_image:
                return _image(item.data_uri, item)
            if not item.is_document:
                raise UserError(
                    f'The Responses API takes no {item.media_type!r}. Use another model for it, or leave it out.'
                )
            return {'type': 'input_file', 'file_data': item.data_uri, 'filename': f'filename.{item.format}'}
        if isinstance(item, ImageUrl):
            download = self.downloads.get(id(item))
            return _image(item.url if download is None else download['data'], item)
        if isinstance(item, (DocumentUrl, AudioUrl)):
            if (download := self.downloads.get(id(item))) is not None:
                name = f'filename.{download["data_type"]}'
                return {'type': 'input_file', 'file_data': download['data'], 'filename': name}
            return {'type': 'input_file', 'file_url': item.url}
        if isinstance(item, UploadedFile):
            if item.provider_name != self.system:
                raise UserError(
                    f'The file {item.file_id!r} was uploaded to {item.provider_name!r}, but the request goes to '
                    f'{self.system!r}. Upload it there, or send its bytes as `BinaryContent`.'
                )
            return {'type': 'input_file', 'file_id': item.file_id}
        raise UserError(f'The Responses API takes no {type(item).__name__}. Use another model for it, or leave it out.')

    @staticmethod
    def download_format(item: FileUrl) -> DownloadFormat | None:
        """Return the format that a link is downloaded in; `None` sends the link."""
        takes = isinstance(item, (ImageUrl, DocumentUrl, AudioUrl))
        return ('base64_uri', 'extension') if takes and item.force_download else None


class _ResponseItems:
    """Encoder of one response, in which several parts may become one item."""

    def __init__(self, encoder: ItemEncoder, message: ModelResponse) -> None:
        self.encoder = encoder
        self.message = message
        self.items: list[JsonObject] = []
        self.calls: dict[str, JsonObject] = {}
        """Items of native calls, which hold their results, by the ids of the calls."""

    def encode(self) -> list[JsonObject]:
        for part in self.message.parts:
            if isinstance(part, TextPart):
                self._text(part)
            elif isinstance(part, ThinkingPart):
                self._thinking(part)
            elif isinstance(part, ToolCallPart):
                self._call(part)
            elif isinstance(part, NativeToolSearchCallPart):
                self._native_search(part)
            elif isinstance(part, NativeToolCallPart):
                self._native_call(part)
            elif isinstance(part, NativeToolReturnPart):
                self._native_return(part)
            elif isinstance(part, CompactionPart) and part.provider_details and self._is_own(part):
                content = part.provider_details.get('encrypted_content')
                self.items.append({'type': 'compaction', 'id': part.id, 'encrypted_content': content})
        return self.items

    def _is_own(self, part: Any) -> bool:
        return (part.provider_name or self.message.provider_name) == self.encoder.system

    def _last(self, kind: str, item_id: str) -> JsonObject | None:
        last = self.items[-1] if self.items else {}
        return last if last.get('type') == kind and last.get('id') == item_id else None

    def _text(self, part: TextPart) -> None:
        if not part.content:
            return
        if not (self.encoder.send_ids and part.id and part.provider_name == self.encoder.system):
            self.items.append({'role': 'assistant', 'content': part.content})
            return
        content: JsonObject = {'type': 'output_text', 'text': part.content, 'annotations': []}
        if (last := self._last('message', part.id)) is not None:
            last['content'].append(content)
            return
        item: JsonObject = {'type': 'message', 'role': 'assistant', 'id': part.id, 'status': 'completed'}
        item['content'] = [content]
        if self.encoder.profile.openai_supports_phase and (phase := as_dict(part.provider_details).get('phase')):
            item['phase'] = phase
        self.items.append(item)

    def _thinking(self, part: ThinkingPart) -> None:
        if not (self.encoder.send_ids and part.id and self._is_own(part)):
            if part.content:
                start, end = self.encoder.profile.thinking_tags
                self.items.append({'role': 'assistant', 'content': f'{start}\n{part.content}\n{end}'})
            return
        item: Any = self._last('reasoning', part.id)
        if item is None:
            sealed = part.signature if self.encoder.profile.openai_supports_encrypted_reasoning_content else None
            item = {'type': 'reasoning', 'id': part.id, 'summary': [], 'encrypted_content': sealed}
            self.items.append(item)
        if part.content:
            item['summary'].append({'type': 'summary_text', 'text': part.content})
        if raw := as_list(as_dict(part.provider_details).get('raw_content')):
            item['content'] = [{'type': 'reasoning_text', 'text': text} for text in raw]

    def _call(self, part: ToolCallPart) -> None:
        call_id, item_id = split_id(part.tool_call_id)
        item_id = item_id or part.id
        item: JsonObject = {'type': 'function_call', 'call_id': call_id}
        if self.encoder.searches(part):
            item.update(type='tool_search_call', execution='client', status='completed', arguments=part.args_as_dict())
        else:
            item.update(name=part.tool_name, arguments=part.args_as_json_str())
            if (space := self._namespace(part)) is not None:
                item['namespace'] = space
        if item_id and self.encoder.send_ids and self._is_own(part):
            item['id'] = item_id
        self.items.append(item)

    def _namespace(self, part: ToolCallPart) -> str | None:
        """Return the namespace of a tool, which deferred ones have."""
        if self._is_own(part) and (space := as_dict(part.provider_details).get('namespace')) is not None:
            return space
        return part.tool_name if part.tool_name in self.encoder.search.managed else None

    def _native_search(self, part: NativeToolSearchCallPart) -> None:
        # OpenAI stores the result of the search.
        if self.encoder.send_ids and self._is_own(part):
            item = {'type': 'tool_search_call', 'id': part.id or part.tool_call_id, 'call_id': part.tool_call_id}
            arguments: JsonObject = part.args_as_dict()
            self.items.append({**item, 'execution': 'server', 'status': 'completed', 'arguments': arguments})

    def _native_call(self, part: NativeToolCallPart) -> None:
        if not (self.encoder.send_ids and self._is_own(part)):
            return
        arguments, name = part.args_as_dict(), part.tool_name
        item: JsonObject = {'id': part.tool_call_id}
        if name == 'web_search':
            item.update(type='web_search_call', action=arguments, status='completed')
        elif name == 'file_search':
            item.update(type='file_search_call', queries=as_list(arguments.get('queries')), status='completed')
        elif name == 'code_execution' and arguments.get('container_id'):
            item.update(type='code_interpreter_call', code=arguments.get('code'), outputs=None, status='completed')
            item['container_id'] = arguments.get('container_id')
        elif name == 'image_generation':
            item['type'] = 'image_generation_call'  # the image stays with OpenAI
        elif name.startswith(MCP_PREFIX):
            item['server_label'] = name.removeprefix(MCP_PREFIX)
            if arguments.get('action') == 'list_tools':
                item.update(type='mcp_list_tools', tools=[])
            else:
                inner = to_json(as_dict(arguments.get('tool_args'))).decode()
                item.update(type='mcp_call', name=arguments.get('tool_name'), arguments=inner, output=None, error=None)
        else:
            return
        self.calls[part.tool_call_id] = item
        self.items.append(item)

    def _native_return(self, part: NativeToolReturnPart) -> None:
        item = self.calls.get(part.tool_call_id)
        if item is None:
            return
        content = as_dict(part.content)
        if 'status' in item and 'status' in content:
            item['status'] = content['status']
        for name in ('output', 'error', 'tools'):
            if name in content:
                item[name] = content[name]


def _role(item: JsonObject | Written) -> str:
    return item.role if isinstance(item, Written) else item.get('role', '')


def split_id(tool_call_id: str) -> tuple[str, str | None]:
    """Return the id of a call, and that of its item, which older histories join in one text."""
    call_id, _, item_id = tool_call_id.partition('|')
    return RESPONSES_IDS.fit(call_id), item_id or None


def _image(url: str, item: ImageUrl | BinaryContent) -> JsonObject:
    detail = as_dict(item.vendor_metadata).get('detail', 'auto')
    return {'type': 'input_image', 'image_url': url, 'detail': detail}
