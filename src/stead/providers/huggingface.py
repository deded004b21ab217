"""Hugging Face: inference providers behind its router, and inference endpoints."""

from __future__ import annotations

import os
from dataclasses import replace
from types import ModuleType
from typing import Any

from .._kit.sdk_types import HttpxAsyncClient, HuggingFaceClient
from .._kit.secret import Secret
from ..profiles import ModelProfile
from ._client import CONNECT_TIMEOUT, TIMEOUT, ClientProvider, missing_key
from ._families import profile_by_vendor, vendors

ROUTER = 'https://router.huggingface.co'

_VENDORS = vendors('deepseek-ai', 'google', 'meta-llama', 'mistralai', 'moonshotai', 'qwen')


class HuggingFaceProvider(ClientProvider):
    """The provider for Hugging Face."""

    provider_name = sdk_extra = 'huggingface'
    sdk_module = 'huggingface_hub'
    label = 'Hugging Face'
    client_argument: str | None = 'hf_client'

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        hf_client: HuggingFaceClient | None = None,
        http_client: HttpxAsyncClient | None = None,
        provider_name: str | None = None,
    ) -> None:
        """Connect to Hugging Face: to its router, which chooses a provider for each model, unless the arguments say otherwise.

        Args:
            base_url: The URL of an inference endpoint, or of another server that speaks its protocol.
            api_key: The token; by default from the environment variable `HF_TOKEN`.
            hf_client: A `huggingface_hub.AsyncInferenceClient` to use as is, with its own token.
            http_client: Not supported: the client of `huggingface_hub` makes its own. Use
                `huggingface_hub.set_async_client_factory` to configure it.
            provider_name: The inference provider to ask, such as `together`, rather than the one that the router chooses.

        Raises:
            ImportError: The package huggingface-hub is not installed.
            UserError: There is no token, or a client was passed with a URL or the name of a provider.
            ValueError: Both a URL and the name of a provider were passed, or an HTTP client was.
        """
        if http_client is not None:
            raise ValueError(
                'HuggingFaceProvider takes no `http_client`: pass `hf_client`, or configure the HTTP clients of '
                '`huggingface_hub` with its function `set_async_client_factory`.'
            )
        if base_url is not None and provider_name is not None:
            raise ValueError(
                'Pass HuggingFaceProvider either `base_url`, to ask a server of your own, or `provider_name`, '
                'to ask an inference provider, not both.'
            )
        if self._use_client(hf_client, base_url=base_url, provider_name=provider_name):
            return
        key = api_key or os.environ.get('HF_TOKEN')
        if not key:
            raise missing_key(self.label, 'HF_TOKEN', where='HuggingFaceProvider(api_key=...)')
        self._key = Secret(key)
        self._url = base_url or _routed(provider_name)
        self._options: dict[str, Any] = {'base_url': base_url, 'provider': provider_name, 'api_key': self._key}
        self._prepare()

    def _new_client(self, sdk: ModuleType) -> Any:
        # One for connecting, reading, writing and waiting for a connection each.
        return sdk.AsyncInferenceClient(**self._options, timeout=(CONNECT_TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT))

    @staticmethod
    def _url_of(client: Any) -> str:
        url = getattr(client, 'model', None)
        return url if isinstance(url, str) and '://' in url else _routed(getattr(client, 'provider', None))

    @staticmethod
    def _key_of(client: Any) -> object:
        return getattr(client, 'token', None)

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        profile = profile_by_vendor(model_name, _VENDORS)
        return replace(profile or ModelProfile(), supports_inline_system_prompts=True)


def _routed(provider_name: str | None) -> str:
    """Return the URL of an inference provider behind the router; `None` for the one that the router chooses."""
    return f'{ROUTER}/v1' if provider_name in (None, 'auto') else f'{ROUTER}/{provider_name}'


__all__ = ('HuggingFaceProvider',)
