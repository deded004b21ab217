"""`SdkProvider`: the mould of providers with a client of a vendor's own SDK."""

from __future__ import annotations

import os
from abc import abstractmethod
from types import TracebackType
from typing import Any

from .._kit.extras import load_extra, require_extra
from .._kit.per_loop import PerLoop
from ..exceptions import UserError
from . import Provider

TIMEOUT = 600
"""Seconds a request may take."""
CONNECT_TIMEOUT = 5
"""Seconds connecting may take."""


class SdkProvider(Provider[Any]):
    """A provider with a client of its own SDK: one for every event loop. Subclasses say what it is and how it is made."""

    provider_name: str
    """The name of the provider, and of the extra that its SDK is."""
    label: str
    """Its name for people."""
    api_url: str
    """Where requests go unless told otherwise."""
    key_variable: str
    """The environment variable that may have the key."""
    url_variable: str | None = None
    """The environment variable that may have another URL."""
    sdk_module: str
    """The module that has the client."""

    def _connect(self, *, api_key: str | None, base_url: str | None, client: Any, http_client: Any) -> None:
        """Take the client that was passed in, or prepare to make one for each event loop."""
        require_extra(self.sdk_module, extra=self.provider_name, what=f'The provider {self.provider_name!r}')
        self._given: Any = client
        self._clients: PerLoop[Any] | None = None
        url = base_url or (os.environ.get(self.url_variable) if self.url_variable else None) or self.api_url
        self._url = url.rstrip('/')
        if client is not None:
            if http_client is not None or api_key is not None or base_url is not None:
                raise UserError(
                    f'{type(self).__name__} takes `{self.provider_name}_client`, or what to make one of: not `api_key`, '
                    '`base_url` or `http_client` as well.'
                )
            return
        self._key = api_key or os.environ.get(self.key_variable)
        if not self._key:
            raise UserError(
                f'There is no API key for {self.label}. Set the environment variable `{self.key_variable}`, '
                f'or pass it as `{type(self).__name__}(api_key=...)`.'
            )
        self._http_client = http_client
        if http_client is not None:  # it decides on which event loop it is used
            self._given = self._make_client()
        else:
            self._clients = PerLoop(self._make_client, self._close_client)

    def _make_client(self) -> Any:
        sdk = load_extra(self.sdk_module, extra=self.provider_name, what=f'The provider {self.provider_name!r}')
        return self._new_client(sdk)

    @abstractmethod
    def _new_client(self, sdk: Any) -> Any:
        """Return a client of the SDK."""

    @staticmethod
    @abstractmethod
    async def _close_client(client: Any) -> None:
        """Close one that was made here."""

    @staticmethod
    @abstractmethod
    def _url_of(client: Any) -> str:
        """Return where a client that was passed in sends requests."""

    @staticmethod
    @abstractmethod
    def _key_of(client: Any) -> Any:
        """Return the key of a client that was passed in."""

    @property
    def name(self) -> str:
        """The name of the provider."""
        return self.provider_name

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return self._url_of(self._given) if self._given is not None else self._url

    @property
    def client(self) -> Any:
        """The client: that which was passed in, or that of the running event loop."""
        return self._given if self._clients is None else self._clients.get()

    @property
    def secret(self) -> str | None:
        """The key, to keep it out of errors."""
        key = self._key_of(self._given) if self._clients is None else self._key
        return key if isinstance(key, str) else None

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop; a client that was passed in stays open."""
        if self._clients is not None:
            await self._clients.close()
        return None


__all__ = ('CONNECT_TIMEOUT', 'TIMEOUT', 'SdkProvider')
