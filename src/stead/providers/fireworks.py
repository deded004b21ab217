"""Fireworks AI, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_prefix

_PREFIX = 'accounts/fireworks/models/'


class FireworksProvider(OpenAICompatibleProvider):
    """Fireworks AI."""

    provider_name = 'fireworks'
    label = 'Fireworks AI'
    api_url = 'https://api.fireworks.ai/inference/v1'
    key_variables = ('FIREWORKS_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Fireworks AI.

        Args:
            api_key: The key; else the environment variable `FIREWORKS_API_KEY`.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key.
        """
        self._connect(api_key=api_key, client=openai_client, http_client=http_client)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        if not model_name.startswith(_PREFIX):
            return openai_compatible(None)
        name = model_name.removeprefix(_PREFIX)
        return openai_compatible(of_prefix(name, 'llama', 'qwen', 'deepseek', 'mistral', 'gemma'))


__all__ = ('FireworksProvider',)
