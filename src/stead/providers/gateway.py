"""Pydantic AI Gateway: the models of several vendors with one key."""

from __future__ import annotations

import os
import re
import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, Literal, NamedTuple, Union

from typing_extensions import TypeAlias

from .._kit.sdk_types import HttpxAsyncClient, HttpxRequest, SdkObject
from ..exceptions import PydanticAIDeprecationWarning, UserError
from . import PROVIDERS, Provider, infer_provider_class
from ._client import missing_key

ModelProvider: TypeAlias = Literal['openai', 'groq', 'anthropic', 'bedrock', 'google-cloud']
"""A vendor that the gateway offers."""
APIFlavor: TypeAlias = Literal['openai-chat', 'openai-responses', 'chat', 'responses', 'converse', 'gemini']
"""An API of a vendor that the gateway offers."""
UpstreamProvider: TypeAlias = Union[ModelProvider, APIFlavor]
"""The target of requests to the gateway: a vendor, or one of its APIs."""

PREFIX = 'gateway/'
"""The beginning of the names of providers behind the gateway, in model ids."""


class GatewayRoute(NamedTuple):
    """A route of the gateway to a vendor."""

    route: str
    """The path below the URL of the gateway."""
    provider: str
    """The provider whose API the route has, by its name in model ids."""


ROUTES: dict[str, GatewayRoute] = {
    'openai': GatewayRoute('openai', 'openai'),
    'openai-chat': GatewayRoute('openai', 'openai-chat'),
    'chat': GatewayRoute('openai', 'openai-chat'),
    'openai-responses': GatewayRoute('openai-responses', 'openai-responses'),
    'responses': GatewayRoute('openai-responses', 'openai-responses'),
    'anthropic': GatewayRoute('anthropic', 'anthropic'),
    'groq': GatewayRoute('groq', 'groq'),
    'google-cloud': GatewayRoute('google-vertex', 'google-cloud'),
    'google-vertex': GatewayRoute('google-vertex', 'google-cloud'),
    'gemini': GatewayRoute('google-vertex', 'google-cloud'),
    'bedrock': GatewayRoute('bedrock', 'bedrock'),
    'converse': GatewayRoute('bedrock', 'bedrock'),
}
_DEPRECATED = {'google-vertex': 'google-cloud', 'gemini': 'google-cloud'}


def gateway_provider(
    upstream_provider: UpstreamProvider | str,
    /,
    *,
    route: str | None = None,
    api_key: str | None = None,
    base_url: str | None = None,
    http_client: HttpxAsyncClient | None = None,
) -> Provider:
    """Return a vendor's provider that sends its requests through the gateway.

    Args:
        upstream_provider: The vendor, or one of its APIs.
        route: The route or routing group in the gateway; by default the one that is named after the vendor.
        api_key: The key of the gateway; by default from the environment variable `PYDANTIC_AI_GATEWAY_API_KEY`.
        base_url: The URL of the gateway; by default from the environment variable `PYDANTIC_AI_GATEWAY_BASE_URL`, else
            the URL for the region in the key.
        http_client: An HTTP client to use, for vendors other than Bedrock. It belongs to one event loop.

    Raises:
        ImportError: The vendor's package is not installed.
        UserError: There is no API key, the key names no region and there is no URL, or the vendor is not known.
    """
    upstream = route_for(upstream_provider)
    key = api_key or os.environ.get('PYDANTIC_AI_GATEWAY_API_KEY') or os.environ.get('PAIG_API_KEY')
    if not key:
        raise missing_key(
            'Pydantic AI Gateway', 'PYDANTIC_AI_GATEWAY_API_KEY', where='gateway_provider(..., api_key=...)'
        )
    url = base_url or os.environ.get('PYDANTIC_AI_GATEWAY_BASE_URL') or os.environ.get('PAIG_BASE_URL') or _url_of(key)
    path = (upstream.route if route is None else route).strip('/')
    if upstream.provider == 'bedrock':
        return _bedrock(key, f'{url.rstrip("/")}/{path}')
    cls = _gateway_class(infer_provider_class(upstream.provider))
    full_url = f'{url.rstrip("/")}/{path}'.rstrip('/') + cls._url_suffix
    return cls(api_key=key, base_url=full_url, http_client=http_client)


def is_gateway_provider(provider: str) -> bool:
    """Return whether the name of a provider is one of Pydantic AI Gateway, such as `'gateway/openai'`."""
    return provider.startswith(PREFIX)


def normalize_gateway_provider(provider: str) -> str:
    """Return the route for a provider by its name, which may begin with `gateway/`."""
    name = provider.removeprefix(PREFIX)
    _warn_deprecated(name)
    return ROUTES[name].route if name in ROUTES else name


def route_for(name: str) -> GatewayRoute:
    """Return the route of the gateway for a vendor or API.

    Raises:
        UserError: The name is not known, or stead has no models for it.
    """
    route = ROUTES.get(name)
    if route is not None and route.provider in PROVIDERS:
        _warn_deprecated(name)
        return route
    known = sorted(name for name, route in ROUTES.items() if route.provider in PROVIDERS and name not in _DEPRECATED)
    reason = 'This version of stead has no models for it' if route else 'Its name is not known'
    raise UserError(f'The gateway cannot route requests to {name!r}: {reason}. Use one of {known}.')


def _warn_deprecated(name: str) -> None:
    if new := _DEPRECATED.get(name):
        warnings.warn(
            f'The name {PREFIX + name!r} is deprecated: use {PREFIX + new!r}.',
            PydanticAIDeprecationWarning,
            stacklevel=4,
        )


def _url_of(key: str) -> str:
    """Return the URL of the gateway in the region that a key names."""
    match = re.match(r'pylf_v\d+_([a-z]+)_.', key)
    if match is None:
        raise UserError(
            'The API key of Pydantic AI Gateway does not name a region. Create a new key, set the environment variable '
            '`PYDANTIC_AI_GATEWAY_BASE_URL`, or pass the URL as `gateway_provider(..., base_url=...)`.'
        )
    region = match[1]
    host = 'gateway.pydantic.info' if region.startswith('staging') else f'gateway-{region}.pydantic.dev'
    return f'https://{host}/proxy'


@dataclass(frozen=True)
class _TraceContextHook:
    """A hook for HTTP clients that sends the current span to the gateway, which nests its own spans in it.

    It compares equal by URL, so that a client with the hook does not get it again.
    """

    url: str
    """The URL of the gateway. Requests of the same client to other servers get no trace context."""

    async def __call__(self, request: HttpxRequest) -> None:
        if 'opentelemetry.trace' in sys.modules and str(request.url).startswith(self.url):
            from opentelemetry.propagate import inject

            inject(request.headers)


def _bedrock(key: str, url: str) -> Provider:
    """Return the provider for Bedrock behind the gateway, which has a region of its own."""
    from .bedrock import BedrockProvider

    provider = BedrockProvider(api_key=key, base_url=url, region_name='pydantic-ai-gateway')
    provider.client.meta.events.register('before-send.bedrock-runtime', _send_trace_context)
    return provider


def _send_trace_context(request: SdkObject, **_: object) -> None:
    """Send the current span with a request of boto3, as `_TraceContextHook` does with others."""
    if 'opentelemetry.trace' in sys.modules:
        from opentelemetry.propagate import inject

        headers: dict[str, str] = {}
        inject(headers)
        for name, value in headers.items():
            request.headers[name] = value


class _GatewayMixin:
    """A mixin for the provider of a vendor behind the gateway. It comes before the provider in the order of bases."""

    _url_suffix = '/'
    """The end of the URLs that the SDK expects."""
    _url: str

    def _client_options(self, sdk: ModuleType) -> dict[str, Any]:
        provider: Any = super()
        options: dict[str, Any] = provider._client_options(sdk)
        http = options['http_client'] if 'http_client' in options else options['http_options']['httpx_async_client']
        hook, hooks = _TraceContextHook(self._url), http.event_hooks
        if hook not in hooks['request']:  # another provider may have been built with the same client
            http.event_hooks = {**hooks, 'request': [*hooks['request'], hook]}
        return options


class _AnthropicGatewayMixin(_GatewayMixin):
    """The mixin for Anthropic: the gateway expects its key as a bearer token, not in Anthropic's header."""

    def _client_options(self, sdk: ModuleType) -> dict[str, Any]:
        options = super()._client_options(sdk)
        return {**options, 'api_key': None, 'auth_token': options['api_key']}

    def _make_client(self) -> Any:
        provider: Any = super()
        client = provider._make_client()
        # The SDK reads Anthropic's own key from the environment, and would send it to the gateway.
        client.api_key = None
        return client


class _GoogleGatewayMixin(_GatewayMixin):
    """The mixin for Google: the gateway expects its key as a bearer token, in addition to Google's header."""

    _url_suffix = ''

    def _client_options(self, sdk: ModuleType) -> dict[str, Any]:
        options = super()._client_options(sdk)
        headers = {'Authorization': f'Bearer {options["api_key"]}'}
        return {**options, 'http_options': {**options['http_options'], 'headers': headers}}


_MIXINS: dict[str, type[_GatewayMixin]] = {
    'AnthropicProvider': _AnthropicGatewayMixin,
    'GoogleCloudProvider': _GoogleGatewayMixin,
}


@lru_cache
def _gateway_class(cls: type[Provider]) -> Any:
    """Return a subclass of a provider for the gateway. It is cached: providers of one vendor have one class."""
    return type(cls.__name__, (_MIXINS.get(cls.__name__, _GatewayMixin), cls), {'__module__': cls.__module__})


__all__ = (
    'APIFlavor',
    'ModelProvider',
    'UpstreamProvider',
    'gateway_provider',
    'is_gateway_provider',
    'normalize_gateway_provider',
)
