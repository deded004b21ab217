"""`ClientProvider`: the base class of stead's providers, which have an SDK client for each event loop."""

from __future__ import annotations

from abc import abstractmethod
from types import ModuleType, TracebackType
from typing import Any

from .._kit.extras import load_extra, load_transport
from .._kit.per_loop import PerLoop
from ..exceptions import UserError
from . import Provider

TIMEOUT = 600
"""Seconds a request may take, for SDKs that set no limit."""
CONNECT_TIMEOUT = 5
"""Seconds connecting may take."""


class ClientProvider(Provider):
    """A provider with an SDK client for each event loop. Subclasses name the SDK and build the client.

    SDKs are optional and share no interface, so clients have the type `Any` here.
    """

    provider_name: str
    """The name of the provider."""
    label: str
    """The display name of the provider."""
    sdk_module: str
    """The module of the client's class."""
    sdk_extra: str
    """The extra that installs the SDK."""
    client_argument: str | None = None
    """The parameter for a client; `<extra>_client` by default."""

    _single_client: Any = (
        None  # the client that was passed in, or that was built with an HTTP client that was passed in
    )
    _clients: PerLoop[Any] | None = None
    _key: str | None = None
    _url: str | None = None

    def _use_client(self, client: object, **instead: object) -> bool:
        """Use the client that was passed in, and return whether there is one.

        Args:
            client: The client, or `None`.
            instead: The arguments to build a client from.

        Raises:
            ImportError: The SDK is not installed.
            UserError: Both a client and arguments to build one were passed.
        """
        self._load()
        load_transport()
        self._single_client = client
        if client is not None and any(value is not None for value in instead.values()):
            argument = self.client_argument or f'{self.sdk_extra}_client'
            *most, last = (f'`{name}`' for name in instead)
            raise UserError(
                f'Pass {type(self).__name__} either `{argument}` or the arguments to build a client from '
                f'({", ".join(most)} and {last}), not both.'
            )
        return client is not None

    def _prepare(self, http_client: object = None) -> None:
        """Prepare to build a client for each event loop, or build one client around an HTTP client.

        An HTTP client belongs to one event loop already, and so does the client that is built with it.
        """
        if http_client is not None:
            self._single_client = self._make_client()
        else:
            self._clients = PerLoop(self._make_client, self._close_client)

    def _make_client(self) -> Any:
        return self._new_client(self._load())

    def _load(self) -> ModuleType:
        return load_extra(self.sdk_module, extra=self.sdk_extra, what=f'The provider {self.name!r}')

    @abstractmethod
    def _new_client(self, sdk: ModuleType) -> Any:
        """Return a new client of the SDK."""

    @staticmethod
    async def _close_client(client: Any) -> None:
        """Close a client that the provider built."""
        await client.close()

    @staticmethod
    def _url_of(client: Any) -> str:
        """Return the URL that a client sends requests to."""
        return str(client.base_url)

    @staticmethod
    def _key_of(client: Any) -> object:
        """Return the API key of a client that was passed in."""
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
        """The client that was passed in, or the client of the running event loop."""
        return self._single_client if self._clients is None else self._clients.get()

    @property
    def secret(self) -> str | None:
        """The API key, which errors must not show."""
        key = self._key_of(self._single_client) if self._key is None else self._key
        return key if isinstance(key, str) else None

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop. A client that was passed in stays open."""
        if self._clients is not None:
            await self._clients.close()
        return None


def missing_key(label: str, *variables: str, where: str) -> UserError:
    """Return the error for a missing API key.

    Args:
        label: The display name of the provider.
        variables: The environment variables that may hold the key.
        where: The call that takes the key as an argument.
    """
    names = ' or '.join(f'`{name}`' for name in variables)
    return UserError(f'There is no API key for {label}. Set the environment variable {names}, or pass it as `{where}`.')


__all__ = ('CONNECT_TIMEOUT', 'TIMEOUT', 'ClientProvider', 'missing_key')
