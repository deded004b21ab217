"""Alibaba Cloud, through its OpenAI-compatible API."""

from __future__ import annotations

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.qwen import qwen_model_profile
from ._compatible import CompatibleProvider, openai_compatible


class AlibabaProvider(CompatibleProvider):
    """The provider for Alibaba Cloud."""

    provider_name = 'alibaba'
    label = 'Alibaba Cloud'
    api_url = 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'
    key_variables: tuple[str, ...] = ('ALIBABA_API_KEY', 'DASHSCOPE_API_KEY')

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Alibaba Cloud.

        Args:
            api_key: The API key; by default from the environment variable `ALIBABA_API_KEY` or `DASHSCOPE_API_KEY`.
            base_url: A URL to use instead of the default.
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
        encoding = 'uri' if 'omni' in model_name else 'base64'
        return openai_compatible(qwen_model_profile(model_name), openai_chat_audio_input_encoding=encoding)


__all__ = ('AlibabaProvider',)
