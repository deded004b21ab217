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
            profile: What the model can do; known models need none.
            settings: Settings for all requests; those of agents and runs go over them.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no URL.
        """
        self._told_what_it_can = profile is not None
        super().__init__(model_name, provider=provider, profile=profile, settings=settings)

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do; in Ollama's cloud, models are not held to schemas."""
        profile = super().profile
        if self._told_what_it_can or not self._is_in_the_cloud:
            return profile
        return replace(profile, supports_json_schema_output=False)

    @property
    def _is_in_the_cloud(self) -> bool:
        host = urlsplit(self._provider.base_url).hostname or ''
        # Ollama on your machine passes these on to the cloud.
        return host == 'ollama.com' or host.endswith('.ollama.com') or self._model_name.endswith(('-cloud', ':cloud'))


__all__ = ('OllamaModel',)
