"""OVHcloud AI Endpoints, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

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

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to OVHcloud AI Endpoints.

        Args:
            api_key: The key; else the environment variable `OVHCLOUD_API_KEY`.
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
        family = of_prefix(model_name, 'llama', 'meta-llama', 'deepseek', 'qwen', 'mistral', gpt=harmony_model_profile)
        return openai_compatible(family)


__all__ = ('OVHcloudProvider',)
