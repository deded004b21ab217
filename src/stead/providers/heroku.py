"""Heroku, through its OpenAI-compatible API."""

from __future__ import annotations

import os

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ._compatible import CompatibleProvider


class HerokuProvider(CompatibleProvider):
    """The provider for Heroku."""

    provider_name = 'heroku'
    label = 'Heroku'
    api_url = 'https://us.inference.heroku.com/v1'
    key_variables: tuple[str, ...] = ('HEROKU_INFERENCE_KEY',)

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Heroku.

        Args:
            api_key: The API key; by default from the environment variable `HEROKU_INFERENCE_KEY`.
            base_url: The URL without `/v1`; by default from the environment variable `HEROKU_INFERENCE_URL`.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
        """
        url = base_url or os.environ.get('HEROKU_INFERENCE_URL')
        self._connect(
            api_key=api_key,
            base_url=f'{url.rstrip("/")}/v1' if url else None,
            client=openai_client,
            http_client=http_client,
        )


__all__ = ('HerokuProvider',)
