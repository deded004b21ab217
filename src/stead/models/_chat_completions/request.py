"""Requests for chat completions: messages and tools as the protocol has them. No I/O."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._contracts.model import ModelRequestParameters
from ..._contracts.output import OutputObjectDefinition
from ..._contracts.tool_definition import ToolDefinition
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    DocumentUrl,
    FilePart,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
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
    VideoUrl,
)
from ...profiles.openai import OpenAIModelProfile
from ...settings import ModelSettings
from .._base import instructions_of
from .._media import DownloadFormat, Downloads, as_text_file, is_text
from .._tool_choice import resolve_tool_choice
from .._wire.body import parse, write
from .._wire.call_ids import CHAT_IDS
from .._wire.kept import KeptMessages, Written
from .._wire.messages import plain_messages, write_messages

STANDARD_SETTINGS = {
    'max_tokens': 'max_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'seed': 'seed',
    'logit_bias': 'logit_bias',
    'stop_sequences': 'stop',
}
"""Settings, and the fields of a request that they become where a server has the fields of the first version of the protocol."""


@dataclass
class ChatEncoder:
    """Encoder of messages; dialects override what they send in another form."""

    system: str
    """The provider. Thinking of other providers is not sent back as its own."""
    profile: OpenAIModelProfile
    system_role: str
    """The role of system prompts and instructions."""
    downloads: Downloads = field(default_factory=lambda: {})
    """Files that were downloaded for the request."""

    async def messages(
        self, messages: Sequence[ModelMessage], params: ModelRequestParameters, kept: KeptMessages | None = None
    ) -> list[Any]:
        """Return messages as the protocol has them, once the files in them are downloaded that the model does not read.

        Args:
            messages: The messages.
            params: The parameters of the request.
            kept: Where messages are kept as JSON; those that are there are neither read nor written again. `None` for
                messages as plain data.

        Raises:
            UserError: A message has content that the model does not take, or cannot be downloaded.
            httpx.HTTPError: A download failed.
        """
        encoded = await write_messages(messages, self, kept, self._key)
        self._insert_instructions(encoded, messages, params)
        return encoded

    async def plain_messages(
        self, messages: Sequence[ModelMessage], params: ModelRequestParameters, kept: KeptMessages[JsonObject]
    ) -> list[JsonObject]:
        """Return messages as plain data, for clients that write them themselves; arguments and errors as `messages`."""
        encoded = await plain_messages(messages, self, kept, self._key)
        self._insert_instructions(encoded, messages, params)
        return encoded

    @property
    def _key(self) -> tuple[object, ...]:
        """What the encoded form of a message depends on."""
        return type(self), self.system, self.system_role, self.profile

    def encode_message(self, message: ModelMessage) -> list[JsonObject]:
        """Return the messages of the protocol that a message becomes.

        Raises:
            UserError: The message has content that the model does not take.
        """
        if isinstance(message, ModelRequest):
            return list(self._request(message))
        response = self._response(message)
        return [] if response is None else [response]

    def _insert_instructions(
        self, encoded: list[Any], messages: Sequence[ModelMessage], params: ModelRequestParameters
    ) -> None:
        """Insert the instructions after the system prompts, which they may build on."""
        if params.instruction_parts:
            texts = [part.content for part in params.instruction_parts]
        else:
            text = instructions_of(messages, params)
            texts = [text] if text else []
        place = next((i for i, item in enumerate(encoded) if _role(item) != self.system_role), len(encoded))
        added: list[Any] = [{'role': self.system_role, 'content': text} for text in texts if text]
        if place + len(added) > 1 and not self.profile.openai_chat_supports_multiple_system_messages:
            content = '\n\n'.join([*map(_content, encoded[:place]), *map(_content, added)])
            added, encoded[:place], place = [{'role': self.system_role, 'content': content}], [], 0
        if encoded and type(encoded[0]) is Written:
            added = [Written(item['role'], write(item)) for item in added]
        encoded[place:place] = added

    def _request(self, message: ModelRequest) -> Iterable[JsonObject]:
        files: list[UserContent] = []
        for part in message.parts:
            if isinstance(part, SystemPromptPart):
                yield {'role': self.system_role, 'content': part.content}
            elif isinstance(part, UserPromptPart):
                yield {'role': 'user', 'content': self.user_content(part.content)}
            elif isinstance(part, ToolReturnPart):
                text, returned_files = part.model_response_str_and_user_content()
                files.extend(returned_files)
                yield {'role': 'tool', 'tool_call_id': CHAT_IDS.fit(part.tool_call_id), 'content': text}
            elif isinstance(part, RetryPromptPart):
                if part.tool_name is None:
                    yield {'role': 'user', 'content': part.model_response()}
                else:
                    yield {
                        'role': 'tool',
                        'tool_call_id': CHAT_IDS.fit(part.tool_call_id),
                        'content': part.model_response(),
                    }
        if files:  # tool messages are text only
            yield {'role': 'user', 'content': self.user_content(files)}

    def _response(self, message: ModelResponse) -> JsonObject | None:
        texts: list[str] = []
        thinking: dict[str, list[str]] = {}
        calls: list[JsonObject] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                if part.content:
                    texts.append(part.content)
            elif isinstance(part, ThinkingPart):
                self._thinking(part, texts, thinking)
            elif isinstance(part, ToolCallPart):
                calls.append(
                    {
                        'id': CHAT_IDS.fit(part.tool_call_id),
                        'type': 'function',
                        'function': {'name': part.tool_name, 'arguments': part.args_as_json_str()},
                    }
                )
            elif isinstance(part, FilePart):
                pass  # chat completions take no files of the assistant
        if not (texts or calls):  # servers refuse messages of thinking alone
            return None
        response: JsonObject = {'role': 'assistant', 'content': '\n\n'.join(texts) if texts else None}
        response.update({name: '\n\n'.join(pieces) for name, pieces in thinking.items()})
        if calls:
            response['tool_calls'] = calls
        return response

    def _thinking(self, part: ThinkingPart, texts: list[str], fields: dict[str, list[str]]) -> None:
        """Add thinking to the texts, between tags, or to the field for it."""
        mode = self.profile.openai_chat_send_back_thinking_parts
        if mode is False:
            return
        name = None
        if mode == 'field':
            name = self.profile.openai_chat_thinking_field or 'reasoning_content'
        elif mode == 'auto' and part.provider_name == self.system and part.id and part.id != 'content':
            name = part.id
        if name is not None:
            fields.setdefault(name, []).append(part.content)
        else:
            start, end = self.profile.thinking_tags
            texts.append(f'{start}\n{part.content}\n{end}')

    def user_content(self, content: str | Sequence[UserContent]) -> Any:
        """Return the content of a user prompt."""
        if isinstance(content, str):
            return content
        items = (self._item(item) for item in content)
        return [item for item in items if item is not None] or ''

    def _item(self, item: UserContent) -> JsonObject | None:
        if isinstance(item, (str, TextContent)):
            text = item if isinstance(item, str) else item.content
            return {'type': 'text', 'text': text} if text else None  # some servers refuse empty texts
        if isinstance(item, CachePoint):  # servers of this protocol cache prompts by themselves
            return None
        if isinstance(item, BinaryContent):
            return self._binary(item)
        if isinstance(item, ImageUrl):
            return _image(self.downloads[id(item)]['data'] if id(item) in self.downloads else item.url, item)
        if isinstance(item, AudioUrl):
            download = self.downloads[id(item)]
            return {'type': 'input_audio', 'input_audio': {'data': download['data'], 'format': download['data_type']}}
        if isinstance(item, DocumentUrl):
            return self._document(item)
        if isinstance(item, UploadedFile):
            if item.provider_name != self.system:
                raise UserError(
                    f'The file {item.file_id!r} was uploaded to {item.provider_name!r}, but the request goes to '
                    f'{self.system!r}. Upload it there, or send its bytes as `BinaryContent`.'
                )
            return {'type': 'file', 'file': {'file_id': item.file_id}}
        what = 'videos' if isinstance(item, VideoUrl) else f'content like {type(item).__name__}'
        raise UserError(f'Chat completions take no {what}. Use another model for it, or leave it out.')

    def _document(self, item: DocumentUrl) -> JsonObject:
        if id(item) not in self.downloads:
            return {'type': 'file', 'file': {'file_data': item.url, 'filename': f'filename.{item.format}'}}
        download = self.downloads[id(item)]
        if is_text(item.media_type):
            text = as_text_file(download['data'], media_type=item.media_type, identifier=item.identifier)
            return {'type': 'text', 'text': text}
        self._check_documents()
        return {
            'type': 'file',
            'file': {'file_data': download['data'], 'filename': f'filename.{download["data_type"]}'},
        }

    def _binary(self, item: BinaryContent) -> JsonObject:
        if is_text(item.media_type):
            text = item.data.decode('utf-8', errors='replace')
            return {
                'type': 'text',
                'text': as_text_file(text, media_type=item.media_type, identifier=item.identifier),
            }
        if item.is_image:
            return _image(item.data_uri, item)
        if item.is_audio:
            if item.format not in ('wav', 'mp3'):
                raise UserError(f'Chat completions take audio as wav and mp3, not as {item.format}. Convert it first.')
            uri = self.profile.openai_chat_audio_input_encoding == 'uri'
            data = item.data_uri if uri else base64.b64encode(item.data).decode()
            return {'type': 'input_audio', 'input_audio': {'data': data, 'format': item.format}}
        if item.is_document:
            self._check_documents()
            return {'type': 'file', 'file': {'file_data': item.data_uri, 'filename': f'filename.{item.format}'}}
        raise UserError(
            f'Chat completions take no {item.media_type!r}: they take images, audio (wav, mp3), documents and text.'
        )

    def _check_documents(self) -> None:
        if not self.profile.openai_chat_supports_document_input:
            raise UserError(
                f'The provider {self.system!r} takes no documents in chat completions. Send their text, '
                'or use `OpenAIResponsesModel`.'
            )

    def download_format(self, item: FileUrl) -> DownloadFormat | None:
        """Return the format that a link is downloaded in; `None` sends the link."""
        if isinstance(item, ImageUrl):
            return ('base64_uri', 'extension') if item.force_download else None
        if isinstance(item, AudioUrl):
            uri = self.profile.openai_chat_audio_input_encoding == 'uri'
            return ('base64_uri' if uri else 'base64', 'extension')
        if isinstance(item, DocumentUrl):
            if self.profile.openai_chat_supports_file_urls and not item.force_download:
                return None
            if is_text(item.media_type):
                return ('text', 'extension')
            self._check_documents()
            return ('base64_uri', 'extension')
        return None


def _role(item: JsonObject | Written) -> str:
    return item.role if isinstance(item, Written) else item['role']


def _content(item: JsonObject | Written) -> str:
    """Return the text of a system message."""
    return parse(item.json)['content'] if isinstance(item, Written) else item['content']


def _image(url: str, item: ImageUrl | BinaryContent) -> JsonObject:
    image: JsonObject = {'url': url}
    if detail := (item.vendor_metadata or {}).get('detail'):
        image['detail'] = detail
    return {'type': 'image_url', 'image_url': image}


def encode_function_tools(settings: ModelSettings, params: ModelRequestParameters) -> JsonObject:
    """Return the fields of a request that are about function tools and output tools."""
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if not tools:
        return {}
    only = choice.only
    return {
        'tool_choice': choice.mode if only is None else {'type': 'function', 'function': {'name': only}},
        # All tools are sent where possible, so that cached prompts stay valid.
        'tools': [encode_tool(tool) for tool in (choice.among(tools) if only is None else tools)],
    }


def encode_tool(tool: ToolDefinition, *, strict: bool = False) -> JsonObject:
    """Return a function tool.

    Args:
        tool: The tool.
        strict: Whether to ask the server to hold arguments to the schema.
    """
    function: JsonObject = {
        'name': tool.name,
        'description': tool.description or '',
        'parameters': tool.parameters_json_schema,
    }
    if strict:
        function['strict'] = True
    return {'type': 'function', 'function': function}


def encode_output(output: OutputObjectDefinition) -> JsonObject:
    """Return the name, schema and description of an output; vendors differ in how they ask for strictness."""
    schema: JsonObject = {'name': output.name or 'final_result', 'schema': output.json_schema}
    if output.description:
        schema['description'] = output.description
    return schema
