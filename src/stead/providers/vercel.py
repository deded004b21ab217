"""Vercel AI Gateway, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

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

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Vercel AI Gateway.

        Args:
            api_key: The key; else the environment variable `VERCEL_AI_GATEWAY_API_KEY` or `VERCEL_OIDC_TOKEN`.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key.
        """
        self._connect(api_key=api_key, client=openai_client, http_client=http_client)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return openai_compatible(of_vendor(model_name, _VENDORS))


__all__ = ('VercelProvider',)
