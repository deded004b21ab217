"""Moonshot AI, through its OpenAI-compatible API."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypeAlias

from ..profiles import ModelProfile
from ..profiles.moonshotai import moonshotai_model_profile
from ._compatible import RegionalProvider, openai_compatible

MoonshotAIModelName: TypeAlias = Literal[
    'kimi-k2-0711-preview',
    'kimi-latest',
    'kimi-thinking-preview',
    'moonshot-v1-128k-vision-preview',
    'moonshot-v1-128k',
    'moonshot-v1-32k-vision-preview',
    'moonshot-v1-32k',
    'moonshot-v1-8k-vision-preview',
    'moonshot-v1-8k',
]
"""The name of a model."""


class MoonshotAIProvider(RegionalProvider):
    """The provider for Moonshot AI."""

    provider_name = 'moonshotai'
    label = 'Moonshot AI'
    api_url = 'https://api.moonshot.ai/v1'
    key_variables: tuple[str, ...] = ('MOONSHOTAI_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(
            moonshotai_model_profile(model_name),
            supports_json_object_output=True,
            openai_supports_tool_choice_required=False,
            openai_chat_thinking_field='reasoning_content',
            openai_chat_send_back_thinking_parts='field',
        )


__all__ = ('MoonshotAIModelName', 'MoonshotAIProvider')
