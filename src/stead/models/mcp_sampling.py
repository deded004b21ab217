"""`MCPSamplingModel`: the model of an MCP client, for agents in an MCP server."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .._contracts.model import ModelRequestParameters
from .._kit.json_types import JsonObject
from .._kit.records import is_list
from ..exceptions import ModelAPIError, UnexpectedModelBehavior, UserError
from ..mcp import _wire as wire
from ..mcp._content import binary
from ..messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    FilePart,
    FileUrl,
    FinishReason,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    UserContent,
    UserPromptPart,
)
from ..profiles import ModelProfile
from ..settings import ModelSettings
from ._base import Model, instructions_of
from ._media import DownloadFormat, Downloads, download_all

_PROFILE = ModelProfile(supports_tools=False, default_structured_output_mode='prompted')
_REASONS: dict[str, FinishReason] = {
    'endTurn': 'stop',
    'stopSequence': 'stop',
    'maxTokens': 'length',
    'toolUse': 'tool_call',
}


class MCPSamplingModelSettings(ModelSettings, total=False):
    """Settings of the model of an MCP client."""

    mcp_model_preferences: object
    """Which of its models the client should use: an `mcp.types.ModelPreferences`."""


@dataclass
class MCPSamplingModel(Model):
    """The model of an MCP client. Use it in tools of an MCP server, with the session of the request.

    It supports text, images and audio, but no tools; structured output uses the prompt. Clients need not support sampling,
    and version 2026-07-28 of the protocol deprecates it: new servers should have another model to fall back on.
    """

    session: Any
    """The `mcp.server.session.ServerSession` with the client. `Any`, since the package mcp is optional."""
    default_max_tokens: int = field(default=16_384, kw_only=True)
    """The default of the setting `max_tokens`, which the protocol requires."""

    def __post_init__(self) -> None:
        super().__init__(profile=_PROFILE)

    @property
    def model_name(self) -> str:
        """The name of the model. Responses have the name of the model that the client used."""
        return 'mcp-sampling'

    @property
    def system(self) -> str:
        """The name of the provider."""
        return 'MCP'

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Request a response from the client; see `Model.request`.

        `ALLOW_MODEL_REQUESTS` does not hold here, because it is the client that sends requests to a model.

        Raises:
            ImportError: The package mcp is not installed.
            ModelAPIError: The client rejected the request, or its connection is closed.
            UserError: The messages have content that MCP sampling does not support.
            UnexpectedModelBehavior: The response of the client is invalid.
        """
        types = wire.types()
        merged, params = self.prepare_request(model_settings, model_request_parameters)
        settings: Any = merged or {}
        if params.function_tools:
            warnings.warn(
                f'MCP sampling does not support tools: {[tool.name for tool in params.function_tools]}. '
                'The model of the client responds without them.',
                UserWarning,
                stacklevel=2,
            )
        downloads = await download_all(messages, _download_format)
        sampled = [types.SamplingMessage.model_validate(message) for message in _messages(messages, downloads)]
        with warnings.catch_warnings():
            # The SDK warns that the protocol deprecates sampling, which callers of this class cannot change.
            warnings.filterwarnings('ignore', message='The sampling capability is deprecated')
            pending = self.session.create_message(
                sampled,
                max_tokens=settings.get('max_tokens', self.default_max_tokens),
                system_prompt=_system_prompt(messages, params),
                temperature=settings.get('temperature'),
                model_preferences=settings.get('mcp_model_preferences'),
                stop_sequences=settings.get('stop_sequences'),
            )
        try:
            result = await pending
        except wire.sdk_error() as error:
            raise ModelAPIError(self.model_name, f'The MCP client did not return a response: {error}') from error
        return self._response(result)

    def _response(self, result: Any) -> ModelResponse:
        if result.role != 'assistant':
            raise UnexpectedModelBehavior(
                f'The MCP client returned a message of {result.role!r}, rather than of "assistant".', str(result)
            )
        reason: Any = wire.field(result, 'stop_reason')
        return ModelResponse(
            parts=[_part(block) for block in (result.content if is_list(result.content) else [result.content])],
            model_name=result.model,
            finish_reason=_REASONS.get(reason),
            provider_details={'finish_reason': reason} if reason else None,
        )


def _part(block: Any) -> ModelResponsePart:
    if block.type == 'text':
        return TextPart(block.text)
    if block.type in ('image', 'audio'):
        return FilePart(binary(block.data, wire.field(block, 'mime_type')))
    raise UnexpectedModelBehavior(f'The MCP client returned content of type {block.type!r}.', str(block))


def _system_prompt(messages: list[ModelMessage], params: ModelRequestParameters) -> str:
    texts = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, SystemPromptPart)
    ]
    if instructions := instructions_of(messages, params):
        texts.append(instructions)
    return '\n\n'.join(texts)


def _messages(messages: list[ModelMessage], downloads: Downloads) -> Iterator[JsonObject]:
    """Yield messages in the format of the protocol: one for each content item."""
    for message in messages:
        if isinstance(message, ModelResponse):
            yield {'role': 'assistant', 'content': {'type': 'text', 'text': _response_text(message)}}
            continue
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                items = [part.content] if isinstance(part.content, str) else part.content
                for item in items:
                    if (content := _content(item, downloads)) is not None:
                        yield {'role': 'user', 'content': content}
            elif isinstance(part, RetryPromptPart):
                yield {'role': 'user', 'content': {'type': 'text', 'text': part.model_response()}}
            elif not isinstance(part, SystemPromptPart):
                raise _unsupported(f'a {type(part).__name__}')


def _response_text(message: ModelResponse) -> str:
    texts: list[str] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            texts.append(part.content)
        elif not isinstance(part, ThinkingPart):
            raise _unsupported(f'a {type(part).__name__}')
    return ''.join(texts)


def _content(item: UserContent, downloads: Downloads) -> JsonObject | None:
    if isinstance(item, CachePoint):
        return None
    if isinstance(item, (str, TextContent)):
        return {'type': 'text', 'text': item if isinstance(item, str) else item.content}
    if isinstance(item, BinaryContent) and (item.is_image or item.is_audio):
        data = base64.b64encode(item.data).decode()
        return {'type': 'image' if item.is_image else 'audio', 'data': data, 'mimeType': item.media_type}
    if isinstance(item, (ImageUrl, AudioUrl)):
        download = downloads[id(item)]
        kind = 'image' if isinstance(item, ImageUrl) else 'audio'
        return {'type': kind, 'data': download['data'], 'mimeType': download['data_type']}
    description = item.media_type if isinstance(item, BinaryContent) else f'content like {type(item).__name__}'
    raise _unsupported(description)


def _download_format(item: FileUrl) -> DownloadFormat | None:
    return ('base64', 'mime') if isinstance(item, (ImageUrl, AudioUrl)) else None


def _unsupported(what: str) -> UserError:
    return UserError(
        f'MCP sampling does not support {what}, only text, images and audio. '
        'Use another model for this conversation, or remove that from its history.'
    )


__all__ = ('MCPSamplingModel', 'MCPSamplingModelSettings')
