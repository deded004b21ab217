"""The old address of Google's models: `stead.models.google` has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, Union, cast

from typing_extensions import TypedDict, deprecated

from ..profiles import ModelProfileSpec
from ..providers import Provider
from ..providers.google_gla import GoogleGLAProvider
from ..providers.google_vertex import GoogleVertexProvider
from ..settings import ModelSettings
from ._base import ModelRequestParameters
from .google import GeminiStreamedResponse, GoogleModel

LatestGeminiModelNames = Literal[
    'gemini-2.0-flash',
    'gemini-2.0-flash-lite',
    'gemini-2.5-flash',
    'gemini-2.5-flash-preview-09-2025',
    'gemini-2.5-flash-lite',
    'gemini-2.5-flash-lite-preview-09-2025',
    'gemini-flash-latest',
    'gemini-flash-lite-latest',
    'gemini-2.5-pro',
]
"""Names of models that are known."""
GeminiModelName = Union[str, LatestGeminiModelNames]
"""The name of a model; any name is accepted."""

_SETTINGS = {
    'gemini_safety_settings': 'google_safety_settings',
    'gemini_thinking_config': 'google_thinking_config',
    'gemini_labels': 'google_labels',
}


class GeminiSafetySettings(TypedDict):
    """Which content of a category is blocked."""

    category: Literal[
        'HARM_CATEGORY_UNSPECIFIED',
        'HARM_CATEGORY_HARASSMENT',
        'HARM_CATEGORY_HATE_SPEECH',
        'HARM_CATEGORY_SEXUALLY_EXPLICIT',
        'HARM_CATEGORY_DANGEROUS_CONTENT',
        'HARM_CATEGORY_CIVIC_INTEGRITY',
    ]
    threshold: Literal[
        'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
        'BLOCK_LOW_AND_ABOVE',
        'BLOCK_MEDIUM_AND_ABOVE',
        'BLOCK_ONLY_HIGH',
        'BLOCK_NONE',
        'OFF',
    ]


class ThinkingConfig(TypedDict, total=False):
    """How much the model thinks."""

    include_thoughts: bool
    """Whether responses contain the thinking."""
    thinking_budget: int
    """The maximum number of tokens for thinking."""


class GeminiModelSettings(ModelSettings, total=False):
    """Settings by their old names; those of `GoogleModelSettings` work too."""

    gemini_safety_settings: list[GeminiSafetySettings]
    """Now `google_safety_settings`."""
    gemini_thinking_config: ThinkingConfig
    """Now `google_thinking_config`."""
    gemini_labels: dict[str, str]
    """Now `google_labels`."""


class AuthProtocol(Protocol):
    """Something that has the headers that authorize requests."""

    async def headers(self) -> dict[str, str]:
        """Return the headers."""
        ...


@dataclass
class ApiKeyAuth:
    """Authorization by an API key."""

    api_key: str
    """The key."""

    async def headers(self) -> dict[str, str]:
        """Return the header with the key."""
        return {'X-Goog-Api-Key': self.api_key}


@deprecated('`GeminiModel` is deprecated: use `GoogleModel`, which takes settings that begin with `google_`.')
class GeminiModel(GoogleModel):
    """A Google model by its old name."""

    def __init__(
        self,
        model_name: GeminiModelName,
        *,
        provider: Literal['google-gla', 'google-vertex'] | Provider = 'google-gla',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name: `'google-gla'` for the Gemini API, `'google-vertex'` for Google Cloud.
            profile: What the model can do; by default the provider's profile for the name.
            settings: Settings for all requests; those of agents and runs take precedence.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is no API key, or no access to Google Cloud.
            ValueError: The provider is not known.
        """
        if provider == 'google-gla':
            provider = GoogleGLAProvider()
        elif provider == 'google-vertex':
            provider = GoogleVertexProvider()
        super().__init__(model_name, provider=provider, profile=profile, settings=settings)

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Fit a request to the model, with the settings by their present names."""
        settings, parameters = super().prepare_request(model_settings, model_request_parameters)
        renamed: Any = {_SETTINGS.get(name, name): value for name, value in (settings or {}).items()}
        return cast(ModelSettings, renamed) if renamed else settings, parameters


__all__ = (
    'ApiKeyAuth',
    'AuthProtocol',
    'GeminiModel',
    'GeminiModelName',
    'GeminiModelSettings',
    'GeminiSafetySettings',
    'GeminiStreamedResponse',
    'LatestGeminiModelNames',
    'ThinkingConfig',
)
