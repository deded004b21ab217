"""Pydantic AI Gateway: the models of several vendors behind one key."""

from __future__ import annotations

import os
import re
import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Union

from typing_extensions import TypeAlias

from .._kit.warnings import PydanticAIDeprecationWarning
from ..exceptions import UserError
from . import PROVIDERS, Provider, infer_provider_class
from ._client import no_key

ModelProvider: TypeAlias = Literal['openai', 'groq', 'anthropic', 'bedrock', 'google-cloud']
"""A vendor behind the gateway."""
APIFlavor: TypeAlias = Literal['openai-chat', 'openai-responses', 'chat', 'responses', 'converse', 'gemini']
"""An API of a vendor behind the gateway."""
UpstreamProvider: TypeAlias = Union[ModelProvider, APIFlavor]
"""What the gateway is asked for: a vendor, or one of its APIs."""

PREFIX = 'gateway/'
"""What names of providers behind the gateway begin with, in model ids."""


class Upstream(NamedTuple):
    """Something behind the gateway."""

    route: str
    """Where it is, below the URL of the gateway."""
    provider: str
    """The provider that it is spoken to as, by its name in model ids."""


UPSTREAMS: dict[str, Upstream] = {
    'openai': Upstream('openai', 'openai'),
    'openai-chat': Upstream('openai', 'openai-chat'),
    'chat': Upstream('openai', 'openai-chat'),
    'openai-responses': Upstream('openai-responses', 'openai-responses'),
    'responses': Upstream('openai-responses', 'openai-responses'),
    'anthropic': Upstream('anthropic', 'anthropic'),
    'groq': Upstream('groq', 'groq'),
    'google-cloud': Upstream('google-vertex', 'google-cloud'),
    'google-vertex': Upstream('google-vertex', 'google-cloud'),
    'gemini': Upstream('google-vertex', 'google-cloud'),
    'bedrock': Upstream('bedrock', 'bedrock'),
    'converse': Upstream('bedrock', 'bedrock'),
}
_OLD = {'google-vertex': 'google-cloud', 'gemini': 'google-cloud'}


def gateway_provider(
    upstream_provider: UpstreamProvider | str,
    /,
    *,
    route: str | None = None,
    api_key: str | None = None,
    base_url: str | None = None,
    http_client: Any = None,
) -> Provider[Any]:
    """Return the provider of a vendor that sends its requests through the gateway.

    Args:
        upstream_provider: The vendor, or one of its APIs.
        route: The route or group of routes in the gateway; else the one that is named after the vendor.
        api_key: The key of the gateway; else the environment variable `PYDANTIC_AI_GATEWAY_API_KEY`.
        base_url: The URL of the gateway; else the environment variable `PYDANTIC_AI_GATEWAY_BASE_URL`, else that of the
            region in the key.
        http_client: An HTTP client to use; it belongs to one event loop.

    Raises:
        ImportError: The package of the vendor is not installed.
        UserError: There is no key, it does not say where the gateway is, or the vendor is not known.
    """
    upstream = upstream_of(upstream_provider)
    key = api_key or os.environ.get('PYDANTIC_AI_GATEWAY_API_KEY') or os.environ.get('PAIG_API_KEY')
    if not key:
        raise no_key('Pydantic AI Gateway', 'PYDANTIC_AI_GATEWAY_API_KEY', where='gateway_provider(..., api_key=...)')
    url = base_url or os.environ.get('PYDANTIC_AI_GATEWAY_BASE_URL') or os.environ.get('PAIG_BASE_URL') or _url_of(key)
    path = (upstream.route if route is None else route).strip('/')
    cls = _behind(infer_provider_class(upstream.provider))
    return cls(api_key=key, base_url=f'{url.rstrip("/")}/{path}'.rstrip('/') + cls._end, http_client=http_client)


def normalize_gateway_provider(provider: str) -> str:
    """Return the route that requests to a provider take, by its name with or without `gateway/` before it."""
    name = provider.removeprefix(PREFIX)
    _warn_of_old(name)
    return UPSTREAMS[name].route if name in UPSTREAMS else name


def upstream_of(name: str) -> Upstream:
    """Return what is behind the gateway under a name.

    Raises:
        UserError: Nothing is, or nothing that stead has models for.
    """
    upstream = UPSTREAMS.get(name)
    if upstream is not None and upstream.provider in PROVIDERS:
        _warn_of_old(name)
        return upstream
    known = sorted(name for name, upstream in UPSTREAMS.items() if upstream.provider in PROVIDERS and name not in _OLD)
    what = 'This version of stead has no models for it' if upstream else 'It is not among those that are known'
    raise UserError(f'The gateway cannot be asked for {name!r}: {what}. Name one of {known}.')


def _warn_of_old(name: str) -> None:
    if new := _OLD.get(name):
        warnings.warn(
            f'The name {PREFIX + name!r} is going away: write {PREFIX + new!r}.',
            PydanticAIDeprecationWarning,
            stacklevel=4,
        )


def _url_of(key: str) -> str:
    """Return where the gateway is that a key is for; keys say their region."""
    found = re.match(r'pylf_v\d+_([a-z]+)_.', key)
    if found is None:
        raise UserError(
            'The API key of Pydantic AI Gateway does not say where the gateway is. Make a new key there, set the '
            'environment variable `PYDANTIC_AI_GATEWAY_BASE_URL`, or pass it as `gateway_provider(..., base_url=...)`.'
        )
    region = found[1]
    host = 'gateway.pydantic.info' if region == 'staging' else f'gateway-{region}.pydantic.dev'
    return f'https://{host}/proxy'


@dataclass(frozen=True)
class _Trace:
    """A hook of HTTP clients that tells the gateway which span a request is in, so that its own spans go there."""

    url: str

    async def __call__(self, request: Any) -> None:
        if 'opentelemetry.trace' in sys.modules and str(request.url).startswith(self.url):
            from opentelemetry.propagate import inject

            inject(request.headers)


class _Behind:
    """What the provider of a vendor is besides when it is behind the gateway."""

    _end = '/'
    """What the URLs of the SDK end with."""
    _url: str

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        provider: Any = super()
        options: dict[str, Any] = provider._client_options(sdk)
        http = options['http_client'] if 'http_client' in options else options['http_options']['httpx_async_client']
        hook, hooks = _Trace(self._url), http.event_hooks
        if hook not in hooks['request']:  # a client that was passed in may be in use already
            http.event_hooks = {**hooks, 'request': [*hooks['request'], hook]}
        return options


class _AnthropicBehind(_Behind):
    """The gateway takes its key as a token, not in Anthropic's header."""

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        options = super()._client_options(sdk)
        return {**options, 'api_key': None, 'auth_token': options['api_key']}

    def _make_client(self) -> Any:
        provider: Any = super()
        client = provider._make_client()
        # The SDK takes Anthropic's own key from the environment, which is not the gateway's to see.
        client.api_key = None
        return client


class _GoogleBehind(_Behind):
    """The key goes as a token here, too, besides in Google's header."""

    _end = ''

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        options = super()._client_options(sdk)
        headers = {'Authorization': f'Bearer {options["api_key"]}'}
        return {**options, 'http_options': {**options['http_options'], 'headers': headers}}


_MIXINS: dict[str, type[_Behind]] = {'AnthropicProvider': _AnthropicBehind, 'GoogleCloudProvider': _GoogleBehind}


@lru_cache
def _behind(cls: type[Provider[Any]]) -> Any:
    """Return the class of a provider that is behind the gateway."""
    return type(cls.__name__, (_MIXINS.get(cls.__name__, _Behind), cls), {'__module__': cls.__module__})


__all__ = (
    'APIFlavor',
    'ModelProvider',
    'UpstreamProvider',
    'gateway_provider',
    'normalize_gateway_provider',
)
