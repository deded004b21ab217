"""Anthropic, and how JSON schemas are written for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import TypeAlias

from .._kit.json_schema import JsonSchema, JsonSchemaTransformer
from .._kit.plain import as_dict
from ..profiles import ModelProfile
from ..profiles.anthropic import AnthropicModelProfile, anthropic_model_profile
from ._sdk import SdkProvider

AsyncAnthropicClient: TypeAlias = Any
"""A client of the SDK: `anthropic.AsyncAnthropic`, or that of a cloud."""


class AnthropicProvider(SdkProvider):
    """Anthropic, or its models on a cloud."""

    provider_name = sdk_module = sdk_extra = 'anthropic'
    label = 'Anthropic'
    api_url = 'https://api.anthropic.com'
    key_variables = ('ANTHROPIC_API_KEY',)
    url_variable = 'ANTHROPIC_BASE_URL'

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
        self._connect(client=anthropic_client, api_key=api_key, base_url=base_url, http_client=http_client)

    def _new_client(self, sdk: Any) -> Any:
        return sdk.AsyncAnthropic(**self._client_options(sdk))

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return what is known about a model by its name."""
        profile = AnthropicModelProfile.from_profile(anthropic_model_profile(model_name))
        return replace(profile, json_schema_transformer=AnthropicJsonSchemaTransformer)


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
    kept: dict[str, Any] = {}
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


def _keep_of_type(kind: Any, kept: dict[str, Any], rest: dict[str, Any]) -> None:
    """Move the keywords over that strict mode has for a type."""
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
