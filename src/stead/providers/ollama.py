"""Ollama and compatible servers, through their OpenAI-compatible API."""

from __future__ import annotations

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_prefix


class OllamaProvider(CompatibleProvider):
    """The provider for Ollama and compatible servers."""

    provider_name = 'ollama'
    label = 'Ollama'
    api_url = ''
    key_variables: tuple[str, ...] = ('OLLAMA_API_KEY',)
    url_variable: str | None = 'OLLAMA_BASE_URL'

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Ollama.

        Args:
            base_url: The URL, such as `http://localhost:11434/v1`; by default from the environment variable
                `OLLAMA_BASE_URL`.
            api_key: The API key, if the server requires one; by default from the environment variable `OLLAMA_API_KEY`.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no URL.
        """
        self._connect_to_server(
            api_key=api_key,
            base_url=base_url,
            client=openai_client,
            http_client=http_client,
            example='http://localhost:11434/v1',
        )

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        family = profile_by_prefix(
            model_name, 'llama', 'gemma', 'qwen', 'qwq', 'deepseek', 'mistral', 'command', 'gpt-oss'
        )
        return openai_compatible(
            family,
            supports_json_schema_output=True,
            supports_json_object_output=True,
            openai_chat_thinking_field='reasoning',
            openai_supports_strict_tool_definition=False,
        )


__all__ = ('OllamaProvider',)
