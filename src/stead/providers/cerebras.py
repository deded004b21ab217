"""Cerebras, through OpenAI's protocol."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..profiles import ModelProfile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_prefix

_UNSUPPORTED = (
    'frequency_penalty',
    'logit_bias',
    'presence_penalty',
    'parallel_tool_calls',
    'service_tier',
    'openai_service_tier',
)


class CerebrasProvider(OpenAICompatibleProvider):
    """Cerebras."""

    provider_name = 'cerebras'
    label = 'Cerebras'
    api_url = 'https://api.cerebras.ai/v1'
    key_variables = ('CEREBRAS_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Cerebras.

        Args:
            api_key: The key; else the environment variable `CEREBRAS_API_KEY`.
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
        profile = openai_compatible(
            of_prefix(model_name, 'llama', 'qwen', 'gpt-oss', 'zai'), openai_unsupported_model_settings=_UNSUPPORTED
        )
        thinks = model_name.lower().startswith(('gpt-oss', 'zai'))
        return replace(profile, supports_thinking=True) if thinks else profile


__all__ = ('CerebrasProvider',)
