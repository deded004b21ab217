"""Meta, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import CompatibleProvider, openai_compatible


class MetaProvider(CompatibleProvider):
    """The provider for Meta's own API, which has the Responses API."""

    provider_name = 'meta'
    label = 'Meta'
    api_url = 'https://api.meta.ai/v1'
    key_variables: tuple[str, ...] = ('META_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        thinks = model_name.startswith('muse')
        return openai_compatible(
            None,
            supports_thinking=thinks,
            openai_supports_encrypted_reasoning_content=thinks,
            openai_supports_tool_choice_required=False,
        )


__all__ = ('MetaProvider',)
