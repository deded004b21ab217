"""Nebius AI Studio, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.harmony import harmony_model_profile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_vendor, vendors

_VENDORS = vendors(
    'deepseek-ai', 'google', 'qwen', 'meta-llama', 'mistralai', 'moonshotai', openai=harmony_model_profile
)


class NebiusProvider(CompatibleProvider):
    """The provider for Nebius AI Studio."""

    provider_name = 'nebius'
    label = 'Nebius AI Studio'
    api_url = 'https://api.studio.nebius.com/v1'
    key_variables: tuple[str, ...] = ('NEBIUS_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(profile_by_vendor(model_name, _VENDORS))


__all__ = ('NebiusProvider',)
