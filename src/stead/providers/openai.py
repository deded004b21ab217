"""OpenAI, and any server that speaks its protocol."""

from __future__ import annotations

import os
from typing import Any

from ..profiles import ModelProfile
from ..profiles.openai import openai_model_profile
from ._compatible import OpenAICompatibleProvider


class OpenAIProvider(OpenAICompatibleProvider):
    """OpenAI, or with another `base_url` any server that speaks its protocol."""

    provider_name = 'openai'
    label = 'OpenAI'
    api_url = 'https://api.openai.com/v1/'
    key_variables = ('OPENAI_API_KEY',)
    url_variable = 'OPENAI_BASE_URL'

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to OpenAI.

        Args:
            base_url: Another server; else the environment variable `OPENAI_BASE_URL`, else OpenAI. Servers of your own
                need no key.
            api_key: The key; else the environment variable `OPENAI_API_KEY`.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key.
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
        """Return what is known about a model by its name."""
        return openai_model_profile(model_name)


__all__ = ('OpenAIProvider',)
