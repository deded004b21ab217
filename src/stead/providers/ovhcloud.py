"""OVHcloud AI Endpoints, through OpenAI's protocol."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.harmony import harmony_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_prefix


class OVHcloudProvider(OpenAICompatibleProvider):
    """OVHcloud AI Endpoints."""

    provider_name = 'ovhcloud'
    label = 'OVHcloud AI Endpoints'
    api_url = 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1'
    key_variables = ('OVHCLOUD_API_KEY',)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        family = of_prefix(model_name, 'llama', 'meta-llama', 'deepseek', 'qwen', 'mistral', gpt=harmony_model_profile)
        return openai_compatible(family)


__all__ = ('OVHcloudProvider',)
