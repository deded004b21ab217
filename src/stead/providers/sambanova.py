"""SambaNova, through its OpenAI-compatible API."""

from __future__ import annotations

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_prefix


class SambaNovaProvider(CompatibleProvider):
    """The provider for SambaNova."""

    provider_name = 'sambanova'
    label = 'SambaNova'
    api_url = 'https://api.sambanova.ai/v1'
    key_variables: tuple[str, ...] = ('SAMBANOVA_API_KEY',)
    url_variable: str | None = 'SAMBANOVA_BASE_URL'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to SambaNova.

        Args:
            api_key: The API key; by default from the environment variable `SAMBANOVA_API_KEY`.
            base_url: A URL to use instead of the default.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
        """
        self._connect(api_key=api_key, base_url=base_url, client=openai_client, http_client=http_client)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(profile_by_prefix(model_name, 'deepseek', 'llama', 'qwen', 'mistral'))


__all__ = ('SambaNovaProvider',)
