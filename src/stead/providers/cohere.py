"""Cohere."""

from __future__ import annotations

import os
from dataclasses import replace
from types import ModuleType
from typing import Any

from .._kit.extras import shared_tls
from .._kit.sdk_types import CohereClient, HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.cohere import cohere_model_profile
from ._client import CONNECT_TIMEOUT, TIMEOUT
from ._sdk import SdkProvider


class CohereProvider(SdkProvider):
    """The provider for Cohere."""

    provider_name = sdk_extra = sdk_module = 'cohere'
    label = 'Cohere'
    api_url = 'https://api.cohere.com'
    key_variables: tuple[str, ...] = ('CO_API_KEY',)
    url_variable: str | None = 'CO_BASE_URL'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        cohere_client: CohereClient | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Cohere, at the URL in the environment variable `CO_BASE_URL` if it is set.

        Args:
            api_key: The API key; by default from the environment variable `CO_API_KEY`.
            cohere_client: A `cohere.AsyncClientV2` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package cohere is not installed.
            UserError: There is no API key.
        """
        self._connect(client=cohere_client, api_key=api_key, http_client=http_client)

    def _new_client(self, sdk: ModuleType) -> Any:
        import httpx

        http: Any = self._http_client or httpx.AsyncClient(
            verify=shared_tls(),
            follow_redirects=True,
            timeout=httpx.Timeout(timeout=TIMEOUT, connect=CONNECT_TIMEOUT),
        )
        options = {'api_key': str(self._key), 'base_url': self._url, 'httpx_client': http}
        client = sdk.AsyncClientV2(**options)
        client.stead_http, client.stead_v1 = http, sdk.AsyncClient(**options)
        return client

    @property
    def v1_client(self) -> Any:
        """The client of the API's version 1, which counts tokens; `None` with a client that was passed in."""
        return getattr(self.client, 'stead_v1', None)

    @staticmethod
    async def _close_client(client: Any) -> None:
        await client.stead_http.aclose()

    @staticmethod
    def _url_of(client: Any) -> str:
        wrapper = getattr(client, '_client_wrapper', None)
        return str(wrapper.get_base_url()) if wrapper is not None else os.environ.get('CO_BASE_URL', '')

    @staticmethod
    def _key_of(client: Any) -> object:
        return getattr(getattr(client, '_client_wrapper', None), '_token', None)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name. Its API takes system prompts at any place."""
        return replace(cohere_model_profile(model_name) or ModelProfile(), supports_inline_system_prompts=True)


__all__ = ('CohereProvider',)
