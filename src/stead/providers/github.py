"""GitHub Models, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.openai import openai_model_profile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_vendor, vendors

_VENDORS = vendors('cohere', 'deepseek', 'meta', 'mistral-ai', 'xai')


class GitHubProvider(CompatibleProvider):
    """The provider for GitHub Models."""

    provider_name = 'github'
    label = 'GitHub Models'
    api_url = 'https://models.github.ai/inference'
    key_variables: tuple[str, ...] = ('GITHUB_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        if '/' not in model_name:
            return openai_model_profile(model_name)
        return openai_compatible(profile_by_vendor(model_name, _VENDORS))


__all__ = ('GitHubProvider',)
