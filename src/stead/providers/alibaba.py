"""Alibaba Cloud, through its OpenAI-compatible API."""

from __future__ import annotations

from ..profiles import ModelProfile
from ..profiles.qwen import qwen_model_profile
from ._compatible import RegionalProvider, openai_compatible


class AlibabaProvider(RegionalProvider):
    """The provider for Alibaba Cloud."""

    provider_name = 'alibaba'
    label = 'Alibaba Cloud'
    api_url = 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'
    key_variables: tuple[str, ...] = ('ALIBABA_API_KEY', 'DASHSCOPE_API_KEY')

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        encoding = 'uri' if 'omni' in model_name else 'base64'
        return openai_compatible(qwen_model_profile(model_name), openai_chat_audio_input_encoding=encoding)


__all__ = ('AlibabaProvider',)
