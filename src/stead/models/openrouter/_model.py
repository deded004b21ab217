"""`OpenRouterModel`: a model behind OpenRouter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ..._contracts.model import ModelRequestParameters
from ..._kit.json_types import JsonObject
from ...native_tools import AbstractNativeTool, AdvisorTool, WebSearchTool
from ...profiles import ModelProfileSpec
from ...providers import Provider
from ...providers.openrouter import OpenRouterModelProfile
from ...settings import ModelSettings
from .._chat_completions.request import ChatEncoder
from .._vendor import CacheSettings, VendorRequest
from .._wire.kept import KeptMessages
from ..openai import OpenAIChatModel
from ._request import OpenRouterEncoder, add_cache_points, encode_native_tools, with_body
from ._response import OpenRouterStreamedResponse, decode_answer


@dataclass(init=False, repr=False)
class OpenRouterModel(OpenAIChatModel):
    """A model behind OpenRouter. Its settings are those of `OpenRouterModelSettings`."""

    _encoder_class: ClassVar[type[ChatEncoder]] = OpenRouterEncoder
    _decoder = staticmethod(decode_answer)
    _stream_class = OpenRouterStreamedResponse

    def __init__(
        self,
        model_name: str,
        *,
        provider: Literal['openrouter'] | Provider[Any] = 'openrouter',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model, such as `anthropic/claude-sonnet-4.5`.
            provider: The provider, or its name.
            profile: The capabilities of the model; by default, those known for its name.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package openai is not installed.
            UserError: No API key is set.
        """
        super().__init__(model_name, provider=provider, profile=profile, settings=settings)

    _cache_settings = CacheSettings(
        'openrouter_cache_instructions', 'openrouter_cache_tool_definitions', 'openrouter_cache_messages'
    )

    @classmethod
    def supported_native_tools(cls) -> frozenset[type[AbstractNativeTool]]:
        """Return the native tools that the class can send."""
        return frozenset({WebSearchTool, AdvisorTool})

    def unsupported_native_tool_settings(self, native_tool: AbstractNativeTool) -> frozenset[str]:
        """Return the names of the settings of a native tool that are set, but that the model cannot send."""
        return native_tool.restricting_settings & {'external_web_access'}

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare a request, with the settings of OpenRouter in its body; see `Model.prepare_request`."""
        settings, params = super().prepare_request(model_settings, model_request_parameters)
        return with_body(settings or {}, params) or None, params

    async def _payload(self, request: VendorRequest, kept: KeptMessages | None = None) -> JsonObject:
        _, settings, params, _ = request
        profile = OpenRouterModelProfile.from_profile(self.profile)
        if profile.openrouter_supports_cache_control:
            kept = None  # cache points are counted, and move with the end of the conversation
        payload = await super()._payload(request, kept)
        payload.pop('web_search_options', None)  # it is in the further fields of the body
        add_cache_points(payload, settings, params, profile, profile.openai_system_prompt_role or 'system')
        if native := encode_native_tools(params):
            payload['tools'] = [*payload.get('tools', ()), *native]
        return payload

    @property
    def _thinks_in_body(self) -> bool:
        return True


__all__ = ('OpenRouterModel',)
