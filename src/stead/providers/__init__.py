"""Providers: the client of a vendor, with its address and key, and what is known about its models."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from importlib import import_module
from types import TracebackType
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from .._kit.warnings import PydanticAIDeprecationWarning
from ..profiles import ModelProfile
from ._table import PROVIDERS

InterfaceClient = TypeVar('InterfaceClient')


class Provider(ABC, Generic[InterfaceClient]):
    """The client of a vendor, with its address and key. Models that share one share its connections."""

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
        """The client; for the running event loop, unless one was passed in."""

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model of the provider by its name; `None` if that is nothing."""
        return None

    async def __aenter__(self) -> Self:
        """Use the provider as a context, to close its connections at the end."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop; a client that was passed in stays open."""
        return None

    def __repr__(self) -> str:
        return f'{type(self).__name__}(name={self.name!r}, base_url={self.base_url!r})'


# Old names of providers, and what they are called now.
OLD_NAMES = {'google-gla': 'google', 'google-vertex': 'google-cloud', 'vertexai': 'google-cloud'}


def current_name(provider: str, stacklevel: int = 3) -> str:
    """Return what a provider is called now; an old name gives a `PydanticAIDeprecationWarning`."""
    new = OLD_NAMES.get(provider)
    if new is None:
        return provider
    message = f'The provider name {provider!r} is going away: write {new!r}.'
    warnings.warn(message, PydanticAIDeprecationWarning, stacklevel=stacklevel)
    return new


def infer_provider_class(provider: str) -> type[Provider[Any]]:
    """Return the class of a provider by its name; behind the gateway, that of the vendor.

    Raises:
        ValueError: The name is not known.
    """
    if provider.startswith('gateway/'):
        from .gateway import upstream_of

        return infer_provider_class(upstream_of(provider.removeprefix('gateway/')).provider)
    row = PROVIDERS.get(current_name(provider))
    if row is None:
        raise ValueError(f'Unknown provider: {provider!r}. Providers of this version of stead: {sorted(PROVIDERS)}.')
    return getattr(import_module(f'.{row.module}', __name__), row.provider)


def infer_provider(provider: str) -> Provider[Any]:
    """Return a provider by its name, with the key that its environment variable has.

    Args:
        provider: The name, such as `openai`, or `gateway/openai` for the one behind Pydantic AI Gateway.

    Raises:
        ValueError: The name is not known.
        ImportError: The package of the vendor is not installed.
        UserError: There is no key; the message names the environment variable.
    """
    if provider.startswith('gateway/'):
        from .gateway import gateway_provider

        return gateway_provider(provider.removeprefix('gateway/'))
    return infer_provider_class(provider)()


__all__ = (
    'PROVIDERS',
    'InterfaceClient',
    'Provider',
    'PydanticAIDeprecationWarning',
    'infer_provider',
    'infer_provider_class',
)
