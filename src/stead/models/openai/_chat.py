"""`OpenAIChatModel`: a model behind the chat completions API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

from typing_extensions import deprecated

from ..._kit.json_types import JsonObject, as_dict, plain
from ...messages import ModelResponse
from ...native_tools import AbstractNativeTool, WebSearchTool
from ...profiles import ModelProfile, ModelProfileSpec
from ...profiles.openai import OpenAIModelProfile, OpenAISystemPromptRole
from ...providers import Provider
from ...settings import ModelSettings
from .._chat_completions.request import ChatEncoder
from .._chat_completions.response import decode_completion
from .._vendor import VendorModel, VendorRequest, options_of, with_slash
from .._wire.door import Door
from .._wire.kept import KeptMessages
from .._wire_errors import model_errors, reported_error
from ._chat_options import encode_settings, encode_tools
from ._chat_stream import OpenAIStreamedResponse, as_model_error
from ._settings import OpenAIModelName


@dataclass(init=False, repr=False)
class OpenAIChatModel(VendorModel):
    """A model behind the chat completions API, of OpenAI or of any server that speaks it."""

    _model_name: OpenAIModelName
    _provider: Provider[Any]
    # Subclasses override these for the dialects of their servers.
    _encoder_class: ClassVar[type[ChatEncoder]] = ChatEncoder
    _decoder: ClassVar[Callable[..., ModelResponse]] = staticmethod(decode_completion)
    _stream_class = OpenAIStreamedResponse
    _as_model_error = staticmethod(as_model_error)
    _unsent_restrictions = frozenset({'max_uses', 'allowed_domains', 'blocked_domains', 'external_web_access'})
    _door = Door(
        'openai',
        'AsyncOpenAI',
        path='/chat/completions',
        resources=('chat', 'completions'),
        module='openai.resources.chat.completions.completions',
        owner='AsyncCompletions',
        end=b'[DONE]',
        security=True,
    )

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
            profile: The capabilities of the model; by default, those known for its name.
            system_prompt_role: Deprecated; set `openai_system_prompt_role` in the profile.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package openai is not installed.
            UserError: No API key is set for the provider.
            ValueError: The name of the provider is unknown.
        """
        self._system_prompt_role: OpenAISystemPromptRole | None = system_prompt_role
        self._connect(model_name, provider, profile, settings)

    @property
    def base_url(self) -> str:
        """The base URL of requests."""
        return with_slash(self._provider.base_url)

    @property
    @deprecated('Set `openai_system_prompt_role` in the profile rather than `system_prompt_role`.')
    def system_prompt_role(self) -> OpenAISystemPromptRole | None:
        """The role of system prompts, from the profile."""
        return cast(OpenAIModelProfile, self.profile).openai_system_prompt_role

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the model class supports."""
        return frozenset({WebSearchTool})

    @cached_property
    def profile(self) -> ModelProfile:
        """The capabilities of the model through chat completions."""
        profile = OpenAIModelProfile.from_profile(super().profile)
        if not profile.openai_chat_supports_web_search and WebSearchTool in profile.supported_native_tools:
            profile = replace(profile, supported_native_tools=profile.supported_native_tools - {WebSearchTool})
        if self._system_prompt_role is not None and profile.openai_system_prompt_role is None:
            profile = replace(profile, openai_system_prompt_role=self._system_prompt_role)
        return profile

    async def _send_typed(self, request: VendorRequest) -> Any:
        payload = await self._payload(request)
        payload.update(_streaming(request))
        with model_errors(self._error):
            return await self._client_for(request.settings).chat.completions.create(
                **payload, **options_of(request.settings)
            )

    async def _body(self, request: VendorRequest) -> tuple[JsonObject, JsonObject]:
        return {**await self._payload(request, self._kept), **_streaming(request)}, options_of(request.settings)

    async def _payload(self, request: VendorRequest, kept: KeptMessages | None = None) -> JsonObject:
        """Return the fields of a request; subclasses override this for servers with other fields.

        Args:
            request: The request.
            kept: Where messages are kept as JSON, in which they then are; otherwise they are plain data.
        """
        messages, settings, params, _ = request
        profile = cast(OpenAIModelProfile, self.profile)
        role: str = profile.openai_system_prompt_role or 'system'
        encoder = self._encoder_class(self.system, profile, role)
        payload = {
            'model': self._model_name,
            'messages': await encoder.messages(messages, params, kept),
            **encode_tools(settings, params, profile, self._model_name),
            **encode_settings(settings, params, profile),
        }
        if 'reasoning_effort' in payload and self._thinks_in_body and 'openai_reasoning_effort' not in settings:
            del payload['reasoning_effort']
        return payload

    @property
    def _thinks_in_body(self) -> bool:
        """Whether the setting `thinking` is in the further fields of the body, and not in `reasoning_effort`."""
        return False

    def _decode(self, answer: Any, settings: Any) -> ModelResponse:
        answer = plain(answer)
        if error := as_dict(answer).get('error'):  # some servers report errors with a status of success
            raise reported_error(error, self._model_name, self._secret)
        return super()._decode(answer, settings)

    def _decoder_options(self, settings: Any) -> JsonObject:
        return {'model_profile': self.profile}


def _streaming(request: VendorRequest) -> JsonObject:
    """Return the fields of a request that say whether the answer is streamed, and how."""
    if not request.stream:
        return {'stream': False}
    options = {'include_usage': True}
    if request.settings.get('openai_continuous_usage_stats'):
        options['continuous_usage_stats'] = True
    return {'stream': True, 'stream_options': options}


@deprecated('`OpenAIModel` is an old name; use `OpenAIChatModel`, or `OpenAIResponsesModel`.')
@dataclass(init=False, repr=False)
class OpenAIModel(OpenAIChatModel):
    """The old name of `OpenAIChatModel`."""
