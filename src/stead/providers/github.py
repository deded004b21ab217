"""GitHub Models, through OpenAI's protocol."""

from __future__ import annotations

from typing import Any

from ..profiles import ModelProfile
from ..profiles.openai import openai_model_profile
from ._compatible import OpenAICompatibleProvider, openai_compatible
from ._families import of_vendor, vendors

_VENDORS = vendors('cohere', 'deepseek', 'meta', 'mistral-ai', 'xai')


class GitHubProvider(OpenAICompatibleProvider):
    """GitHub Models."""

    provider_name = 'github'
    label = 'GitHub Models'
    api_url = 'https://models.github.ai/inference'
    key_variables = ('GITHUB_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to GitHub Models.

        Args:
            api_key: The key; else the environment variable `GITHUB_API_KEY`.
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
        if '/' not in model_name:
            return openai_model_profile(model_name)
        return openai_compatible(of_vendor(model_name, _VENDORS))


__all__ = ('GitHubProvider',)
