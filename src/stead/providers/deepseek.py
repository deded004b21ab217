"""DeepSeek, through its OpenAI-compatible API."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypeAlias

from ..profiles import ModelProfile
from ..profiles.deepseek import deepseek_model_profile
from ._compatible import CompatibleProvider, openai_compatible

DeepSeekModelName: TypeAlias = Literal['deepseek-chat', 'deepseek-reasoner', 'deepseek-v4-flash', 'deepseek-v4-pro']
"""The name of a model."""


class DeepSeekProvider(CompatibleProvider):
    """The provider for DeepSeek."""

    provider_name = 'deepseek'
    label = 'DeepSeek'
    api_url = 'https://api.deepseek.com'
    key_variables: tuple[str, ...] = ('DEEPSEEK_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(
            deepseek_model_profile(model_name),
            # These think by default, and the API refuses forced calls while a model thinks.
            openai_supports_tool_choice_required=model_name != 'deepseek-reasoner'
            and not model_name.startswith('deepseek-v4-'),
            supports_json_object_output=True,
            openai_chat_thinking_field='reasoning_content',
            openai_chat_send_back_thinking_parts='field',  # with tools, the API requires its thinking back
        )


__all__ = ('DeepSeekModelName', 'DeepSeekProvider')
