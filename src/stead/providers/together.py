"""Together AI, through OpenAI's protocol."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_vendor, vendors

_VENDORS = vendors('deepseek-ai', 'google', 'qwen', 'meta-llama', 'mistralai')


class TogetherProvider(OpenAICompatibleProvider):
    """Together AI."""

    provider_name = 'together'
    label = 'Together AI'
    api_url = 'https://api.together.xyz/v1'
    key_variables = ('TOGETHER_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return openai_compatible(of_vendor(model_name, _VENDORS))


__all__ = ('TogetherProvider',)
