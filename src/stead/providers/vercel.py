"""Vercel AI Gateway, through OpenAI's protocol."""

from __future__ import annotations

from ..profiles import ModelProfile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_vendor, vendors

_VENDORS = vendors('anthropic', 'bedrock', 'cohere', 'deepseek', 'mistral', 'openai', 'vertex', 'xai')


class VercelProvider(OpenAICompatibleProvider):
    """Vercel AI Gateway."""

    provider_name = 'vercel'
    label = 'Vercel AI Gateway'
    api_url = 'https://ai-gateway.vercel.sh/v1'
    key_variables = ('VERCEL_AI_GATEWAY_API_KEY', 'VERCEL_OIDC_TOKEN')

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return openai_compatible(of_vendor(model_name, _VENDORS))


__all__ = ('VercelProvider',)
