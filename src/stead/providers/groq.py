"""Groq."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

from .._kit.sdk_types import AsyncGroq, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.groq import groq_model_profile
from ..profiles.meta import meta_model_profile
from ..profiles.moonshotai import moonshotai_model_profile
from ..profiles.openai import openai_model_profile
from ._client import CONNECT_TIMEOUT, TIMEOUT
from ._families import Family, profile_by_prefix
from ._sdk import SdkProvider

_META_WITH_JSON_SCHEMA = frozenset({'llama-4-maverick-17b-128e-instruct', 'llama-4-scout-17b-16e-instruct'})
"""Meta's models for which Groq supports JSON schema output."""


_JSON = ModelProfile(supports_json_object_output=True, supports_json_schema_output=True)


def groq_moonshotai_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Moonshot AI model on Groq by its name: Groq supports JSON schema output for them."""
    return _JSON.update(moonshotai_model_profile(model_name))


def meta_groq_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Meta model on Groq by its name: Groq supports JSON schema output for some of them."""
    profile = meta_model_profile(model_name)
    return _JSON.update(profile) if model_name in _META_WITH_JSON_SCHEMA else profile


_VENDORS: dict[str, Family] = {
    'meta-llama': meta_groq_model_profile,
    'moonshotai': groq_moonshotai_model_profile,
    'openai': openai_model_profile,
}
_FAMILIES = ('llama', 'gemma', 'qwen', 'deepseek', 'mistral')


class GroqProvider(SdkProvider):
    """The provider for Groq."""

    provider_name = sdk_module = sdk_extra = 'groq'
    label = 'Groq'
    api_url = 'https://api.groq.com'
    key_variables: tuple[str, ...] = ('GROQ_API_KEY',)
    url_variable: str | None = 'GROQ_BASE_URL'
    client_arguments: tuple[str, ...] = ('api_key', 'base_url', 'http_client')

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        groq_client: AsyncGroq | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Groq.

        Args:
            api_key: The API key; by default from the environment variable `GROQ_API_KEY`.
            base_url: The URL; by default from the environment variable `GROQ_BASE_URL`, else Groq's.
            groq_client: A `groq.AsyncGroq` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package groq is not installed.
            UserError: There is no API key.
        """
        self._connect(client=groq_client, api_key=api_key, base_url=base_url, http_client=http_client)

    def _find_url(self, base_url: str | None) -> str:
        return super()._find_url(base_url).rstrip('/')

    def _new_client(self, sdk: ModuleType) -> Any:
        return sdk.AsyncGroq(**self._client_options(sdk))

    def _client_options(self, sdk: ModuleType) -> dict[str, Any]:
        options = super()._client_options(sdk)
        if self._http_client is None:
            options['timeout'] = sdk.Timeout(TIMEOUT, connect=CONNECT_TIMEOUT)
        return options

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        vendor, _, name = model_name.lower().partition('/')
        family = _VENDORS.get(vendor)
        if family is not None:
            profile = family(name)
        else:
            profile = profile_by_prefix(model_name, *_FAMILIES, **{'compound-': groq_model_profile})
        return replace(profile or ModelProfile(), supports_inline_system_prompts=True)


__all__ = ('GroqProvider', 'groq_moonshotai_model_profile', 'meta_groq_model_profile')
