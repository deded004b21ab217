"""Requests to Mistral: messages, tools and settings as its API has them. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from typing_extensions import TypeAlias

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ...exceptions import UserError
from ...messages import (
    BinaryContent,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserContent,
)
from ...profiles import ModelProfile
from ...profiles.openai import OpenAIModelProfile
from ...settings import ModelSettings
from .._chat_completions.request import ChatEncoder, encode_output, encode_tool
from .._media import DownloadFormat, is_text
from .._tool_choice import resolve_tool_choice
from .._wire.body import write
from .._wire.call_ids import CHAT_IDS
from .._wire.kept import KeptMessages, Written

LatestMistralModelNames: TypeAlias = Literal[
    'mistral-large-latest', 'mistral-small-latest', 'codestral-latest', 'mistral-moderation-latest'
]
"""Names that are known."""
MistralModelName: TypeAlias = Union[str, LatestMistralModelNames]
"""The name of a model; those that are known, or any other."""
MistralToolCallId: TypeAlias = Optional[str]
"""The id of a call, if it has one."""


class MistralModelSettings(ModelSettings, total=False):
    """Settings of Mistral's models."""

    mistral_prompt_cache_key: str
    """A key under which prompts are cached."""


PDF = 'application/pdf'
_OK: JsonObject = {'role': 'assistant', 'content': [{'type': 'text', 'text': 'OK'}], 'prefix': False}
_WRITTEN_OK = Written('assistant', write(_OK))

# Settings and the fields of the request that they become.
_FIELDS = {
    'max_tokens': 'max_tokens',
    'temperature': 'temperature',
    'top_p': 'top_p',
    'presence_penalty': 'presence_penalty',
    'frequency_penalty': 'frequency_penalty',
    'seed': 'random_seed',
    'stop_sequences': 'stop',
    'mistral_prompt_cache_key': 'prompt_cache_key',
}


@dataclass
class MistralEncoder(ChatEncoder):
    """Encoder of messages in the dialect of Mistral, which has its own forms of responses and documents.

    The SDK's defaults, `prefix` and `index`, are spelled out, so that a request is the same by way of its typed methods.
    """

    @classmethod
    def of(cls, system: str) -> MistralEncoder:
        """Return an encoder for a provider."""
        return cls(system, OpenAIModelProfile(), 'system')

    async def messages(
        self, messages: Sequence[ModelMessage], params: ModelRequestParameters, kept: KeptMessages | None = None
    ) -> list[Any]:
        """Return messages as Mistral's API has them; arguments and errors as that of the protocol."""
        encoded: list[Any] = []
        before = ''
        for message in await super().messages(messages, params, kept):
            role = message.role if type(message) is Written else message['role']
            # The API requires a message of the assistant between a tool's result and a user message.
            if role == 'user' and before == 'tool':
                encoded.append(_OK if kept is None else _WRITTEN_OK)
            encoded.append(message)
            before = role
        return encoded

    def _response(self, message: ModelResponse) -> JsonObject | None:
        thoughts: list[JsonObject] = []
        content: list[JsonObject] = []
        calls: list[JsonObject] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                if part.content:
                    content.append({'type': 'text', 'text': part.content})
            elif isinstance(part, ThinkingPart):
                if part.content:
                    thoughts.append({'type': 'text', 'text': part.content})
            elif isinstance(part, ToolCallPart):
                function = {'name': part.tool_name, 'arguments': part.args_as_json_str()}
                calls.append(
                    {'id': CHAT_IDS.fit(part.tool_call_id), 'type': 'function', 'function': function, 'index': 0}
                )
        if thoughts:
            content.insert(0, {'type': 'thinking', 'thinking': thoughts})
        if not (content or calls):
            return None
        response: JsonObject = {'role': 'assistant', 'content': content, 'prefix': False}
        if calls:
            response['tool_calls'] = calls
        return response

    def _item(self, item: UserContent) -> JsonObject | None:
        if isinstance(item, (FileUrl, BinaryContent)) and item.media_type == PDF:
            if isinstance(item, BinaryContent):
                url = item.data_uri
            else:
                url = self.downloads[id(item)]['data'] if id(item) in self.downloads else item.url
            return {'type': 'document_url', 'document_url': url}
        if _is_standard(item):
            return super()._item(item)
        what = item.media_type if isinstance(item, BinaryContent) else type(item).__name__
        raise UserError(
            f'Mistral takes no {what} in user prompts: it takes images, PDF and text. Use another model for it, '
            'or send what it says as text.'
        )

    def download_format(self, item: FileUrl) -> DownloadFormat | None:
        """Return the format that a link is downloaded in; `None` sends the link."""
        if isinstance(item, DocumentUrl) and item.media_type == PDF:
            return ('base64_uri', 'mime') if item.force_download else None
        return super().download_format(item) if _is_standard(item) else None


def _is_standard(item: UserContent | FileUrl) -> bool:
    """Return whether content is sent as the protocol has it."""
    if isinstance(item, BinaryContent):
        return item.is_image or is_text(item.media_type)
    if isinstance(item, DocumentUrl):
        return is_text(item.media_type)
    return isinstance(item, ImageUrl) or not hasattr(item, 'media_type')


def encode_tools(settings: Any, params: ModelRequestParameters, profile: ModelProfile) -> JsonObject:
    """Return the fields of a request that are about tools and the format of the output."""
    fields: JsonObject = {}
    choice = resolve_tool_choice(settings, params)
    tools = [*params.function_tools, *params.output_tools]
    if tools and choice.mode != 'none':
        fields['tool_choice'] = 'any' if choice.mode == 'required' else 'auto'
        fields['tools'] = [encode_tool(tool) for tool in choice.among(tools)]
        if 'parallel_tool_calls' in settings:
            fields['parallel_tool_calls'] = settings['parallel_tool_calls']
    output = params.output_object
    if params.output_mode == 'native' and output is not None:
        schema = {**encode_output(output), 'strict': bool(output.strict)}
        fields['response_format'] = {'type': 'json_schema', 'json_schema': schema}
    elif params.output_mode == 'prompted' and profile.supports_json_object_output and not tools:
        fields['response_format'] = {'type': 'json_object'}
    return fields


def encode_settings(settings: Any) -> JsonObject:
    """Return the fields of a request that are about settings, and the timeout in milliseconds, as the SDK takes it."""
    fields: JsonObject = {name: settings[key] for key, name in _FIELDS.items() if key in settings}
    timeout = settings.get('timeout')
    timeout = getattr(timeout, 'read', timeout)  # of an `httpx.Timeout`
    if timeout is not None:
        fields['timeout_ms'] = max(int(timeout * 1000), 1)
    return fields
