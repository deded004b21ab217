"""Fireworks AI, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_prefix

_PREFIX = 'accounts/fireworks/models/'


class FireworksProvider(CompatibleProvider):
    """The provider for Fireworks AI."""

    provider_name = 'fireworks'
    label = 'Fireworks AI'
    api_url = 'https://api.fireworks.ai/inference/v1'
    key_variables: tuple[str, ...] = ('FIREWORKS_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        if not model_name.startswith(_PREFIX):
            return openai_compatible(None)
        name = model_name.removeprefix(_PREFIX)
        return openai_compatible(profile_by_prefix(name, 'llama', 'qwen', 'deepseek', 'mistral', 'gemma'))


__all__ = ('FireworksProvider',)
