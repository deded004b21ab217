"""`GoogleModel`: Google's models."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ..._kit.json_types import JsonObject, as_count, as_dict
from ...exceptions import UserError
from ...messages import ModelMessage, ModelResponse
from ...native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    WebFetchTool,
    WebSearchTool,
)
from ...profiles import ModelProfile, ModelProfileSpec
from ...profiles.google import GoogleModelProfile
from ...providers import Provider
from ...providers.google import watching_connections
from ...settings import ModelSettings
from ...usage import RequestUsage
from .._media import download_all
from .._streaming.streamed import StreamedResponse
from .._vendor import VendorModel, VendorRequest, check_numbers_of
from .._wire_errors import model_errors, unusable
from ._door import GoogleDoor, api_client_of, prepare
from ._errors import as_model_error
from ._options import encode_options, encode_output, encode_tools
from ._request import GoogleMessageEncoder
from ._response import decode_response, logprobs_of, plain_response, token_in
from ._settings import GoogleModelName
from ._stream import GeminiStreamedResponse

_OWN_NAMES = frozenset({'google', 'google-gla'})
_CLOUD_NAMES = frozenset({'google-cloud', 'google-vertex'})
# The fields of a request that are part of a request to count tokens; only Google Cloud accepts them.
_COUNTED = ('system_instruction', 'tools')
_COUNTED_CONFIG = (
    'temperature',
    'top_p',
    'max_output_tokens',
    'stop_sequences',
    'presence_penalty',
    'frequency_penalty',
    'seed',
    'thinking_config',
    'media_resolution',
    'response_mime_type',
    'response_json_schema',
)


@dataclass(init=False, repr=False)
class GoogleModel(VendorModel):
    """A Google model, on the Gemini API or on Google Cloud."""

    _as_model_error = staticmethod(as_model_error)
    _unsent_restrictions = frozenset({'max_uses', 'allowed_domains', 'blocked_domains', 'external_web_access'})
    _stream_class = GeminiStreamedResponse

    def __init__(
        self,
        model_name: GoogleModelName,
        *,
        provider: str | Provider = 'google',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name: `'google'` for the Gemini API, `'google-cloud'` for Google Cloud.
            profile: What the model can do; by default the provider's profile for the name.
            settings: Settings for all requests; those of agents and runs take precedence.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is no API key, or no access to Google Cloud.
            ValueError: The provider is not known.
        """
        self._connect(model_name, provider, profile, settings)
        self._google_door = GoogleDoor(model_name)
        prepare()

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset({WebSearchTool, WebFetchTool, CodeExecutionTool, FileSearchTool, ImageGenerationTool})

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do."""
        return GoogleModelProfile.from_profile(super().profile)

    @property
    def _is_cloud(self) -> bool:
        return self.system in _CLOUD_NAMES or bool(getattr(self._provider, 'is_cloud', False))

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare a request. Most models do not accept native tools, function tools and output schemas in one request.

        Raises:
            UserError: The request combines them, and the model does not support that.
        """
        params, profile = model_request_parameters, cast(GoogleModelProfile, self.profile)
        if not profile.google_supports_tool_combination:
            # Optional tools that the model lacks are dropped by `super()`, which also rejects the others that it lacks.
            supported = tuple(profile.supported_native_tools)
            native = any(not tool.optional or isinstance(tool, supported) for tool in params.native_tools)
            if native and params.output_tools and params.output_mode == 'auto':
                params = params.with_default_output_mode('prompted')
            self._check_combination(params, native)
        return super().prepare_request(model_settings, params)

    def _check_combination(self, params: ModelRequestParameters, native: bool) -> None:
        """Raise `UserError` if the tools and the output mode cannot be combined."""
        refused = None
        if native and params.function_tools:
            refused = 'native tools and function tools together. Use only one kind, or a newer model'
        elif native and params.output_tools and params.output_mode == 'tool':
            refused = 'native tools and output tools together. Use `output_type=PromptedOutput(...)`'
        elif params.function_tools and params.output_mode == 'native':
            refused = 'function tools and `NativeOutput` together. Use `output_type=ToolOutput(...)`'
        if refused is not None:
            raise UserError(f'The model {self._model_name!r} does not support {refused}.')

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream a response, once its first event has arrived; arguments and errors as `request`."""
        request = self._request(messages, model_settings, model_request_parameters, stream=True)
        with watching_connections() as connections:
            stream = await self._send(request)
            first = await self._first_of(stream)
        response = self._streamed(stream, first, request, _connections=connections)
        try:
            yield response
        finally:
            await response.close_stream()

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the tokens that a request would use; errors as `request`. The Gemini API counts only the messages."""
        contents, config = await self._payload(self._request(messages, model_settings, model_request_parameters))
        counted: JsonObject = {'http_options': config['http_options']}
        if self._is_cloud:
            counted.update({name: config[name] for name in _COUNTED if name in config})
            counted['generation_config'] = {name: config[name] for name in _COUNTED_CONFIG if name in config}
        with model_errors(self._error):
            answer = await self.client.aio.models.count_tokens(
                model=self._model_name, contents=contents, config=counted
            )
        total = plain_response(answer).get('total_tokens')
        if total is None:
            raise unusable(self._model_name, 'it has no token count')
        return RequestUsage(input_tokens=as_count(total))

    async def _send(self, request: VendorRequest) -> Any:
        client, stream = self.client, request.stream
        if request.settings.get('wire', 'auto') == 'auto' and (api := api_client_of(client)) is not None:
            encoder, config = self._configured(request)
            with model_errors(self._error):
                answer = await self._google_door.send(api, request.messages, encoder, config, stream=stream)
            if answer is not None and stream:
                return self._continued(answer, request)
            if answer is not None and token_in(answer) is None:
                return answer
        check_numbers_of(request.settings, request.params)
        return await self._send_typed(request)

    async def _continued(
        self, chunks: AsyncGenerator[JsonObject, None], request: VendorRequest
    ) -> AsyncGenerator[object, None]:
        """Yield the chunks of a stream, and those that continue it if it reached a limit of its request."""
        token, usage = None, JsonObject()
        try:
            async for chunk in chunks:
                if (token := token_in(chunk)) is not None:
                    chunk['candidates'][0].pop('finish_reason', None)
                usage = as_dict(chunk.get('usage_metadata')) or usage
                yield chunk
        finally:
            await chunks.aclose()
        if token is None:
            return
        contents, config = await self._payload(request)
        models = self.client.aio.models
        more = await models.generate_content_stream(
            model=self._model_name, contents=contents, config={**config, 'continuation_token': token}
        )
        async for event in more:
            chunk = plain_response(event)
            if counted := as_dict(chunk.get('usage_metadata')):  # of the last request only
                chunk['usage_metadata'] = {
                    name: count + as_count(usage.get(name)) if isinstance(count, int) else count
                    for name, count in counted.items()
                }
            yield chunk

    async def _send_typed(self, request: VendorRequest) -> Any:
        contents, config = await self._payload(request)
        with model_errors(self._error):
            models = self.client.aio.models
            send = models.generate_content_stream if request.stream else models.generate_content
            return await send(model=self._model_name, contents=contents, config=config)

    def _decode(self, answer: object, settings: ModelSettings) -> ModelResponse:
        with model_errors(self._error):
            body = plain_response(answer)
        response = decode_response(body, **self._origin)
        if logprobs := logprobs_of(body):
            response.provider_details = {**(response.provider_details or {}), **logprobs}
        return response

    async def _payload(self, request: VendorRequest) -> tuple[list[JsonObject], JsonObject]:
        """Return the contents and the configuration of a request, in the SDK's format."""
        encoder, config = self._configured(request)
        encoder.downloads = await download_all(request.messages, encoder.download_format)
        return encoder.encode(request.messages), config

    def _configured(self, request: VendorRequest) -> tuple[GoogleMessageEncoder, JsonObject]:
        """Return what encodes the messages of a request, and its configuration, in the SDK's format."""
        messages, settings, params, _ = request
        profile, is_cloud = cast(GoogleModelProfile, self.profile), self._is_cloud
        names = _CLOUD_NAMES if self.system in _CLOUD_NAMES else _OWN_NAMES | {self.system}
        encoder = GoogleMessageEncoder(names, profile, is_cloud)
        tools = encode_tools(settings, params, profile, is_cloud=is_cloud)
        config = {
            **encode_options(settings, params, profile, is_cloud=is_cloud),
            **encode_output(params, profile, has_tools='tools' in tools),
            **tools,
            'automatic_function_calling': {'disable': True},
        }
        if (system := encoder.encode_system(messages, params)) is not None:
            config['system_instruction'] = system
        if 'cached_content' in config:  # it includes its own
            left_out = [name for name in ('system_instruction', 'tools', 'tool_config') if name in config]
            for name in left_out:
                del config[name]
            if left_out:
                warnings.warn(
                    f'The request leaves out {", ".join(left_out)}, because the setting `google_cached_content` is set and the '
                    'cached content has its own. Put instructions and tools into the cached content.',
                    UserWarning,
                    stacklevel=2,
                )
        return encoder, config
