"""Providers: the client of a vendor, with its address and key, and what is known about its models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from types import TracebackType
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from .._kit.warnings import PydanticAIDeprecationWarning
from ..profiles import ModelProfile

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


# The module and class of each provider, by its name in model ids.
PROVIDERS: dict[str, tuple[str, str]] = {
    'openai': ('openai', 'OpenAIProvider'),
    'openai-chat': ('openai', 'OpenAIProvider'),
    'openai-responses': ('openai', 'OpenAIProvider'),
    'alibaba': ('alibaba', 'AlibabaProvider'),
    'anthropic': ('anthropic', 'AnthropicProvider'),
    'azure': ('azure', 'AzureProvider'),
    'cerebras': ('cerebras', 'CerebrasProvider'),
    'deepseek': ('deepseek', 'DeepSeekProvider'),
    'fireworks': ('fireworks', 'FireworksProvider'),
    'github': ('github', 'GitHubProvider'),
    'grok': ('grok', 'GrokProvider'),
    'heroku': ('heroku', 'HerokuProvider'),
    'litellm': ('litellm', 'LiteLLMProvider'),
    'moonshotai': ('moonshotai', 'MoonshotAIProvider'),
    'nebius': ('nebius', 'NebiusProvider'),
    'ollama': ('ollama', 'OllamaProvider'),
    'openrouter': ('openrouter', 'OpenRouterProvider'),
    'ovhcloud': ('ovhcloud', 'OVHcloudProvider'),
    'sambanova': ('sambanova', 'SambaNovaProvider'),
    'together': ('together', 'TogetherProvider'),
    'vercel': ('vercel', 'VercelProvider'),
    'zai': ('zai', 'ZaiProvider'),
}


def infer_provider_class(provider: str) -> type[Provider[Any]]:
    """Return the class of a provider by its name.

    Raises:
        ValueError: The name is not known.
    """
    found = PROVIDERS.get(provider)
    if found is None:
        raise ValueError(f'Unknown provider: {provider!r}. Providers of this version of stead: {sorted(PROVIDERS)}.')
    module, name = found
    return getattr(import_module(f'.{module}', __name__), name)


def infer_provider(provider: str) -> Provider[Any]:
    """Return a provider by its name, with the key that its environment variable has.

    Raises:
        ValueError: The name is not known.
        ImportError: The package of the vendor is not installed.
        UserError: There is no key; the message names the environment variable.
    """
    return infer_provider_class(provider)()


__all__ = (
    'PROVIDERS',
    'InterfaceClient',
    'Provider',
    'PydanticAIDeprecationWarning',
    'infer_provider',
    'infer_provider_class',
)
