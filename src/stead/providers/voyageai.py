"""Voyage AI."""

from __future__ import annotations

import os
from typing import Any

from .._kit.extras import load_extra
from .._kit.secret import Secret
from . import Provider
from ._client import TIMEOUT, missing_key


class VoyageAIProvider(Provider):
    """The provider for Voyage AI. Its client has no connections between requests."""

    def __init__(self, *, api_key: str | None = None, voyageai_client: Any = None) -> None:
        """Connect to Voyage AI.

        Args:
            api_key: The API key; by default from the environment variable `VOYAGE_API_KEY`.
            voyageai_client: A `voyageai.AsyncClient` to use as is.

        Raises:
            ImportError: The package voyageai is not installed.
            UserError: There is no API key.
        """
        self.secret: str | None = None
        if voyageai_client is None:
            key = api_key or os.environ.get('VOYAGE_API_KEY')
            if not key:
                raise missing_key('Voyage AI', 'VOYAGE_API_KEY', where='VoyageAIProvider(api_key=...)')
            self.secret = Secret(key)
            sdk = load_extra('voyageai', extra='voyageai', what="The provider 'voyageai'")
            voyageai_client = sdk.AsyncClient(api_key=key, timeout=TIMEOUT)
        self._client = voyageai_client

    @property
    def name(self) -> str:
        """`'voyageai'`."""
        return 'voyageai'

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return getattr(self._client, '_params', {}).get('base_url') or 'https://api.voyageai.com/v1'

    @property
    def client(self) -> Any:
        """The client."""
        return self._client


__all__ = ('VoyageAIProvider',)
