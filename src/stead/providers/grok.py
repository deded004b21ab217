"""xAI, through its OpenAI-compatible API."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from typing_extensions import TypeAlias, deprecated

from ..profiles import ModelProfile
from ..profiles.grok import grok_model_profile
from ._compatible import CompatibleProvider, openai_compatible

GrokModelName: TypeAlias = Literal[
    'grok-2-image-1212',
    'grok-2-vision-1212',
    'grok-3-fast',
    'grok-3-mini-fast',
    'grok-3-mini',
    'grok-3',
    'grok-4-0709',
    'grok-4.3',
    'grok-4.3-latest',
    'grok-4.20',
    'grok-4.20-0309',
    'grok-4.20-0309-non-reasoning',
    'grok-4.20-0309-reasoning',
    'grok-4.20-multi-agent',
    'grok-4.20-multi-agent-0309',
    'grok-4.20-multi-agent-latest',
    'grok-4.20-non-reasoning',
    'grok-4.20-non-reasoning-latest',
    'grok-4.20-reasoning',
    'grok-4.20-reasoning-latest',
    'grok-latest',
    'grok-4-latest',
    'grok-4-1-fast-non-reasoning',
    'grok-4-1-fast-reasoning',
    'grok-4-1-fast',
    'grok-4-fast-non-reasoning',
    'grok-4-fast-reasoning',
    'grok-4-fast',
    'grok-4',
    'grok-build-0.1',
    'grok-code-fast-1',
]
"""The name of a model."""


@deprecated('`GrokProvider` is an old name; use `XaiProvider`, and the prefix `xai:` for models.')
class GrokProvider(CompatibleProvider):
    """The provider for xAI."""

    provider_name = 'grok'
    label = 'xAI'
    api_url = 'https://api.x.ai/v1'
    key_variables: tuple[str, ...] = ('GROK_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        profile = openai_compatible(grok_model_profile(model_name), openai_supports_strict_tool_definition=False)
        return replace(
            profile, supported_native_tools=frozenset(), supports_thinking=False, thinking_always_enabled=False
        )


__all__ = ('GrokModelName', 'GrokProvider')
