"""Anthropic, and how JSON schemas are written for it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from typing_extensions import TypeAlias

from .._kit.extras import load_extra, require_extra, shared_tls
from .._kit.json_schema import JsonSchema, JsonSchemaTransformer
from .._kit.per_loop import PerLoop
from .._kit.plain import as_dict
from ..exceptions import UserError
from ..profiles import ModelProfile
from ..profiles.anthropic import AnthropicModelProfile, anthropic_model_profile
from . import Provider

AsyncAnthropicClient: TypeAlias = Any
"""A client of the SDK: `anthropic.AsyncAnthropic`, or that of a cloud."""


class AnthropicProvider(Provider[Any]):
    """Anthropic, or its models on a cloud."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        anthropic_client: Any = None,
        http_client: Any = None,
    ) -> None:
        """Connect to Anthropic.

        Args:
            api_key: The key; else the environment variable `ANTHROPIC_API_KEY`.
            base_url: Another URL; else the environment variable `ANTHROPIC_BASE_URL`, else Anthropic's.
            anthropic_client: An `anthropic.AsyncAnthropic`, or that of a cloud, to use as it is.
            http_client: An HTTP client to use; it belongs to one event loop.

        Raises:
            ImportError: The package anthropic is not installed.
            UserError: There is no key.
        """
        require_extra('anthropic', extra='anthropic', what="The provider 'anthropic'")
        self._given = anthropic_client
        self._clients: PerLoop[Any] | None = None
        self._url = base_url or os.environ.get('ANTHROPIC_BASE_URL') or 'https://api.anthropic.com'
        if anthropic_client is not None:
            if http_client is not None or api_key is not None:
                raise UserError(
                    'AnthropicProvider takes `anthropic_client`, or what to make one of: not `api_key` or '
                    '`http_client` as well.'
                )
            return
        key = api_key or os.environ.get('ANTHROPIC_API_KEY')
        if not key:
            raise UserError(
                'There is no API key for Anthropic. Set the environment variable `ANTHROPIC_API_KEY`, '
                'or pass it as `AnthropicProvider(api_key=...)`.'
            )
        self._options: dict[str, Any] = {'base_url': self._url, 'api_key': key}
        if http_client is not None:
            self._options['http_client'] = http_client
            self._given = self._make_client()
        else:
            self._clients = PerLoop(self._make_client, _close)

    def _make_client(self) -> Any:
        sdk = load_extra('anthropic', extra='anthropic', what="The provider 'anthropic'")
        return sdk.AsyncAnthropic(**self._client_options(sdk))

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        http = self._options.get('http_client') or sdk.DefaultAsyncHttpxClient(verify=shared_tls())
        return {**self._options, 'http_client': http}

    @property
    def name(self) -> str:
        """The name of the provider."""
        return 'anthropic'

    @property
    def base_url(self) -> str:
        """The URL that requests go to."""
        return str(self._given.base_url) if self._given is not None else self._url

    @property
    def client(self) -> Any:
        """The client: that which was passed in, or that of the running event loop."""
        return self._given if self._clients is None else self._clients.get()

    @property
    def secret(self) -> str | None:
        """The key, to keep it out of errors."""
        key = getattr(self._given, 'api_key', None) if self._clients is None else self._options['api_key']
        return key if isinstance(key, str) else None

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close the connections of the running event loop; a client that was passed in stays open."""
        if self._clients is not None:
            await self._clients.close()
        return None

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        profile = AnthropicModelProfile.from_profile(anthropic_model_profile(model_name))
        return replace(profile, json_schema_transformer=AnthropicJsonSchemaTransformer)


async def _close(client: Any) -> None:
    await client.close()


_FORMATS = frozenset(
    {'date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'},
)


@dataclass(init=False)
class AnthropicJsonSchemaTransformer(JsonSchemaTransformer):
    """Rewrites schemas for Anthropic, whose strict mode takes a part of the language; the rest goes into descriptions."""

    def walk(self) -> JsonSchema:
        """Return the whole schema, rewritten; strictly only if that is asked for."""
        schema = super().walk()
        self.is_strict_compatible = bool(self.strict)
        return _strict(schema) if self.strict else schema

    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return what one schema becomes, before it is made strict."""
        schema.pop('title', None)
        schema.pop('$schema', None)
        return schema


_UNIONS = (('anyOf', 'anyOf'), ('oneOf', 'anyOf'), ('allOf', 'allOf'))


def _strict(schema: Any) -> Any:
    """Return a schema with the keywords of strict mode only."""
    rest = as_dict(schema).copy()
    made: dict[str, Any] = {}
    if '$defs' in rest:
        made['$defs'] = {name: _strict(item) for name, item in rest.pop('$defs').items()}
    if '$ref' in rest:
        return {**made, '$ref': rest['$ref']}
    for name in ('type', 'description', 'enum'):
        if name in rest:
            made[name] = rest.pop(name)
    for name, becomes in _UNIONS:
        if name in rest:
            made[becomes] = [_strict(member) for member in rest.pop(name)]
    _keep_of_type(made.get('type'), made, rest)
    if rest:
        words = '{' + ', '.join(f'{name}: {value}' for name, value in rest.items()) + '}'
        made['description'] = f'{made["description"]}\n\n{words}' if made.get('description') else words
    return made


def _keep_of_type(kind: Any, made: dict[str, Any], rest: dict[str, Any]) -> None:
    """Move the keywords over that strict mode has for a type."""
    if kind == 'object':
        made['properties'] = {name: _strict(item) for name, item in rest.pop('properties', {}).items()}
        made['additionalProperties'] = False
        rest.pop('additionalProperties', None)
        if 'required' in rest:
            made['required'] = rest.pop('required')
    elif kind == 'array':
        if 'items' in rest:
            made['items'] = _strict(rest.pop('items'))
        if 'minItems' in rest:
            least = rest.pop('minItems')
            (made if least in (0, 1) else rest)['minItems'] = least
    elif kind == 'string' and rest.get('format') in _FORMATS:
        made['format'] = rest.pop('format')


__all__ = ('AnthropicJsonSchemaTransformer', 'AnthropicProvider', 'AsyncAnthropicClient')
