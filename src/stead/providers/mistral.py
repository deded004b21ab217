"""Mistral."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

from .._kit.extras import shared_tls
from .._kit.sdk_types import MistralClient
from ..profiles import ModelProfile
from ..profiles.mistral import mistral_model_profile
from ._client import CONNECT_TIMEOUT, TIMEOUT
from ._sdk import SdkProvider


class MistralProvider(SdkProvider):
    """The provider for Mistral."""

    provider_name = sdk_extra = 'mistral'
    label = 'Mistral'
    api_url = 'https://api.mistral.ai'
    key_variables: tuple[str, ...] = ('MISTRAL_API_KEY',)
    sdk_module = 'mistralai.client'
    client_arguments: tuple[str, ...] = ('api_key', 'base_url', 'http_client')

    def __init__(
        self,
        *,
        api_key: str | None = None,
        mistral_client: MistralClient | None = None,
        base_url: str | None = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Mistral.

        Args:
            api_key: The API key; by default from the environment variable `MISTRAL_API_KEY`.
            mistral_client: A `mistralai.client.Mistral` to use as is.
            base_url: A URL to use instead of the default.
            http_client: An HTTP client to use, of the library that the installed SDK is built on. It belongs to one event
                loop.

        Raises:
            ImportError: The package mistralai is not installed.
            UserError: There is no API key.
        """
        self._connect(client=mistral_client, api_key=api_key, base_url=base_url, http_client=http_client)

    def _find_url(self, base_url: str | None) -> str:
        return super()._find_url(base_url).rstrip('/')

    def _new_client(self, sdk: ModuleType) -> Any:
        # Releases of the SDK are built on different HTTP libraries.
        library = import_module('mistralai.client.httpclient').httpx
        http = self._http_client or library.AsyncClient(
            verify=shared_tls(),
            follow_redirects=True,
            timeout=library.Timeout(timeout=TIMEOUT, connect=CONNECT_TIMEOUT),
        )
        # Without one, the SDK would build a client for blocking requests, too, and load the certificates twice for it.
        blocking = library.Client(verify=shared_tls())
        client: Any = sdk.Mistral(api_key=self._key, server_url=self._url, async_client=http, client=blocking)
        client.stead_http = http  # the SDK drops its reference at interpreter exit, before the last event loops close
        return client

    @staticmethod
    async def _close_client(client: Any) -> None:
        await client.stead_http.aclose()

    @staticmethod
    def _url_of(client: Any) -> str:
        return str(client.sdk_configuration.get_server_details()[0])

    @staticmethod
    def _key_of(client: Any) -> object:
        security = getattr(client.sdk_configuration, 'security', None)
        return getattr(security() if callable(security) else security, 'api_key', None)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        return replace(mistral_model_profile(model_name) or ModelProfile(), supports_inline_system_prompts=True)


__all__ = ('MistralProvider',)
