"""The old address of the Gemini API: `stead.providers.google` has it."""

from __future__ import annotations

from typing_extensions import deprecated

from .._kit.sdk_types import HttpxAsyncClient
from .google import GoogleProvider


@deprecated('`GoogleGLAProvider` is deprecated: use `GoogleProvider` with `GoogleModel`.')
class GoogleGLAProvider(GoogleProvider):
    """The provider for Google's Gemini API, by its old name."""

    provider_name = 'google-gla'

    def __init__(self, api_key: str | None = None, http_client: HttpxAsyncClient | None = None) -> None:
        """Connect to the Gemini API.

        Args:
            api_key: The API key; by default from the environment variable `GOOGLE_API_KEY`, or `GEMINI_API_KEY`.
            http_client: An `httpx.AsyncClient` to use. It belongs to one event loop.

        Raises:
            ImportError: The package google-genai is not installed.
            UserError: There is no API key.
        """
        super().__init__(api_key=api_key, http_client=http_client)


__all__ = ('GoogleGLAProvider',)
