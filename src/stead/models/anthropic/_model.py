"""`AnthropicModel`: Anthropic's models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ..._kit.json_types import JsonObject, as_count, as_dict, plain
from ..._kit.sdk_types import SdkObject
from ...exceptions import UserError
from ...messages import ModelMessage, ModelResponse
from ...native_tools import (
    AbstractNativeTool,
    AdvisorTool,
    CodeExecutionTool,
    MCPServerTool,
    MemoryTool,
    ToolSearchTool,
    WebFetchTool,
    WebSearchTool,
)
from ...profiles import ModelProfile, ModelProfileSpec
from ...profiles.anthropic import AnthropicModelProfile
from ...providers import Provider
from ...settings import ModelSettings, merge_model_settings
from ...usage import RequestUsage
from .._streaming.fold import VendorStream
from .._streaming.streamed import StreamedResponse
from .._tool_choice import is_native, without_forced_output
from .._tool_search import native_search
from .._vendor import CacheSettings, VendorModel, VendorRequest, options_of
from .._wire.door import Door
from .._wire.events import ServerEvent
from .._wire.kept import KeptMessages
from .._wire.messages import write_messages
from .._wire_errors import model_errors
from ._options import check_settings, encode_options, encode_tools, is_thinking, refused_sampling
from ._pauses import check_pauses, continued, is_paused
from ._request import AnthropicMessageEncoder, cache_control, place_cache_points, platform_of
from ._response import decode_message
from ._settings import AnthropicModelName
from ._stream import AnthropicStreamedResponse, as_model_error

MAX_TOKENS = 4096
"""The default of the setting `max_tokens`, which the API requires."""

LONGEST_WHOLE = 8192
"""The largest `max_tokens` with which the SDK never demands a stream."""

_COUNTED = ('system', 'tools', 'tool_choice', 'thinking', 'cache_control', 'context_management', 'output_config')
"""The fields of a request that are part of a request to count tokens, in addition to the messages."""


@dataclass(init=False, repr=False)
class AnthropicModel(VendorModel):
    """An Anthropic model, on the Messages API."""

    _cache_settings = CacheSettings(
        'anthropic_cache_instructions',
        'anthropic_cache_tool_definitions',
        'anthropic_cache',
        ('anthropic_cache_messages',),
    )
    _as_model_error = staticmethod(as_model_error)
    _decoder = staticmethod(decode_message)
    _stream_class = AnthropicStreamedResponse
    _door = Door(
        'anthropic',
        'AsyncAnthropic',
        path='/v1/messages',
        resources=('beta', 'messages'),
        module='anthropic.resources.beta.messages.messages',
        owner='AsyncMessages',
        has_names=True,
        qualifiers={'beta': 'true'},
    )

    def __init__(
        self,
        model_name: AnthropicModelName,
        *,
        provider: str | Provider = 'anthropic',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: What the model can do; by default the provider's profile for the name.
            settings: Settings for all requests; those of agents and runs take precedence.

        Raises:
            ImportError: The package anthropic is not installed.
            UserError: There is no API key.
            ValueError: The provider is not known.
        """
        self._connect(model_name, provider, profile, settings)

    _unsent_restrictions = frozenset({'external_web_access'})

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset(
            {WebSearchTool, WebFetchTool, CodeExecutionTool, MemoryTool, MCPServerTool, ToolSearchTool, AdvisorTool}
        )

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do."""
        return AnthropicModelProfile.from_profile(super().profile)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request, and further ones as long as the API pauses the turn; arguments and errors as `Model.request`."""
        response = await super().request(messages, model_settings, model_request_parameters)
        pauses = 0
        while is_paused(response):
            pauses = check_pauses(pauses + 1, self._model_name)
            more = await super().request([*messages, response], model_settings, model_request_parameters)
            response = continued(response, more)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream a response, also one whose turn the API pauses; arguments and errors as `request`."""
        stream = super().request_stream(messages, model_settings, model_request_parameters, run_context)
        async with stream as streamed:
            try:
                yield streamed
            finally:
                await streamed.close_stream()  # another one than the first, if the turn was paused

    def _streamed(self, stream: Any, first: object, request: VendorRequest, **extra: object) -> VendorStream:
        async def resume(response: ModelResponse) -> Any:
            return await self._send(request._replace(messages=[*request.messages, response], stream=True))

        return super()._streamed(stream, first, request, _resume=resume, **extra)

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare a request. A thinking model cannot be forced to call output tools, so another output mode is the default.

        Raises:
            UserError: The output mode is `'tool'`, the output cannot be text, and the model thinks.
        """
        settings: Any = merge_model_settings(self.settings, model_settings) or {}
        params, profile = model_request_parameters, self.profile
        if params.output_tools and is_thinking(
            settings, settings.get('thinking') if profile.supports_thinking else None
        ):
            params = without_forced_output(params, profile, self._model_name)
        return super().prepare_request(model_settings, params)

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Adapt parameters to the model: native output is always strict.

        Raises:
            UserError: The native output has `strict=False`.
        """
        output = model_request_parameters.output_object
        if output is not None and not output.strict and is_native(model_request_parameters, self.profile):
            if output.strict is False:
                raise UserError(
                    f'{self._model_name!r} does not support `NativeOutput(..., strict=False)`: Anthropic always enforces '
                    'the schema of native output. Leave `strict` out, or use `ToolOutput`.'
                )
            model_request_parameters = replace(model_request_parameters, output_object=replace(output, strict=True))
        return super().customize_request_parameters(model_request_parameters)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the tokens that a request would use; errors as `request`.

        Raises:
            UserError: The client is one for Bedrock, whose API does not count tokens.
        """
        if not platform_of(self.client).counts_tokens:
            raise UserError(
                f'Tokens cannot be counted with {type(self.client).__name__}. Leave `count_tokens_before_request` out of the '
                'usage limits, or use the API of Anthropic.'
            )
        payload, options = await self._payload(self._request(messages, model_settings, model_request_parameters))
        body = {name: payload[name] for name in _COUNTED if name in payload}
        options['extra_body'] = {**body, **(options['extra_body'] or {})}
        headers: dict[str, str] = options['extra_headers']
        betas = [*filter(None, headers.get('anthropic-beta', '').split(',')), 'token-counting-2024-11-01']
        headers['anthropic-beta'] = ','.join(sorted(betas))
        with model_errors(self._error):
            counted = await self.client.beta.messages.count_tokens(
                model=self._model_name, messages=payload['messages'], **options
            )
        return RequestUsage(input_tokens=as_count(as_dict(plain(counted)).get('input_tokens')))

    async def _payload(self, request: VendorRequest, kept: KeptMessages | None = None) -> tuple[JsonObject, JsonObject]:
        """Return the fields of a request, and the options for the SDK's method.

        Args:
            request: The request.
            kept: Where messages are kept as JSON, in which most of them then are; otherwise they are plain data.
        """
        messages, settings, params, _ = request
        profile = cast(AnthropicModelProfile, self.profile)
        platform = platform_of(self.client)
        check_settings(settings, profile, platform, self._model_name)
        cites = bool(settings.get('citations'))
        code = (tool for tool in params.native_tools if isinstance(tool, CodeExecutionTool))
        files = tuple(file_id for tool in code for file_id in tool.files_at(self.system))
        encoder = AnthropicMessageEncoder(
            self.system, profile, native_search(params), frozenset(params.tool_defs), cites=cites, code_files=files
        )
        key = encoder.system, profile, encoder.search, encoder.tool_names, cites, files
        encoded = await write_messages(messages, encoder, kept, key)
        if not encoded:  # the API demands a message, and one that is not blank
            encoded = [{'role': 'user', 'content': [{'type': 'text', 'text': '.'}]}]
        tools, tool_betas = encode_tools(settings, params, profile, self._model_name)
        fields, betas = encode_options(settings, params, profile, platform, messages)
        if files:
            betas.add('files-api-2025-04-14')
        payload: JsonObject = {'messages': encoded, **tools, **fields}
        cache = cache_control(settings.get('anthropic_cache_instructions'))
        if (system := encoder.encode_system(messages, params, cache)) is not None:
            payload['system'] = system
        place_cache_points(payload, settings, platform)
        options = options_of(settings)
        if refused := refused_sampling(settings, profile):
            extra = as_dict(options['extra_body'])
            options['extra_body'] = {name: extra[name] for name in extra if name not in refused}
        headers: dict[str, str] = options['extra_headers']
        betas_of_headers = headers.pop('anthropic-beta', '')
        if all_betas := sorted(
            {*betas, *tool_betas, *filter(None, (item.strip() for item in betas_of_headers.split(',')))}
        ):
            headers['anthropic-beta'] = ','.join(all_betas)
        return payload, options

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload, options = await self._payload(request)
        sent = payload.pop('messages')
        # Releases of the SDK know different fields, so the newer ones bypass its parameters.
        options['extra_body'] = {**payload, **(options['extra_body'] or {})}
        with model_errors(self._error):
            try:
                return await self._client_for(request.settings).beta.messages.create(
                    model=self._model_name,
                    max_tokens=request.settings.get('max_tokens', MAX_TOKENS),
                    messages=sent,
                    stream=request.stream,
                    **options,
                )
            except ValueError as error:
                if request.stream or not str(error).startswith('Streaming is'):
                    raise
        return await self._read_stream(request._replace(stream=True))

    async def _read_stream(self, request: VendorRequest) -> ModelResponse:
        """Return the response of a request that the SDK refuses to send without streaming: it could take too long."""
        async with await self._send(request) as stream:
            streamed = self._streamed(stream, await self._first_of(stream), request)
            async for _ in streamed:
                pass
            return streamed.get()

    async def _write(self, request: VendorRequest) -> tuple[bytes, JsonObject] | None:
        settings = request.settings
        if not request.stream and 'timeout' not in settings and not _is_short(settings.get('max_tokens', MAX_TOKENS)):
            return None  # the SDK decides whether such an answer must be streamed
        return await super()._write(request)

    async def _body(self, request: VendorRequest) -> tuple[JsonObject, JsonObject]:
        payload, options = await self._payload(request, self._kept)
        if not request.stream:  # the typed method repeats it, too, and a header says so
            options.setdefault('timeout', self.client.timeout)
        max_tokens = request.settings.get('max_tokens', MAX_TOKENS)
        return {'model': self._model_name, 'max_tokens': max_tokens, 'stream': request.stream, **payload}, options

    def _reported(self, client: SdkObject, response: SdkObject, event: ServerEvent, data: object) -> Exception | None:
        if event.name != 'error':
            return None
        return client._make_status_error(str(data), body=data, response=response)

    def _decode(self, answer: object, settings: Any) -> ModelResponse:
        return answer if isinstance(answer, ModelResponse) else super()._decode(answer, settings)


def _is_short(max_tokens: object) -> bool:
    """Return whether an answer of any model takes less time than the SDK allows one that is not streamed."""
    return isinstance(max_tokens, int) and max_tokens <= LONGEST_WHOLE
