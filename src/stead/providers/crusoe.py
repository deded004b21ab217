"""Crusoe, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.zai import zai_model_profile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_vendor, vendors

_VENDORS = vendors('deepseek-ai', 'google', 'moonshotai', 'openai', 'qwen', **{'zai-org': zai_model_profile})


class CrusoeProvider(CompatibleProvider):
    """The provider for Crusoe."""

    provider_name = 'crusoe'
    label = 'Crusoe'
    api_url = 'https://api.inference.crusoecloud.com/v1'
    key_variables: tuple[str, ...] = ('CRUSOE_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(
            profile_by_vendor(model_name, _VENDORS),
            supports_json_schema_output=True,
            supports_json_object_output=True,
        )


__all__ = ('CrusoeProvider',)
