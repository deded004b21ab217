"""Models of providers that speak OpenAI's protocol in their own way, at the loopback server."""

from __future__ import annotations

from typing import Any

import pytest
from _wire import Wire


def url_of(wire: Wire | str) -> str:
    return wire if isinstance(wire, str) else wire.url


def openrouter_model(wire: Wire | str, name: str = 'openai/gpt-4o', **options: Any) -> Any:
    """A model behind OpenRouter whose client tries once."""
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openrouter import OpenRouterModel
    from stead.providers.openrouter import OpenRouterProvider

    class Provider(OpenRouterProvider):
        api_url = url_of(wire)

        def _client_options(self, sdk: Any) -> dict[str, Any]:
            return {**super()._client_options(sdk), 'max_retries': 0}

    return OpenRouterModel(name, provider=Provider(api_key='sk-secret-of-ours'), **options)


def cerebras_model(wire: Wire | str, name: str = 'gpt-oss-120b', **options: Any) -> Any:
    """A model of Cerebras whose client tries once."""
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.cerebras import CerebrasModel
    from stead.providers.cerebras import CerebrasProvider

    class Provider(CerebrasProvider):
        api_url = url_of(wire)

        def _client_options(self, sdk: Any) -> dict[str, Any]:
            return {**super()._client_options(sdk), 'max_retries': 0}

    return CerebrasModel(name, provider=Provider(api_key='sk-secret-of-ours'), **options)


def gateway_model(wire: Wire | str, name: str = 'gpt-4o', **options: Any) -> Any:
    """A model of OpenAI behind the gateway, whose client tries once."""
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openai import OpenAIChatModel
    from stead.providers.gateway import gateway_provider

    provider: Any = gateway_provider('openai', api_key='sk-secret-of-ours', base_url=url_of(wire), route='')
    provider._options['max_retries'] = 0
    return OpenAIChatModel(name, provider=provider, **options)
