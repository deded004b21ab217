"""DeepSeek, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypeAlias

from ..profiles import ModelProfile
from ..profiles.deepseek import deepseek_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible

DeepSeekModelName: TypeAlias = Literal['deepseek-chat', 'deepseek-reasoner', 'deepseek-v4-flash', 'deepseek-v4-pro']
"""A name of a model."""


class DeepSeekProvider(OpenAICompatibleProvider):
    """DeepSeek."""

    provider_name = 'deepseek'
    label = 'DeepSeek'
    api_url = 'https://api.deepseek.com'
    key_variables = ('DEEPSEEK_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to DeepSeek.

        Args:
            api_key: The key; else the environment variable `DEEPSEEK_API_KEY`.
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
        return openai_compatible(
            deepseek_model_profile(model_name),
            supports_json_object_output=True,
            openai_chat_thinking_field='reasoning_content',
            openai_chat_send_back_thinking_parts='field',  # with tools, its thinking must come back
        )


__all__ = ('DeepSeekModelName', 'DeepSeekProvider')
