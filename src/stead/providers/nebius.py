"""Nebius AI Studio, through OpenAI's protocol."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.harmony import harmony_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_vendor, vendors

_VENDORS = vendors(
    'deepseek-ai', 'google', 'qwen', 'meta-llama', 'mistralai', 'moonshotai', openai=harmony_model_profile
)


class NebiusProvider(OpenAICompatibleProvider):
    """Nebius AI Studio."""

    provider_name = 'nebius'
    label = 'Nebius AI Studio'
    api_url = 'https://api.studio.nebius.com/v1'
    key_variables = ('NEBIUS_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return openai_compatible(of_vendor(model_name, _VENDORS))


__all__ = ('NebiusProvider',)
