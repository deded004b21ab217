"""`SdkProvider`: the base class of providers whose SDK wants a key and a URL."""

from __future__ import annotations

import os
from typing import Any

from .._kit.extras import shared_tls
from ._client import ClientProvider, no_key


class SdkProvider(ClientProvider):
    """A provider whose SDK wants a key and a URL. How its clients are made and closed is that of OpenAI's and its kin."""

    api_url: str
    """Where requests go unless told otherwise."""
    key_variables: tuple[str, ...]
    """The environment variables that may have the key."""
    url_variable: str | None = None
    """The environment variable that may have another URL."""
    made_of: tuple[str, ...] = ('api_key', 'http_client')
    """The arguments that cannot be passed together with a client."""

    _http_client: Any = None

    def _connect(
        self,
        *,
        client: Any,
        api_key: str | None,
        base_url: str | None = None,
        http_client: Any = None,
        headers: dict[str, str] | None = None,
        fallback_key: str | None = None,
    ) -> None:
        """Take the client that was passed in, or prepare to make one for each event loop."""
        passed = {'api_key': api_key, 'base_url': base_url, 'http_client': http_client}
        self._url = self._find_url(base_url)
        if self._take(client, **{name: passed[name] for name in self.made_of}):
            return
        found = (os.environ[name] for name in self.key_variables if os.environ.get(name))
        self._key = api_key or next(found, fallback_key)
        if not self._key:
            raise no_key(self.label, *self.key_variables, where=f'{type(self).__name__}(api_key=...)')
        self._options: dict[str, Any] = {'base_url': self._url, 'api_key': self._key}
        if headers:
            self._options['default_headers'] = headers
        self._http_client = http_client
        self._prepare(http_client)

    def _find_url(self, base_url: str | None) -> str:
        return base_url or (os.environ.get(self.url_variable) if self.url_variable else None) or self.api_url

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        """Return the arguments that a client is made with."""
        http = self._http_client or sdk.DefaultAsyncHttpxClient(verify=shared_tls())
        return {**self._options, 'http_client': http}


__all__ = ('SdkProvider',)
