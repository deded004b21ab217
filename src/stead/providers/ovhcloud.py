"""OVHcloud AI Endpoints, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.harmony import harmony_model_profile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_prefix


class OVHcloudProvider(CompatibleProvider):
    """The provider for OVHcloud AI Endpoints."""

    provider_name = 'ovhcloud'
    label = 'OVHcloud AI Endpoints'
    api_url = 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1'
    key_variables: tuple[str, ...] = ('OVHCLOUD_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        family = profile_by_prefix(
            model_name, 'llama', 'meta-llama', 'deepseek', 'qwen', 'mistral', gpt=harmony_model_profile
        )
        return openai_compatible(family)


__all__ = ('OVHcloudProvider',)
