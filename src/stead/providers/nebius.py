"""Nebius AI Studio, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ..profiles.harmony import harmony_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_vendor, vendors

_VENDORS = vendors(
    'deepseek-ai', 'google', 'qwen', 'meta-llama', 'mistralai', 'moonshotai', openai=harmony_model_profile
)


class NebiusProvider(OpenAICompatibleProvider):
    """Nebius AI Studio."""

    provider_name = 'nebius'
    label = 'Nebius AI Studio'
    api_url = 'https://api.studio.nebius.com/v1'
    key_variables = ('NEBIUS_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Nebius AI Studio.

        Args:
            api_key: The key; else the environment variable `NEBIUS_API_KEY`.
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


__all__ = ('NebiusProvider',)
