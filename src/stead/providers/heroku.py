"""Heroku, through OpenAI's protocol."""

from __future__ import annotations

import os
from typing import Any

from ._compatible import OpenAICompatibleProvider


class HerokuProvider(OpenAICompatibleProvider):
    """Heroku."""

    provider_name = 'heroku'
    label = 'Heroku'
    api_url = 'https://us.inference.heroku.com/v1'
    key_variables = ('HEROKU_INFERENCE_KEY',)

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Heroku.

        Args:
            api_key: The key; else the environment variable `HEROKU_INFERENCE_KEY`.
            base_url: Another URL, without `/v1`; else the environment variable `HEROKU_INFERENCE_URL`.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key.
        """
        url = base_url or os.environ.get('HEROKU_INFERENCE_URL')
        self._connect(
            api_key=api_key,
            base_url=f'{url.rstrip("/")}/v1' if url else None,
            client=openai_client,
            http_client=http_client,
        )


__all__ = ('HerokuProvider',)
