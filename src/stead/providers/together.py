"""Together AI, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_vendor, vendors

_VENDORS = vendors('deepseek-ai', 'google', 'qwen', 'meta-llama', 'mistralai')


class TogetherProvider(CompatibleProvider):
    """The provider for Together AI."""

    provider_name = 'together'
    label = 'Together AI'
    api_url = 'https://api.together.xyz/v1'
    key_variables: tuple[str, ...] = ('TOGETHER_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(profile_by_vendor(model_name, _VENDORS))


__all__ = ('TogetherProvider',)
