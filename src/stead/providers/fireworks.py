"""Fireworks AI, through OpenAI's protocol."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_prefix

_PREFIX = 'accounts/fireworks/models/'


class FireworksProvider(OpenAICompatibleProvider):
    """Fireworks AI."""

    provider_name = 'fireworks'
    label = 'Fireworks AI'
    api_url = 'https://api.fireworks.ai/inference/v1'
    key_variables = ('FIREWORKS_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        if not model_name.startswith(_PREFIX):
            return openai_compatible(None)
        name = model_name.removeprefix(_PREFIX)
        return openai_compatible(of_prefix(name, 'llama', 'qwen', 'deepseek', 'mistral', 'gemma'))


__all__ = ('FireworksProvider',)
