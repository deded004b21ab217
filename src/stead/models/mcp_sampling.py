"""`MCPSamplingModel`: the model of an MCP client, which the server's own agents ask through the session with it."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .._contracts.model import ModelRequestParameters
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
    UserPromptPart,
)
from ..profiles import ModelProfile
from ..settings import ModelSettings
from . import check_allow_model_requests
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

    mcp_model_preferences: Any
    """Which of its models the client should ask: an `mcp.types.ModelPreferences`."""


@dataclass
class MCPSamplingModel(Model[Any]):
    """The model of an MCP client. Use it in tools of an MCP server, with the session of the request.

    It takes text, images and audio, and has no tools; output of other types than text is asked for in the prompt. Clients
    need not offer it, and the protocol gives it up (as of 2026-07-28): have another model at hand in new servers.
    """

    session: Any
    """The `mcp.server.session.ServerSession` with the client."""
    default_max_tokens: int = field(default=16_384, kw_only=True)
    """The most tokens of a response if the settings do not say; the protocol wants a number."""

    def __post_init__(self) -> None:
        super().__init__(profile=_PROFILE)

    @property
    def model_name(self) -> str:
        """The name of the model; which one the client asks is in the response."""
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
        """Ask the client for a response; see `Model.request`.

        Raises:
            ImportError: The package mcp is not installed.
            ModelAPIError: The client refuses, or is gone.
            UserError: The conversation has something that the protocol cannot carry.
            UnexpectedModelBehavior: What the client returns is no response.
        """
        check_allow_model_requests()
        types = wire.types()
        merged, params = self.prepare_request(model_settings, model_request_parameters)
        settings: Any = merged or {}
        if params.function_tools:
            warnings.warn(
                f'The client of MCP sampling is not told of tools: {[tool.name for tool in params.function_tools]}. '
                'Its model answers without them.',
                UserWarning,
                stacklevel=2,
            )
        downloads = await download_all(messages, _download_format)
        sampled = [types.SamplingMessage.model_validate(message) for message in _messages(messages, downloads)]
        with warnings.catch_warnings():
            # The SDK warns that the protocol gives sampling up, which whoever uses this class can do nothing about.
            warnings.filterwarnings('ignore', message='The sampling capability is deprecated')
            asked = self.session.create_message(
                sampled,
                max_tokens=settings.get('max_tokens', self.default_max_tokens),
                system_prompt=_system_prompt(messages, params),
                temperature=settings.get('temperature'),
                model_preferences=settings.get('mcp_model_preferences'),
                stop_sequences=settings.get('stop_sequences'),
            )
        try:
            result = await asked
        except wire.sdk_error() as error:
            raise ModelAPIError(self.model_name, f'The MCP client did not answer for a model: {error}') from error
        return self._response(result)

    def _response(self, result: Any) -> ModelResponse:
        if result.role != 'assistant':
            raise UnexpectedModelBehavior(
                f'The MCP client answered as {result.role!r}, rather than as "assistant".', str(result)
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
    raise UnexpectedModelBehavior(f'The MCP client answered with content of type {block.type!r}.', str(block))


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


def _messages(messages: list[ModelMessage], downloads: Downloads) -> Iterator[dict[str, Any]]:
    """Yield messages as the protocol has them: one for each piece of content."""
    for message in messages:
        if isinstance(message, ModelResponse):
            yield {'role': 'assistant', 'content': {'type': 'text', 'text': _answer(message)}}
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
                raise _unsendable(f'a {type(part).__name__}')


def _answer(message: ModelResponse) -> str:
    texts: list[str] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            texts.append(part.content)
        elif not isinstance(part, ThinkingPart):
            raise _unsendable(f'a {type(part).__name__}')
    return ''.join(texts)


def _content(item: Any, downloads: Downloads) -> dict[str, Any] | None:
    if isinstance(item, CachePoint):
        return None
    if isinstance(item, (str, TextContent)):
        return {'type': 'text', 'text': item if isinstance(item, str) else item.content}
    if isinstance(item, BinaryContent) and (item.is_image or item.is_audio):
        data = base64.b64encode(item.data).decode()
        return {'type': 'image' if item.is_image else 'audio', 'data': data, 'mimeType': item.media_type}
    if isinstance(item, (ImageUrl, AudioUrl)):
        found = downloads[id(item)]
        kind = 'image' if isinstance(item, ImageUrl) else 'audio'
        return {'type': kind, 'data': found['data'], 'mimeType': found['data_type']}
    what = item.media_type if isinstance(item, BinaryContent) else f'content like {type(item).__name__}'
    raise _unsendable(what)


def _download_format(item: FileUrl) -> DownloadFormat | None:
    return ('base64', 'mime') if isinstance(item, (ImageUrl, AudioUrl)) else None


def _unsendable(what: str) -> UserError:
    return UserError(
        f'MCP sampling cannot carry {what}: it carries text, images and audio. '
        'Use another model for this conversation, or leave that out of its history.'
    )


__all__ = ('MCPSamplingModel', 'MCPSamplingModelSettings')
