"""Anthropic, and the JSON schemas that its API accepts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from typing_extensions import TypeAlias

from .._kit.json_schema import JsonSchema, JsonSchemaTransformer
from .._kit.json_types import as_dict
from .._kit.sdk_types import HttpxAsyncClient
from ..profiles import ModelProfile
from ..profiles.anthropic import AnthropicModelProfile, anthropic_model_profile
from ._sdk import SdkProvider

AsyncAnthropicClient: TypeAlias = Any
"""A client of the SDK: `anthropic.AsyncAnthropic`, or the client for a cloud. `Any`, since the SDK is optional."""


class AnthropicProvider(SdkProvider):
    """The provider for Anthropic, directly or on a cloud."""

    provider_name = sdk_module = sdk_extra = 'anthropic'
    label = 'Anthropic'
    api_url = 'https://api.anthropic.com'
    key_variables: tuple[str, ...] = ('ANTHROPIC_API_KEY',)
    url_variable: str | None = 'ANTHROPIC_BASE_URL'

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        anthropic_client: AsyncAnthropicClient | None = None,
        http_client: HttpxAsyncClient | None = None,
    ) -> None:
        """Connect to Anthropic.

        Args:
            api_key: The API key; by default from the environment variable `ANTHROPIC_API_KEY`.
            base_url: The URL; by default from the environment variable `ANTHROPIC_BASE_URL`, else Anthropic's.
            anthropic_client: An `anthropic.AsyncAnthropic`, or the client for a cloud, to use as is.
            http_client: An HTTP client to use. It belongs to one event loop.

        Raises:
            ImportError: The package anthropic is not installed.
            UserError: There is no API key.
        """
        self._connect(client=anthropic_client, api_key=api_key, base_url=base_url, http_client=http_client)

    def _new_client(self, sdk: ModuleType) -> Any:
        return sdk.AsyncAnthropic(**self._client_options(sdk))

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model by its name."""
        profile = AnthropicModelProfile.from_profile(anthropic_model_profile(model_name))
        return replace(profile, json_schema_transformer=AnthropicJsonSchemaTransformer)


_FORMATS = frozenset(
    {'date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'},
)


@dataclass(init=False)
class AnthropicJsonSchemaTransformer(JsonSchemaTransformer):
    """A transformer for Anthropic, whose strict mode knows a subset of JSON schema; the rest goes into descriptions."""

    def walk(self) -> JsonSchema:
        """Return the transformed schema, in strict form if `strict` is set."""
        schema = super().walk()
        self.is_strict_compatible: bool = bool(self.strict)
        return _strict(schema) if self.strict else schema

    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return one schema of the tree, without its title; `walk` applies strict mode afterwards."""
        schema.pop('title', None)
        schema.pop('$schema', None)
        return schema


_UNIONS = (('anyOf', 'anyOf'), ('oneOf', 'anyOf'), ('allOf', 'allOf'))


def _strict(schema: object) -> JsonSchema:
    """Return a schema with only the keywords of strict mode; other keywords are appended to its description."""
    rest = as_dict(schema).copy()
    kept: JsonSchema = {}
    if '$defs' in rest:
        kept['$defs'] = {name: _strict(item) for name, item in rest.pop('$defs').items()}
    if '$ref' in rest:
        return {**kept, '$ref': rest['$ref']}
    for name in ('type', 'description', 'enum'):
        if name in rest:
            kept[name] = rest.pop(name)
    for name, becomes in _UNIONS:
        if name in rest:
            kept[becomes] = [_strict(member) for member in rest.pop(name)]
    _keep_of_type(kept.get('type'), kept, rest)
    if rest:
        words = '{' + ', '.join(f'{name}: {value}' for name, value in rest.items()) + '}'
        kept['description'] = f'{kept["description"]}\n\n{words}' if kept.get('description') else words
    return kept


def _keep_of_type(kind: object, kept: JsonSchema, rest: JsonSchema) -> None:
    """Move the keywords of a type that strict mode knows from one schema to the other."""
    if kind == 'object':
        kept['properties'] = {name: _strict(item) for name, item in rest.pop('properties', {}).items()}
        kept['additionalProperties'] = False
        rest.pop('additionalProperties', None)
        if 'required' in rest:
            kept['required'] = rest.pop('required')
    elif kind == 'array':
        if 'items' in rest:
            kept['items'] = _strict(rest.pop('items'))
        if 'minItems' in rest:
            least = rest.pop('minItems')
            (kept if least in (0, 1) else rest)['minItems'] = least
    elif kind == 'string' and rest.get('format') in _FORMATS:
        kept['format'] = rest.pop('format')


__all__ = ('AnthropicJsonSchemaTransformer', 'AnthropicProvider', 'AsyncAnthropicClient')
