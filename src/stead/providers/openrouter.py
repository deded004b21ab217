"""OpenRouter, which offers models of many vendors, through its OpenAI-compatible API."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import timedelta

from .._kit.json_schema import JsonSchema
from .._kit.keywords import renamed
from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.google import GoogleJsonSchemaTransformer
from ..profiles.openai import OpenAIJsonSchemaTransformer, OpenAIModelProfile
from ._compatible import CompatibleProvider
from ._families import VENDORS

_VENDORS = (
    'amazon',
    'anthropic',
    'cohere',
    'deepseek',
    'google',
    'meta-llama',
    'mistralai',
    'moonshotai',
    'openai',
    'qwen',
    'x-ai',
    'z-ai',
)


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(kw_only=True)
class OpenRouterModelProfile(OpenAIModelProfile):
    """The features that a model supports on OpenRouter."""

    openrouter_supports_cache_control: bool = False
    """Whether prompts may contain cache points."""
    openrouter_supports_cache_ttl: bool = False
    """Whether cache points may set a time to live."""
    openrouter_supports_tool_cache: bool = False
    """Whether tools may have a cache point."""
    openrouter_supports_dynamic_instruction_cache: bool = False
    """Whether instructions that change may have a cache point."""
    openrouter_max_cache_points: int | None = None
    """The maximum number of cache points in a request, or `None` for no limit."""


class _InlineGoogleTransformer(GoogleJsonSchemaTransformer):
    """A transformer for Google's models on OpenRouter, which accept neither references nor unions with null."""

    def __init__(self, schema: JsonSchema, *, strict: bool | None = None) -> None:
        super().__init__(schema, strict=strict, prefer_inlined_defs=True, simplify_nullable_unions=True)


class OpenRouterProvider(CompatibleProvider):
    """The provider for OpenRouter."""

    provider_name = 'openrouter'
    label = 'OpenRouter'
    api_url = 'https://openrouter.ai/api/v1'
    key_variables: tuple[str, ...] = ('OPENROUTER_API_KEY',)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        app_url: str | None = None,
        app_title: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to OpenRouter.

        Args:
            api_key: The API key; by default from the environment variable `OPENROUTER_API_KEY`.
            app_url: The URL of your application, for OpenRouter's rankings; by default from the environment variable
                `OPENROUTER_APP_URL`.
            app_title: The title of your application; by default from the environment variable `OPENROUTER_APP_TITLE`.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
        """
        url, title = (
            app_url or os.environ.get('OPENROUTER_APP_URL'),
            app_title or os.environ.get('OPENROUTER_APP_TITLE'),
        )
        headers = {name: value for name, value in (('HTTP-Referer', url), ('X-Title', title)) if value}
        self._connect(api_key=api_key, client=openai_client, http_client=http_client, headers=headers)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        vendor, _, name = model_name.removeprefix('~').partition('/')  # `~` names the newest model of a kind
        name, _, _ = name.partition(':')  # variants, such as `:free`
        if vendor == 'anthropic':
            name = name.replace('.', '-')
        family = VENDORS[vendor](name) if vendor in _VENDORS else None
        anthropic = vendor == 'anthropic'
        profile = OpenRouterModelProfile(
            json_schema_transformer=OpenAIJsonSchemaTransformer,
            supports_cache=vendor in ('anthropic', 'google'),
            supported_cache_retentions=('5m', '1h') if anthropic else (),
            default_cache_retention=timedelta(minutes=5) if vendor in ('anthropic', 'google') else None,
            openrouter_supports_cache_control=vendor in ('anthropic', 'google'),
            openrouter_supports_cache_ttl=anthropic,
            openrouter_supports_tool_cache=anthropic,
            openrouter_supports_dynamic_instruction_cache=anthropic,
            openrouter_max_cache_points=4 if anthropic else None,
        ).update(family)
        profile = replace(
            profile,
            supports_thinking=True,
            openai_chat_thinking_field='reasoning',
            openai_chat_send_back_thinking_parts='field',
            openai_chat_supports_web_search=True,
            openai_chat_supports_file_urls=True,
        )
        return replace(profile, json_schema_transformer=_InlineGoogleTransformer) if vendor == 'google' else profile


__all__ = ('OpenRouterModelProfile', 'OpenRouterProvider')
