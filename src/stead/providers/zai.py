"""Z.ai, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.zai import zai_model_profile
from ._compatible import RegionalProvider, openai_compatible


class ZaiProvider(RegionalProvider):
    """The provider for Z.ai."""

    provider_name = 'zai'
    label = 'Z.ai'
    api_url = 'https://api.z.ai/api/paas/v4'
    key_variables: tuple[str, ...] = ('ZAI_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(
            zai_model_profile(model_name),
            supports_json_object_output=True,
            openai_chat_thinking_field='reasoning_content',
            openai_supports_strict_tool_definition=False,
            openai_supports_tool_choice_required=False,
        )


__all__ = ('ZaiProvider',)
