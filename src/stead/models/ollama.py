"""`OllamaModel`: a model that Ollama runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal
from urllib.parse import urlsplit

from ..profiles import ModelProfile, ModelProfileSpec
from ..providers import Provider
from ..settings import ModelSettings
from .openai import OpenAIChatModel


@dataclass(init=False, repr=False)
class OllamaModel(OpenAIChatModel):
    """A model that Ollama runs, on your machine or in its cloud."""

    def __init__(
        self,
        model_name: str,
        *,
        provider: Literal['ollama'] | Provider[Any] = 'ollama',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: The capabilities of the model; by default, those known for its name.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package openai is not installed.
            UserError: No URL is set.
        """
        self._has_own_profile = profile is not None
        super().__init__(model_name, provider=provider, profile=profile, settings=settings)

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do; models in Ollama's cloud do not support JSON schemas."""
        profile = super().profile
        if self._has_own_profile or not self._is_in_the_cloud:
            return profile
        return replace(profile, supports_json_schema_output=False)

    @property
    def _is_in_the_cloud(self) -> bool:
        host = urlsplit(self._provider.base_url).hostname or ''
        # A local Ollama forwards these to the cloud.
        return host == 'ollama.com' or host.endswith('.ollama.com') or self._model_name.endswith(('-cloud', ':cloud'))


__all__ = ('OllamaModel',)
