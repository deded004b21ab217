"""GitHub Models, through OpenAI's protocol."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.openai import openai_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_vendor, vendors

_VENDORS = vendors('cohere', 'deepseek', 'meta', 'mistral-ai', 'xai')


class GitHubProvider(OpenAICompatibleProvider):
    """GitHub Models."""

    provider_name = 'github'
    label = 'GitHub Models'
    api_url = 'https://models.github.ai/inference'
    key_variables = ('GITHUB_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        if '/' not in model_name:
            return openai_model_profile(model_name)
        return openai_compatible(of_vendor(model_name, _VENDORS))


__all__ = ('GitHubProvider',)
