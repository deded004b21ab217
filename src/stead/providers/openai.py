"""OpenAI, and any server with an OpenAI-compatible API."""

from __future__ import annotations

import os

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.openai import openai_model_profile
from ._compatible import CompatibleProvider


class OpenAIProvider(CompatibleProvider):
    """The provider for OpenAI, or with another `base_url`, for any server with an OpenAI-compatible API."""

    provider_name = 'openai'
    label = 'OpenAI'
    api_url = 'https://api.openai.com/v1/'
    key_variables: tuple[str, ...] = ('OPENAI_API_KEY',)
    url_variable: str | None = 'OPENAI_BASE_URL'

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to OpenAI.

        Args:
            base_url: The URL of the API; by default from the environment variable `OPENAI_BASE_URL`, else OpenAI's. With
                another URL than OpenAI's, no key is required.
            api_key: The API key; by default from the environment variable `OPENAI_API_KEY`.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
        """
        own = base_url or os.environ.get('OPENAI_BASE_URL')
        self._connect(
            api_key=api_key,
            base_url=base_url,
            client=openai_client,
            http_client=http_client,
            fallback_key='api-key-not-set' if own else None,
        )

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_model_profile(model_name)


__all__ = ('OpenAIProvider',)
