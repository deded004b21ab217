"""A LiteLLM proxy, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ..profiles.openai import openai_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_vendor, vendors

_VENDORS = vendors(
    'amazon',
    'anthropic',
    'bedrock',
    'cohere',
    'deepseek',
    'google',
    'meta-llama',
    'mistral',
    'mistralai',
    'moonshotai',
    'openai',
    'x-ai',
)


class LiteLLMProvider(OpenAICompatibleProvider):
    """A LiteLLM proxy."""

    provider_name = 'litellm'
    label = 'LiteLLM'
    api_url = 'https://api.openai.com/v1/'
    key_variables = ()

    def __init__(
        self,
        *,
        api_key: str | None = None,
        api_base: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to a proxy.

        Args:
            api_key: The key, if the proxy wants one.
            api_base: The URL of the proxy.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
        """
        self._connect(
            api_key=api_key,
            base_url=api_base,
            client=openai_client,
            http_client=http_client,
            fallback_key='litellm-placeholder',  # the SDK wants one, and the proxy may not
        )

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        return openai_compatible(of_vendor(model_name, _VENDORS) or openai_model_profile(model_name))


__all__ = ('LiteLLMProvider',)
