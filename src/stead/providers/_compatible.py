"""`CompatibleProvider`: the base class of providers with an OpenAI-compatible API."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..exceptions import UserError
from ..profiles import ModelProfile
from ..profiles.openai import OpenAIJsonSchemaTransformer, OpenAIModelProfile
from ._sdk import SdkProvider


class CompatibleProvider(SdkProvider):
    """A provider with an OpenAI-compatible API. Subclasses set its name, URL and environment variables.

    Subclasses with more parameters than a key override the constructor; those that know their models, `model_profile`.
    """

    sdk_module = sdk_extra = 'openai'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to the provider.

        Args:
            api_key: The API key; by default from the first environment variable in `key_variables` that is set.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
        """
        self._connect(api_key=api_key, client=openai_client, http_client=http_client)

    def _connect_to_server(
        self,
        *,
        client: object,
        api_key: str | None,
        base_url: str | None,
        http_client: object,
        example: str,
    ) -> None:
        """Connect as `_connect` does, to a server of the user's own, which has no default URL and may need no key.

        Args:
            client: The client, or `None`.
            api_key: The API key; by default from the environment.
            base_url: The URL; by default from the environment.
            http_client: An HTTP client to use.
            example: What such a URL looks like.

        Raises:
            ImportError: The SDK is not installed.
            UserError: There is no URL.
        """
        if client is None and not self._find_url(base_url):
            raise UserError(
                f'There is no URL for {self.label}. Set the environment variable `{self.url_variable}`, such as '
                f'{example}, or pass it as `{type(self).__name__}(base_url=...)`.'
            )
        self._connect(
            api_key=api_key,
            base_url=base_url,
            client=client,
            http_client=http_client,
            fallback_key='api-key-not-set',
        )

    def _new_client(self, sdk: ModuleType) -> Any:
        return sdk.AsyncOpenAI(**self._client_options(sdk))

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return openai_compatible(None)


class RegionalProvider(CompatibleProvider):
    """A provider with an OpenAI-compatible API at several URLs, such as those of its regions."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to the provider.

        Args:
            api_key: The API key; by default from the first environment variable in `key_variables` that is set.
            base_url: Another URL of its API; by default from the environment variable in `url_variable`, else `api_url`.
            openai_client: An `openai.AsyncOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no API key.
        """
        self._connect(api_key=api_key, base_url=base_url, client=openai_client, http_client=http_client)


def openai_compatible(profile: ModelProfile | None, **changes: Any) -> OpenAIModelProfile:
    """Return the profile of a model with an OpenAI-compatible API: that of its family, with a schema transformer.

    Args:
        profile: The profile of the family, or `None` if it is not known.
        changes: The provider's own values of profile fields; the profile of the family takes precedence.
    """
    return OpenAIModelProfile(json_schema_transformer=OpenAIJsonSchemaTransformer, **changes).update(profile)


__all__ = ('CompatibleProvider', 'RegionalProvider', 'openai_compatible')
