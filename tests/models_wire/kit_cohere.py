"""Models of Cohere that ask the loopback server."""

from __future__ import annotations

from typing import Any

import pytest
from _wire import Wire


def cohere_provider(url: str) -> Any:
    """A provider whose client tries once."""
    pytest.importorskip('cohere', reason='the SDK cohere is not installed')
    from stead.providers.cohere import CohereProvider

    class Provider(CohereProvider):
        def _new_client(self, sdk: Any) -> Any:
            client = super()._new_client(sdk)
            client._client_wrapper.httpx_client.base_max_retries = 0  # releases before 6 try once anyway
            return client

        def _find_url(self, base_url: str | None) -> str:
            return url

    return Provider(api_key='sk-secret-of-ours')


def cohere_model(wire: Wire | str, name: str = 'command-r-08-2024', **options: Any) -> Any:
    """A model of Cohere whose client tries once."""
    provider = cohere_provider(wire if isinstance(wire, str) else wire.url)
    from stead.models.cohere import CohereModel

    return CohereModel(name, provider=provider, **options)
