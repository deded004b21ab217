"""`ClientProvider`: the base class of all providers here, which have a client of an SDK for each event loop."""

from __future__ import annotations

from abc import abstractmethod
from types import TracebackType
from typing import Any

from .._kit.extras import load_extra, require_extra
from .._kit.per_loop import PerLoop
from ..exceptions import UserError
from . import Provider

TIMEOUT = 600
"""Seconds a request may take, where an SDK sets no such limit."""
CONNECT_TIMEOUT = 5
"""Seconds connecting may take."""


class ClientProvider(Provider[Any]):
    """A provider with a client of an SDK: one for every event loop. Subclasses say what it is and how it is made."""

    provider_name: str
    """The name of the provider."""
    label: str
    """Its name for people."""
    sdk_module: str
    """The module that has the client."""
    sdk_extra: str
    """The extra that installs it; `<extra>_client` is the argument that takes a client."""

    _single_client: Any = None  # one that was passed in, or made with an HTTP client that was
    _clients: PerLoop[Any] | None = None
    _key: str | None = None
    _url: str | None = None

    def _take(self, client: Any, **instead: Any) -> bool:
        """Take the client that was passed in; return whether there is one.

        Args:
            client: The client, or `None`.
            instead: The arguments that one would be made of.

        Raises:
            ImportError: The SDK is not installed.
            UserError: There are both.
        """
        require_extra(self.sdk_module, extra=self.sdk_extra, what=f'The provider {self.name!r}')
        self._single_client = client
        if client is not None and any(value is not None for value in instead.values()):
            *most, last = (f'`{name}`' for name in instead)
            raise UserError(
                f'{type(self).__name__} takes `{self.sdk_extra}_client`, or what to make one of: '
                f'not {", ".join(most)} or {last} as well.'
            )
        return client is not None

    def _prepare(self, http_client: Any = None) -> None:
        """Prepare to make a client for each event loop; an HTTP client decides by itself on which one it is used."""
        if http_client is not None:
            self._single_client = self._make_client()
        else:
            self._clients = PerLoop(self._make_client, self._close_client)

    def _make_client(self) -> Any:
        return self._new_client(load_extra(self.sdk_module, extra=self.sdk_extra, what=f'The provider {self.name!r}'))

    @abstractmethod
    def _new_client(self, sdk: Any) -> Any:
        """Return a client of the SDK."""

    @staticmethod
    async def _close_client(client: Any) -> None:
        """Close one that was made here."""
        await client.close()

    @staticmethod
    def _url_of(client: Any) -> str:
        """Return where a client sends requests."""
        return str(client.base_url)

    @staticmethod
    def _key_of(client: Any) -> Any:
        """Return the key of a client that was passed in."""
        return getattr(client, 'api_key', None)

    @property
    def name(self) -> str:
        """The name of the provider."""
        return self.provider_name

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return (self._url or '') if self._single_client is None else self._url_of(self._single_client)

    @property
    def client(self) -> Any:
        """The client: that which was passed in, or that of the running event loop."""
        return self._single_client if self._clients is None else self._clients.get()

    @property
    def secret(self) -> str | None:
        """The key, to keep it out of errors."""
        key = self._key_of(self._single_client) if self._key is None else self._key
        return key if isinstance(key, str) else None

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop; a client that was passed in stays open."""
        if self._clients is not None:
            await self._clients.close()
        return None


def no_key(label: str, *variables: str, where: str) -> UserError:
    """Return the error for a key that is missing.

    Args:
        label: Whose key it is.
        variables: The environment variables that may have it.
        where: What takes it as an argument.
    """
    names = ' or '.join(f'`{name}`' for name in variables)
    return UserError(f'There is no API key for {label}. Set the environment variable {names}, or pass it as `{where}`.')


__all__ = ('CONNECT_TIMEOUT', 'TIMEOUT', 'ClientProvider', 'no_key')
