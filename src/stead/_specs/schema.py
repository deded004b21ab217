"""The JSON schema of agent specs for editors: every key, and every capability with its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticOmit, core_schema

from .._contracts.capability import AbstractCapability
from .._kit.records import is_dict, is_list
from ..capabilities._registry import SpecParameter, capability_types, spec_parameters
from ..capabilities.prefix_tools import NESTED
from ..settings import ModelSettings

REFERENCE = '#/$defs/{model}'


class _WithoutFunctions(GenerateJsonSchema):
    """Leaves out what JSON cannot hold."""

    def callable_schema(self, schema: core_schema.CallableSchema) -> JsonSchemaValue:
        raise PydanticOmit

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        raise PydanticOmit


def editor_schema(spec: type[BaseModel], custom: Sequence[type[AbstractCapability[Any]]]) -> dict[str, Any]:
    """Return the JSON schema of specs.

    Args:
        spec: The model of specs.
        custom: Capabilities besides those of stead.

    Raises:
        ValueError: They are not capabilities, or two have one name.
    """
    schema = spec.model_json_schema(by_alias=True, mode='validation', ref_template=REFERENCE)
    definitions: dict[str, Any] = schema.pop('$defs', {})
    definitions.pop('CapabilitySpec', None)
    properties: dict[str, Any] = schema['properties']
    properties['$schema'] = {'type': 'string'}
    settings = _schema_of(ModelSettings, definitions)
    properties['model_settings'] = {'anyOf': [settings, {'type': 'null'}], 'default': None}
    forms: list[Any] = []
    for name, kind in capability_types(custom).items():
        forms.extend(_forms(name, kind, definitions))
    definitions['capability'] = {'anyOf': forms}
    properties['capabilities'] = {
        'type': 'array',
        'items': {'anyOf': forms},
        'default': [],
        'title': 'Capabilities',
    }
    _merge_alternatives(schema)
    return {'$defs': definitions, **schema}


def _forms(name: str, kind: type[AbstractCapability[Any]], definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the forms that the entry of a capability may have."""
    takes = spec_parameters(kind)
    required = [parameter.name for parameter in takes.named.values() if parameter.required]
    forms: list[dict[str, Any]] = [] if required else [{'const': name, 'type': 'string'}]
    first = next((parameter for parameter in takes.named.values() if parameter.positional), None)
    if first is not None and required in ([], [first.name]):
        forms.append(_entry(f'short_spec_{name}', name, _parameter(first, definitions), definitions))
    if takes.named or takes.open:
        arguments: dict[str, Any] = {
            'type': 'object',
            'properties': {one.name: _parameter(one, definitions) for one in takes.named.values()},
            'additionalProperties': takes.open,
        }
        if required:
            arguments['required'] = required
        forms.append(_entry(f'spec_{name}', name, arguments, definitions))
    return forms


def _entry(title: str, name: str, arguments: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    definitions[title] = {
        'type': 'object',
        'properties': {name: arguments},
        'required': [name],
        'additionalProperties': False,
    }
    return {'$ref': REFERENCE.format(model=title)}


def _parameter(parameter: SpecParameter, definitions: dict[str, Any]) -> dict[str, Any]:
    if get_origin(parameter.hint) is Annotated and NESTED in get_args(parameter.hint):
        return {'$ref': REFERENCE.format(model='capability')}
    return _schema_of(parameter.hint, definitions)


def _schema_of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type, what it refers to put among the definitions; one that says nothing for others."""
    try:
        schema = TypeAdapter(hint).json_schema(
            mode='validation', ref_template=REFERENCE, schema_generator=_WithoutFunctions
        )
    except Exception:  # nothing can be said about it
        return {}
    definitions.update(schema.pop('$defs', {}))
    return schema


def _merge_alternatives(schema: Any) -> None:
    """Take out alternatives that are there twice, as templates and text are for a schema."""
    if is_list(schema):
        for value in schema:
            _merge_alternatives(value)
    elif is_dict(schema):
        for value in schema.values():
            _merge_alternatives(value)
        if is_list(choices := schema.get('anyOf')):
            flat: list[Any] = []
            for choice in choices:
                inner: list[Any] = choice['anyOf'] if is_dict(choice) and list(choice) == ['anyOf'] else [choice]
                flat.extend(item for item in inner if item not in flat)
            del schema['anyOf']
            schema.update({'anyOf': flat} if len(flat) > 1 else flat[0])


__all__ = ('editor_schema',)
