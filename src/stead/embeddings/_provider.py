"""`ProviderEmbeddingModel`: an embedding model of a provider, to which the models of vendors add their requests."""

from __future__ import annotations

from typing import Any

from ..providers import Provider, infer_provider
from .base import EmbeddingModel
from .settings import EmbeddingSettings


class ProviderEmbeddingModel(EmbeddingModel):
    """A model that a provider runs."""

    def __init__(self, model_name: str, provider: str | Provider, settings: EmbeddingSettings | None) -> None:
        """Set the name of the model, the provider or its name, and the settings of all requests.

        Raises:
            ImportError: The package of the provider is not installed.
            UserError: The provider lacks an API key, or other access.
            ValueError: The provider is not known.
        """
        super().__init__(settings=settings)
        self._model_name: str = model_name
        self._provider: Provider[Any] = infer_provider(provider) if isinstance(provider, str) else provider

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model_name

    @property
    def system(self) -> str:
        """The name of the provider."""
        return self._provider.name

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return self._provider.base_url
