"""OpenAI's models, and those of others, on Azure."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from .._kit.sdk_types import AsyncOpenAI, HttpxAsyncClient
from ..exceptions import UserError
from ..profiles import ModelProfile
from ..profiles.grok import grok_model_profile
from ..profiles.meta import meta_model_profile
from ..profiles.mistral import mistral_model_profile
from ..profiles.openai import openai_model_profile
from ._compatible import CompatibleProvider, openai_compatible
from ._families import profile_by_prefix


class AzureProvider(CompatibleProvider):
    """The provider for OpenAI's models, and those of others, on Azure."""

    provider_name = 'azure'
    label = 'Azure'
    api_url = ''
    key_variables: tuple[str, ...] = ('AZURE_OPENAI_API_KEY',)

    def __init__(
        self,
        *,
        azure_endpoint: str | None = None,
        api_version: str | None = None,
        api_key: str | None = None,
        openai_client: AsyncOpenAI | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Azure.

        Args:
            azure_endpoint: The endpoint; by default from the environment variable `AZURE_OPENAI_ENDPOINT`. An endpoint
                that ends with `/v1` has the same API as OpenAI.
            api_version: The version of the API; by default from the environment variable `OPENAI_API_VERSION`. Endpoints
                that end with `/v1` have no versions.
            api_key: The API key; by default from the environment variable `AZURE_OPENAI_API_KEY`.
            openai_client: An `openai.AsyncAzureOpenAI` to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package openai is not installed.
            UserError: There is no endpoint, API key or version, or a version was passed for an endpoint without versions.
        """
        endpoint = azure_endpoint or os.environ.get('AZURE_OPENAI_ENDPOINT') or ''
        self._version: str | None = None
        if openai_client is None:
            if not endpoint:
                raise UserError(
                    'There is no endpoint for Azure. Set the environment variable `AZURE_OPENAI_ENDPOINT`, '
                    'or pass it as `AzureProvider(azure_endpoint=...)`.'
                )
            plain = endpoint.rstrip('/').endswith('/v1') or '.models.ai.azure.com' in endpoint
            if plain and api_version:
                raise UserError(f'The endpoint {endpoint!r} has no API versions: leave `api_version` out.')
            if plain and not endpoint.rstrip('/').endswith('/v1'):
                endpoint = f'{endpoint.rstrip("/")}/v1/'  # serverless endpoints are named without the path of their API
            self._version = None if plain else api_version or os.environ.get('OPENAI_API_VERSION')
            if not plain and not self._version:
                raise UserError(
                    'There is no API version for Azure. Set the environment variable `OPENAI_API_VERSION`, '
                    'or pass it as `AzureProvider(api_version=...)`.'
                )
        self._endpoint = endpoint
        url = endpoint if self._version is None else f'{endpoint.rstrip("/")}/openai/'
        self._connect(api_key=api_key, base_url=url, client=openai_client, http_client=http_client)

    @property
    def azure_endpoint(self) -> str:
        """The endpoint that requests go to."""
        client: Any = self.client
        return str(client.base_url).rstrip('/').removesuffix('/openai')

    @property
    def api_key(self) -> str:
        """The API key of the client."""
        client: Any = self.client
        return client.api_key

    def _new_client(self, sdk: ModuleType) -> Any:
        if self._version is None:
            return super()._new_client(sdk)
        options = self._client_options(sdk)
        del options['base_url']
        return sdk.AsyncAzureOpenAI(azure_endpoint=self._endpoint, api_version=self._version, **options)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        name = model_name.lower()
        if not name.startswith(('llama', 'meta-', 'deepseek', 'mistral', 'cohere-', 'grok')):
            return openai_compatible(openai_model_profile(model_name), openai_chat_supports_document_input=False)
        others = {'meta-': meta_model_profile, 'mistral': mistral_model_profile, 'grok': grok_model_profile}
        family = profile_by_prefix(model_name, 'llama', 'deepseek', **others)
        return openai_compatible(family, openai_chat_supports_document_input=False)


__all__ = ('AzureProvider',)
