"""Moonshot AI, through its OpenAI-compatible API."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypeAlias

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.moonshotai import moonshotai_model_profile
from ._compatible import CompatibleProvider, openai_compatible

MoonshotAIModelName: TypeAlias = Literal[
    'kimi-k2-0711-preview',
    'kimi-latest',
    'kimi-thinking-preview',
    'moonshot-v1-128k-vision-preview',
    'moonshot-v1-128k',
    'moonshot-v1-32k-vision-preview',
    'moonshot-v1-32k',
    'moonshot-v1-8k-vision-preview',
    'moonshot-v1-8k',
]
"""The name of a model."""


class MoonshotAIProvider(CompatibleProvider):
    """The provider for Moonshot AI."""

    provider_name = 'moonshotai'
    label = 'Moonshot AI'
    api_url = 'https://api.moonshot.ai/v1'
    key_variables: tuple[str, ...] = ('MOONSHOTAI_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Moonshot AI.

        Args:
            api_key: The API key; by default from the environment variable `MOONSHOTAI_API_KEY`.
            base_url: Another URL of its API, such as that of another region.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
        """
        self._connect(api_key=api_key, base_url=base_url, client=openai_client, http_client=http_client)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(
            moonshotai_model_profile(model_name),
            supports_json_object_output=True,
            openai_supports_tool_choice_required=False,
            openai_chat_thinking_field='reasoning_content',
            openai_chat_send_back_thinking_parts='field',
        )


__all__ = ('MoonshotAIModelName', 'MoonshotAIProvider')
