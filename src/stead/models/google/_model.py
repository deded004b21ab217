"""`GoogleModel`: a model of Google."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ..._kit.plain import as_count
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
from .._vendor import VendorModel
from .._wire_errors import model_errors, unusable
from ._errors import as_model_error
from ._options import encode_options, encode_output, encode_tools
from ._request import MessageEncoder
from ._response import decode_response, logprobs_of, plain_answer
from ._settings import GoogleModelName, GoogleModelSettings
from ._stream import GeminiStreamedResponse

_OWN_NAMES = frozenset({'google', 'google-gla'})
_CLOUD_NAMES = frozenset({'google-cloud', 'google-vertex'})
# The fields of a request that tokens are counted of; only Google Cloud knows them.
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
    """A model of Google, asked through the Gemini API or on Google Cloud."""

    _as_model_error = staticmethod(as_model_error)
    _stream_class = GeminiStreamedResponse

    def __init__(
        self,
        model_name: GoogleModelName,
        *,
        provider: str | Provider[Any] = 'google',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name: `'google'` for the Gemini API, `'google-cloud'` for Google Cloud.
            profile: What the model can do; known models need none.
            settings: Settings for all requests; those of agents and runs go over them.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is no key, or no access to Google Cloud.
        """
        self._connect(model_name, provider, profile, settings)

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
        """Prepare a request; most models take native tools, function tools and schemas for the output by themselves only.

        Raises:
            UserError: They are asked for together.
        """
        params, profile = model_request_parameters, cast(GoogleModelProfile, self.profile)
        if not profile.google_supports_tool_combination:
            # One that the model lacks is left out if it is optional; what cannot be left out is refused further on.
            supported = tuple(profile.supported_native_tools)
            native = any(not tool.optional or isinstance(tool, supported) for tool in params.native_tools)
            if native and params.output_tools and params.output_mode == 'auto':
                params = params.with_default_output_mode('prompted')
            self._check_combination(params, native)
        return super().prepare_request(model_settings, params)

    def _check_combination(self, params: ModelRequestParameters, native: bool) -> None:
        """Raise if the tools and the output do not go together."""
        refused = None
        if native and params.function_tools:
            refused = 'native tools and function tools together. Give the agent one kind of them, or use a newer model'
        elif native and params.output_tools and params.output_mode == 'tool':
            refused = 'native tools and output tools together. Use `output_type=PromptedOutput(...)`'
        elif params.function_tools and params.output_mode == 'native':
            refused = 'function tools and `NativeOutput` together. Use `output_type=ToolOutput(...)`'
        if refused is not None:
            raise UserError(f'The model {self._model_name!r} does not take {refused}.')

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream a response; arguments and errors as `request`. It begins when the first event is there."""
        settings, params = self._prepare(model_settings, model_request_parameters)
        with watching_connections() as connections:
            stream = await self._send(messages, settings, params, stream=True)
            first = await self._first_of(stream)
        response = self._streamed(stream, first, settings, params, _connections=connections)
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
        """Return the tokens that a request would cost; errors as `request`. The Gemini API counts messages only."""
        settings, params = self._prepare(model_settings, model_request_parameters)
        contents, config = await self._payload(messages, settings, params)
        counted: dict[str, Any] = {'http_options': config['http_options']}
        if self._is_cloud:
            counted.update({name: config[name] for name in _COUNTED if name in config})
            counted['generation_config'] = {name: config[name] for name in _COUNTED_CONFIG if name in config}
        with model_errors(self._error):
            answer = await self.client.aio.models.count_tokens(
                model=self._model_name, contents=contents, config=counted
            )
        total = plain_answer(answer).get('total_tokens')
        if total is None:
            raise unusable(self._model_name, 'it does not say how many tokens there are')
        return RequestUsage(input_tokens=as_count(total))

    async def _send(
        self,
        messages: list[ModelMessage],
        settings: GoogleModelSettings,
        params: ModelRequestParameters,
        *,
        stream: bool,
    ) -> Any:
        contents, config = await self._payload(messages, settings, params)
        with model_errors(self._error):
            models = self.client.aio.models
            send = models.generate_content_stream if stream else models.generate_content
            return await send(model=self._model_name, contents=contents, config=config)

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        with model_errors(self._error):
            body = plain_answer(answer)
        response = decode_response(
            body, model_name=self._model_name, provider_name=self.system, provider_url=self.base_url
        )
        if logprobs := logprobs_of(body):
            response.provider_details = {**(response.provider_details or {}), **logprobs}
        return response

    async def _payload(
        self, messages: list[ModelMessage], settings: GoogleModelSettings, params: ModelRequestParameters
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the contents and the configuration of a request, as the SDK has them."""
        profile, is_cloud = cast(GoogleModelProfile, self.profile), self._is_cloud
        names = _CLOUD_NAMES if self.system in _CLOUD_NAMES else _OWN_NAMES | {self.system}
        encoder = MessageEncoder(names, profile, is_cloud)
        tools = encode_tools(settings, params, profile, is_cloud=is_cloud)
        config = {
            **encode_options(settings, params, profile, is_cloud=is_cloud),
            **encode_output(params, profile, has_tools='tools' in tools),
            **tools,
            'automatic_function_calling': {'disable': True},
        }
        if (system := encoder.encode_system(messages, params)) is not None:
            config['system_instruction'] = system
        if 'cached_content' in config:  # it has its own
            for name in ('system_instruction', 'tools', 'tool_config'):
                config.pop(name, None)
        encoder.downloads = await download_all(messages, encoder.wish)
        return encoder.encode(messages), config
