"""`OpenAIChatModel`: a model that is asked through chat completions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

from typing_extensions import deprecated

from ..._contracts.model import ModelRequestParameters
from ..._contracts.run_context import RunContext
from ..._kit.plain import as_dict
from ...messages import ModelMessage, ModelResponse
from ...native_tools import AbstractNativeTool, WebSearchTool
from ...profiles import ModelProfile, ModelProfileSpec
from ...profiles.openai import OpenAIModelProfile, OpenAISystemPromptRole
from ...providers import Provider
from ...settings import ModelSettings
from .. import check_allow_model_requests
from .._media import download_all
from .._vendor import VendorModel, options_of, plain, with_slash
from .._wire_errors import unusable
from .chat_request import ChatEncoder, encode_settings, encode_tools
from .chat_response import decode_completion
from .chat_stream import OpenAIStreamedResponse
from .errors import as_model_error, reported
from .settings import OpenAIChatModelSettings, OpenAIModelName


@dataclass(init=False, repr=False)
class OpenAIChatModel(VendorModel):
    """A model that is asked through OpenAI's chat completions: one of OpenAI, or behind any server that speaks them."""

    _model_name: OpenAIModelName
    _provider: Provider[Any]
    _encoder_class: ClassVar[type[ChatEncoder]] = ChatEncoder
    _stream_class: ClassVar[type[OpenAIStreamedResponse]] = OpenAIStreamedResponse

    def __init__(
        self,
        model_name: OpenAIModelName,
        *,
        provider: str | Provider[Any] = 'openai',
        profile: ModelProfileSpec | None = None,
        system_prompt_role: OpenAISystemPromptRole | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: What the model can do; known models need none.
            system_prompt_role: The old way to say `openai_system_prompt_role` in the profile.
            settings: Settings for all requests; those of agents and runs go over them.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key for the provider.
            ValueError: The name of the provider is not known.
        """
        self._system_prompt_role: OpenAISystemPromptRole | None = system_prompt_role
        self._connect(model_name, provider, profile, settings)

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return with_slash(self._provider.base_url)

    @property
    @deprecated('Set `openai_system_prompt_role` in the profile rather than `system_prompt_role`.')
    def system_prompt_role(self) -> OpenAISystemPromptRole | None:
        """The role that system prompts are sent with, if it was given to the model."""
        return self._system_prompt_role

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset({WebSearchTool})

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do through chat completions."""
        profile = OpenAIModelProfile.from_profile(super().profile)
        if not profile.openai_chat_supports_web_search and WebSearchTool in profile.supported_native_tools:
            profile = replace(profile, supported_native_tools=profile.supported_native_tools - {WebSearchTool})
        return profile

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send a request; see `Model.request`.

        Raises:
            ModelHTTPError: The provider answered with an error.
            ModelAPIError: It cannot be reached.
            UnexpectedModelBehavior: It answered with something that is no completion.
        """
        settings, params, profile = self._prepare(model_settings, model_request_parameters)
        answer = await self._send(messages, settings, params, stream=False)
        if isinstance(answer, str):
            raise unusable(self._model_name, 'it is no JSON', answer)
        data = plain(answer)
        if error := as_dict(data).get('error'):  # some servers report errors with a status that says all is well
            raise reported(error, self._model_name, self._secret)
        return self._decode(data, profile)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[OpenAIStreamedResponse]:
        """Stream a response; arguments and errors as `request`. It begins when the first chunk is there."""
        settings, params, profile = self._prepare(model_settings, model_request_parameters)
        stream = await self._send(messages, settings, params, stream=True)
        async with stream:
            try:
                first = await stream.__anext__()
            except StopAsyncIteration:
                raise unusable(self._model_name, 'the stream ended without content or tool calls') from None
            except Exception as error:
                raise as_model_error(error, self._model_name, self._secret) from error
            yield self._stream_class(
                model_request_parameters=params,
                _model_name=self._model_name,
                _model_profile=profile,
                _response=stream,
                _first=first,
                _provider_name=self.system,
                _provider_url=self.base_url,
                _secret=self._secret,
            )

    def _prepare(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[OpenAIChatModelSettings, ModelRequestParameters, OpenAIModelProfile]:
        check_allow_model_requests()
        settings, params = self.prepare_request(model_settings, model_request_parameters)
        return cast(OpenAIChatModelSettings, settings or {}), params, cast(OpenAIModelProfile, self.profile)

    async def _send(
        self,
        messages: list[ModelMessage],
        settings: OpenAIChatModelSettings,
        params: ModelRequestParameters,
        *,
        stream: bool,
    ) -> Any:
        """Send a request and return what the SDK makes of the answer."""
        payload = await self._payload(messages, settings, params)
        payload['stream'] = stream
        if stream:
            payload['stream_options'] = {'include_usage': True}
            if settings.get('openai_continuous_usage_stats'):
                payload['stream_options']['continuous_usage_stats'] = True
        try:
            return await self.client.chat.completions.create(**payload, **options_of(settings))
        except Exception as error:
            raise as_model_error(error, self._model_name, self._secret) from error

    async def _payload(
        self, messages: list[ModelMessage], settings: OpenAIChatModelSettings, params: ModelRequestParameters
    ) -> dict[str, Any]:
        """Return the fields of a request; for subclasses whose servers have others."""
        profile = cast(OpenAIModelProfile, self.profile)
        role: str = self._system_prompt_role or profile.openai_system_prompt_role or 'system'
        encoder = self._encoder_class(self.system, profile, role)
        encoder.downloads = await download_all(messages, encoder.wish)
        return {
            'model': self._model_name,
            'messages': encoder.encode(messages, params),
            **encode_tools(settings, params, profile, self._model_name),
            **encode_settings(settings, params, profile),
        }

    def _decode(self, data: Any, profile: OpenAIModelProfile) -> ModelResponse:
        """Return the response in a completion; for subclasses whose servers say more."""
        return decode_completion(
            data,
            model_name=self._model_name,
            provider_name=self.system,
            provider_url=self.base_url,
            profile=profile,
        )


@deprecated('`OpenAIModel` is an old name; use `OpenAIChatModel`, or `OpenAIResponsesModel`.')
@dataclass(init=False, repr=False)
class OpenAIModel(OpenAIChatModel):
    """The old name of `OpenAIChatModel`."""
