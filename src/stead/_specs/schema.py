"""The JSON schema of agent specs for editors: every key, and every capability with its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticOmit, core_schema

from .._contracts.capability import CapabilityType
from .._kit.json_types import JsonObject
from .._kit.records import is_dict, is_list
from ..capabilities._registry import SpecParameter, capability_types, spec_parameters
from ..capabilities.prefix_tools import NESTED
from ..settings import ModelSettings

REFERENCE = '#/$defs/{model}'


class _WithoutFunctions(GenerateJsonSchema):
    """A generator that leaves out what JSON cannot hold."""

    def callable_schema(self, schema: core_schema.CallableSchema) -> JsonSchemaValue:
        raise PydanticOmit

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        raise PydanticOmit


def editor_schema(spec: type[BaseModel], custom: Sequence[CapabilityType]) -> JsonObject:
    """Return the JSON schema of specs.

    Args:
        spec: The model of specs.
        custom: Capabilities besides those of stead.

    Raises:
        ValueError: `custom` holds something that is not a capability, or two with the same name.
    """
    schema = spec.model_json_schema(by_alias=True, mode='validation', ref_template=REFERENCE)
    definitions: JsonObject = schema.pop('$defs', {})
    definitions.pop('CapabilitySpec', None)
    properties: JsonObject = schema['properties']
    properties['$schema'] = {'type': 'string'}
    settings = _schema_of(ModelSettings, definitions)
    properties['model_settings'] = {'anyOf': [settings, {'type': 'null'}], 'default': None}
    forms: list[JsonObject] = []
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


def _forms(name: str, kind: CapabilityType, definitions: JsonObject) -> list[JsonObject]:
    """Return the schemas of the forms that the entry of a capability may have, and add what they refer to."""
    takes = spec_parameters(kind)
    required = [parameter.name for parameter in takes.named.values() if parameter.required]
    forms: list[JsonObject] = [] if required else [{'const': name, 'type': 'string'}]
    first = next((parameter for parameter in takes.named.values() if parameter.positional), None)
    if first is not None and required in ([], [first.name]):
        forms.append(_entry(f'short_spec_{name}', name, _parameter(first, definitions), definitions))
    if takes.named or takes.open:
        arguments: JsonObject = {
            'type': 'object',
            'properties': {parameter.name: _parameter(parameter, definitions) for parameter in takes.named.values()},
            'additionalProperties': takes.open,
        }
        if required:
            arguments['required'] = required
        forms.append(_entry(f'spec_{name}', name, arguments, definitions))
    return forms


def _entry(title: str, name: str, arguments: JsonObject, definitions: JsonObject) -> JsonObject:
    """Add the schema of an entry with arguments to the definitions, and return a reference to it."""
    definitions[title] = {
        'type': 'object',
        'properties': {name: arguments},
        'required': [name],
        'additionalProperties': False,
    }
    return {'$ref': REFERENCE.format(model=title)}


def _parameter(parameter: SpecParameter, definitions: JsonObject) -> JsonObject:
    if get_origin(parameter.hint) is Annotated and NESTED in get_args(parameter.hint):
        return {'$ref': REFERENCE.format(model='capability')}
    return _schema_of(parameter.hint, definitions)


def _schema_of(hint: Any, definitions: JsonObject) -> JsonObject:
    """Return the schema of a type, and add what it refers to; `{}`, which allows anything, if it has none."""
    try:
        schema = TypeAdapter(hint).json_schema(
            mode='validation', ref_template=REFERENCE, schema_generator=_WithoutFunctions
        )
    except Exception:  # hints of users may be anything; an editor can do without one
        return {}
    definitions.update(schema.pop('$defs', {}))
    return schema


def _merge_alternatives(schema: object) -> None:
    """Remove repeated alternatives, in place: templates and plain text have the same schema."""
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
