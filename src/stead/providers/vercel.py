"""Vercel AI Gateway, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_vendor, vendors

_VENDORS = vendors('anthropic', 'bedrock', 'cohere', 'deepseek', 'mistral', 'openai', 'vertex', 'xai')


class VercelProvider(CompatibleProvider):
    """The provider for Vercel AI Gateway."""

    provider_name = 'vercel'
    label = 'Vercel AI Gateway'
    api_url = 'https://ai-gateway.vercel.sh/v1'
    key_variables: tuple[str, ...] = ('VERCEL_AI_GATEWAY_API_KEY', 'VERCEL_OIDC_TOKEN')

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(profile_by_vendor(model_name, _VENDORS))


__all__ = ('VercelProvider',)
