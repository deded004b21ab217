"""A LiteLLM proxy, through its OpenAI-compatible API."""

from __future__ import annotations

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.openai import openai_model_profile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_vendor, vendors

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


class LiteLLMProvider(CompatibleProvider):
    """The provider for a LiteLLM proxy."""

    provider_name = 'litellm'
    label = 'LiteLLM'
    api_url = 'https://api.openai.com/v1/'
    key_variables: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        api_key: str | None = None,
        api_base: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to a LiteLLM proxy.

        Args:
            api_key: The API key, if the proxy requires one.
            api_base: The URL of the proxy.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
        """
        self._connect(
            api_key=api_key,
            base_url=api_base,
            client=openai_client,
            http_client=http_client,
            fallback_key='litellm-placeholder',  # the SDK requires a key, even if the proxy does not
        )

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(profile_by_vendor(model_name, _VENDORS) or openai_model_profile(model_name))


__all__ = ('LiteLLMProvider',)
