"""Providers: vendors' clients, with their URLs and keys, and the profiles of their models."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, Generic

from typing_extensions import Self, TypeVar

from .._kit.lazy import import_module, lazy_modules
from ..exceptions import PydanticAIDeprecationWarning, UserError
from ..profiles import ModelProfile
from ._table import EMBEDDING_PROVIDERS, OBJECT_PROVIDERS, PROVIDERS

InterfaceClient = TypeVar('InterfaceClient', default=Any)
"""The type of a provider's client."""


class Provider(ABC, Generic[InterfaceClient]):
    """A vendor's client, with its URL and key. Models that share a provider share its connections."""

    _client: InterfaceClient

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the provider."""

    @property
    @abstractmethod
    def base_url(self) -> str:
        """The URL that requests go to."""

    @property
    @abstractmethod
    def client(self) -> InterfaceClient:
        """The client that was passed in, or the client of the running event loop."""

    @property
    def canonical_system(self) -> str:
        """The vendor that made the API of the provider: its own name, unless it serves the API of another."""
        return self.name

    @property
    def compatible_systems(self) -> frozenset[str]:
        """Other systems whose thinking and signatures its models accept."""
        return frozenset()

    @property
    def model_id_namespace(self) -> str:
        """What stands before the names of its models in their ids."""
        return self.name

    def shares_server_state_with(self, provider_url: str) -> bool:
        """Return whether what responses from a URL refer to by ids is known to this provider, too."""
        return provider_url.rstrip('/') == self.base_url.rstrip('/')

    @staticmethod
    def realtime_model_profile(model_name: str) -> None:
        """Return the profile of a model for spoken conversations: none, since stead does not have them."""
        return

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name, or `None` if the name is not known."""
        return None

    async def __aenter__(self) -> Self:
        """Enter a context that closes the connections of the provider at its end."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop. A client that was passed in stays open."""
        return None

    def __repr__(self) -> str:
        return f'{type(self).__name__}(name={self.name!r}, base_url={self.base_url!r})'


# Current names of providers by their deprecated ones.
DEPRECATED_NAMES = {'google-gla': 'google', 'google-vertex': 'google-cloud', 'vertexai': 'google-cloud'}


def current_name(provider: str, stacklevel: int = 3) -> str:
    """Return the current name of a provider. A deprecated name gives a `PydanticAIDeprecationWarning`.

    Args:
        provider: The name.
        stacklevel: The frames between the warning and the code to blame for it, as `warnings.warn` counts them.
    """
    new = DEPRECATED_NAMES.get(provider)
    if new is None:
        return provider
    message = f'The provider name {provider!r} is deprecated: use {new!r}.'
    warnings.warn(message, PydanticAIDeprecationWarning, stacklevel=stacklevel)
    return new


def infer_provider_class(provider: str) -> type[Provider]:
    """Return the class of a provider by its name; for a name that begins with `gateway/`, the class of the vendor.

    Raises:
        ValueError: The name is not known.
        UserError: The gateway does not offer the vendor, or stead has no models for it.
        ImportError: The module of the provider needs a package that is not installed.
    """
    if provider.startswith('gateway/'):
        from .gateway import route_for

        return infer_provider_class(route_for(provider.removeprefix('gateway/')).provider)
    if other := EMBEDDING_PROVIDERS.get(provider) or OBJECT_PROVIDERS.get(provider):
        module, name = other
        return getattr(import_module(f'.{module}', __name__), name)
    row = PROVIDERS.get(current_name(provider))
    if row is None:
        raise ValueError(f'Unknown provider: {provider!r}. Providers of this version of stead: {sorted(PROVIDERS)}.')
    return getattr(import_module(f'.{row.module}', __name__), row.provider)


def infer_provider(provider: str) -> Provider:
    """Return a provider by its name, with the key from its environment variable.

    Args:
        provider: The name, such as `openai`, or `gateway/openai` for OpenAI behind Pydantic AI Gateway.

    Raises:
        ValueError: The name is not known.
        ImportError: The vendor's package is not installed.
        UserError: There is no API key (the message names the environment variable), or the gateway does not offer the
            vendor.
    """
    if provider.startswith('gateway/'):
        from .gateway import gateway_provider

        return gateway_provider(provider.removeprefix('gateway/'))
    return infer_provider_class(provider)()


def missing_api_key_error(message: str) -> UserError:
    """Return the error for a provider without an API key, with the way to one that works without it.

    Args:
        message: Which key is missing, and where it may be set.
    """
    return UserError(f"{message} To try an agent without a key, use the model 'test' or one that runs locally.")


__all__ = (
    'PROVIDERS',
    'InterfaceClient',
    'Provider',
    'PydanticAIDeprecationWarning',
    'infer_provider',
    'infer_provider_class',
    'missing_api_key_error',
)

lazy_modules(__name__)
