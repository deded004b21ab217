"""Cerebras, through its OpenAI-compatible API."""

from __future__ import annotations

from dataclasses import replace

from ..profiles import ModelProfile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_prefix

_UNSUPPORTED = (
    'frequency_penalty',
    'logit_bias',
    'presence_penalty',
    'parallel_tool_calls',
    'service_tier',
    'openai_service_tier',
)


class CerebrasProvider(CompatibleProvider):
    """The provider for Cerebras."""

    provider_name = 'cerebras'
    label = 'Cerebras'
    api_url = 'https://api.cerebras.ai/v1'
    key_variables: tuple[str, ...] = ('CEREBRAS_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        profile = openai_compatible(
            profile_by_prefix(model_name, 'llama', 'qwen', 'gpt-oss', 'zai'),
            openai_unsupported_model_settings=_UNSUPPORTED,
        )
        thinks = model_name.lower().startswith(('gpt-oss', 'zai'))
        return replace(profile, supports_thinking=True) if thinks else profile


__all__ = ('CerebrasProvider',)
