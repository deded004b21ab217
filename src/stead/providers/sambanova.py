"""SambaNova, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_prefix


class SambaNovaProvider(OpenAICompatibleProvider):
    """SambaNova."""

    provider_name = 'sambanova'
    label = 'SambaNova'
    api_url = 'https://api.sambanova.ai/v1'
    key_variables = ('SAMBANOVA_API_KEY',)
    url_variable = 'SAMBANOVA_BASE_URL'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to SambaNova.

        Args:
            api_key: The key; else the environment variable `SAMBANOVA_API_KEY`.
            base_url: Another URL than the usual one.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key.
        """
        self._connect(api_key=api_key, base_url=base_url, client=openai_client, http_client=http_client)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return openai_compatible(of_prefix(model_name, 'deepseek', 'llama', 'qwen', 'mistral'))


__all__ = ('SambaNovaProvider',)
