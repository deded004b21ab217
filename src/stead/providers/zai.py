"""Z.ai, through its OpenAI-compatible API."""

from __future__ import annotations

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.zai import zai_model_profile
from ._compatible import CompatibleProvider, openai_compatible


class ZaiProvider(CompatibleProvider):
    """The provider for Z.ai."""

    provider_name = 'zai'
    label = 'Z.ai'
    api_url = 'https://api.z.ai/api/paas/v4'
    key_variables: tuple[str, ...] = ('ZAI_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Z.ai.

        Args:
            api_key: The API key; by default from the environment variable `ZAI_API_KEY`.
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
            zai_model_profile(model_name),
            supports_json_object_output=True,
            openai_chat_thinking_field='reasoning_content',
            openai_supports_strict_tool_definition=False,
            openai_supports_tool_choice_required=False,
        )


__all__ = ('ZaiProvider',)
