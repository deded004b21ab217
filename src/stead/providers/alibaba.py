"""Alibaba Cloud, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ..profiles.qwen import qwen_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible


class AlibabaProvider(OpenAICompatibleProvider):
    """Alibaba Cloud."""

    provider_name = 'alibaba'
    label = 'Alibaba Cloud'
    api_url = 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'
    key_variables = ('ALIBABA_API_KEY', 'DASHSCOPE_API_KEY')

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Alibaba Cloud.

        Args:
            api_key: The key; else the environment variable `ALIBABA_API_KEY` or `DASHSCOPE_API_KEY`.
            base_url: Another URL than the usual one.
            openai_client: An `openai.AsyncOpenAI` to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no key.
        """
        self._connect(api_key=api_key, base_url=base_url, client=openai_client, http_client=http_client)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        encoding = 'uri' if 'omni' in model_name else 'base64'
        return openai_compatible(qwen_model_profile(model_name), openai_chat_audio_input_encoding=encoding)


__all__ = ('AlibabaProvider',)
