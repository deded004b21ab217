"""`SdkProvider`: the base class of providers whose SDK takes an API key and a URL."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from .._kit.extras import shared_tls
from .._kit.secret import Secret
from ._client import ClientProvider, missing_key


class SdkProvider(ClientProvider):
    """A provider whose SDK takes an API key and a URL, as the SDKs do that are generated as OpenAI's is."""

    api_url: str
    """The default URL of the API."""
    key_variables: tuple[str, ...]
    """The environment variables that may hold the API key."""
    url_variable: str | None = None
    """The environment variable that may hold another URL."""
    client_arguments: tuple[str, ...] = ('api_key', 'http_client')
    """The arguments to build a client from, which cannot be combined with a client."""

    _http_client: object = None

    def _connect(
        self,
        *,
        client: object,
        api_key: str | None,
        base_url: str | None = None,
        http_client: object = None,
        headers: dict[str, str] | None = None,
        fallback_key: str | None = None,
    ) -> None:
        """Use the client that was passed in, or prepare to build one for each event loop.

        Args:
            client: The client, or `None`.
            api_key: The API key; by default from the environment.
            base_url: The URL; by default from the environment, else `api_url`.
            http_client: An HTTP client to use.
            headers: Headers for all requests.
            fallback_key: The key to use if there is no other, for servers that need none.

        Raises:
            ImportError: The SDK is not installed.
            UserError: There is no API key, or both a client and arguments to build one were passed.
        """
        passed = {'api_key': api_key, 'base_url': base_url, 'http_client': http_client}
        self._url = self._find_url(base_url)
        if self._use_client(client, **{name: passed[name] for name in self.client_arguments}):
            return
        from_environment = (os.environ[name] for name in self.key_variables if os.environ.get(name))
        key = api_key or next(from_environment, fallback_key)
        if not key:
            raise missing_key(self.label, *self.key_variables, where=f'{type(self).__name__}(api_key=...)')
        self._key = Secret(key)
        self._options: dict[str, Any] = {'base_url': self._url, 'api_key': self._key}
        if headers:
            self._options['default_headers'] = headers
        self._http_client = http_client
        self._prepare(http_client)

    def _find_url(self, base_url: str | None) -> str:
        return base_url or (os.environ.get(self.url_variable) if self.url_variable else None) or self.api_url

    def _client_options(self, sdk: ModuleType) -> dict[str, Any]:
        """Return the arguments to build a client with."""
        http = self._http_client or sdk.DefaultAsyncHttpxClient(verify=shared_tls())
        return {**self._options, 'http_client': http}


__all__ = ('SdkProvider',)
