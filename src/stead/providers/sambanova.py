"""SambaNova, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import RegionalProvider, openai_compatible
from ._families import profile_by_prefix


class SambaNovaProvider(RegionalProvider):
    """The provider for SambaNova."""

    provider_name = 'sambanova'
    label = 'SambaNova'
    api_url = 'https://api.sambanova.ai/v1'
    key_variables: tuple[str, ...] = ('SAMBANOVA_API_KEY',)
    url_variable: str | None = 'SAMBANOVA_BASE_URL'

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(profile_by_prefix(model_name, 'deepseek', 'llama', 'qwen', 'mistral'))


__all__ = ('SambaNovaProvider',)
