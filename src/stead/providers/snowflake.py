"""Snowflake Cortex, through its OpenAI-compatible API."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..exceptions import UserError
from ..profiles import ModelProfile
from ..profiles.anthropic import anthropic_model_profile
from ..profiles.openai import OpenAIModelProfile, openai_model_profile
from ._client import missing_key
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_prefix


@dataclass(kw_only=True)
class SnowflakeModelProfile(OpenAIModelProfile):
    """The capabilities of a model that Snowflake Cortex serves."""

    snowflake_supports_reasoning: bool = False
    """Whether it takes `snowflake_reasoning`."""
    snowflake_reasoning_requires_temperature_1: bool = False
    """Whether it thinks only with a temperature of 1."""


class SnowflakeProvider(CompatibleProvider):
    """The provider for Snowflake Cortex."""

    provider_name = 'snowflake'
    label = 'Snowflake'
    api_url = ''
    key_variables: tuple[str, ...] = ('SNOWFLAKE_TOKEN',)
    client_arguments: tuple[str, ...] = ('http_client',)

    def __init__(
        self,
        *,
        account: str | None = None,
        token: str | None = None,
        base_url: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to an account.

        Args:
            account: The name of the account, as in its address; by default from the environment variable
                `SNOWFLAKE_ACCOUNT`.
            token: A token for it; by default from the environment variable `SNOWFLAKE_TOKEN`.
            base_url: The URL of its API, instead of an account.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no account and no URL, or no token.
        """
        account = account or os.environ.get('SNOWFLAKE_ACCOUNT')
        if openai_client is None:
            if not (account or base_url):
                raise UserError(
                    'There is no account for Snowflake. Set the environment variable `SNOWFLAKE_ACCOUNT`, or pass it as '
                    '`SnowflakeProvider(account=...)`.'
                )
            if not (token or os.environ.get('SNOWFLAKE_TOKEN')):
                raise missing_key(self.label, *self.key_variables, where='SnowflakeProvider(token=...)')
        self._connect(
            api_key=token, base_url=base_url or _url_of(account), client=openai_client, http_client=http_client
        )

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        own: dict[str, Any] = {'openai_supports_strict_tool_definition': False}
        if model_name.startswith('claude'):
            profile = openai_compatible(anthropic_model_profile(model_name), supports_json_schema_output=True, **own)
            claude: dict[str, Any] = {'supports_thinking': True, 'snowflake_supports_reasoning': True}
            return SnowflakeModelProfile(snowflake_reasoning_requires_temperature_1=True, **claude).update(profile)
        if model_name.startswith('openai-'):
            profile = openai_compatible(openai_model_profile(model_name.removeprefix('openai-')), **own)
        else:
            family = profile_by_prefix(model_name, 'llama', 'mistral', 'deepseek')
            profile = openai_compatible(family, supports_tools=False, default_structured_output_mode='prompted', **own)
        return SnowflakeModelProfile().update(profile)


def _url_of(account: str | None) -> str | None:
    """Return the URL of the API of an account, by its name or its address."""
    if account is None:
        return None
    host = account.removeprefix('https://').rstrip('/').removesuffix('.snowflakecomputing.com')
    return f'https://{host}.snowflakecomputing.com/api/v2/cortex/v1'


__all__ = ('SnowflakeModelProfile', 'SnowflakeProvider')
