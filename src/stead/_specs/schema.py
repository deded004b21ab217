"""The JSON schema of agent specs for editors: every key, and every capability with its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticOmit, core_schema

from .. import native_tools
from .._contracts.capability import CapabilityType
from .._kit.json_types import JsonObject
from .._kit.records import is_dict, is_list
from ..capabilities._registry import SpecParameter, capability_types, spec_parameters
from ..capabilities.prefix_tools import NESTED
from ..native_tools import DEPRECATED_NATIVE_TOOLS, NATIVE_TOOL_TYPES, AbstractNativeTool
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
        custom: Capabilities in addition to those of stead.

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
    for name, kind in capability_types(custom, with_rooms_above=True).items():
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
    schemas = {parameter.name: _parameter(parameter, definitions) for parameter in takes.named.values()}
    properties = {name: schema for name, schema in schemas.items() if schema is not None}
    required = [
        parameter.name for parameter in takes.named.values() if parameter.required and parameter.name in properties
    ]
    forms: list[JsonObject] = [] if required else [{'const': name, 'type': 'string'}]
    first = next((parameter for parameter in takes.named.values() if parameter.positional), None)
    if first is not None and first.name in properties and required in ([], [first.name]):
        forms.append(_entry(f'short_spec_{name}', name, properties[first.name], definitions))
    if properties or takes.open:
        is_native = first is not None and AbstractNativeTool in _members(first.hint)  # the short form has its settings
        arguments: JsonObject = {
            'type': 'object',
            'properties': properties,
            'additionalProperties': takes.open and not is_native,
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


def _parameter(parameter: SpecParameter, definitions: JsonObject) -> JsonObject | None:
    """Return the schema of a parameter, or `None` if a spec cannot hold any value of it."""
    if get_origin(parameter.hint) is Annotated and NESTED in get_args(parameter.hint):
        return {'$ref': REFERENCE.format(model='capability')}
    members = _members(parameter.hint)
    if AbstractNativeTool in members:  # in place of the settings of any tool, those of each
        members = [member for member in members if get_origin(member) is not dict]
    schemas: list[JsonObject] = []
    for member in members:
        if member is AbstractNativeTool:
            schemas.extend(_native_tools(definitions))
        elif (schema := _schema_of(member, definitions)) is not None:
            schemas.append(schema)
    return {'anyOf': schemas} if len(schemas) > 1 else schemas[0] if schemas else None


def _members(hint: Any) -> list[Any]:
    """Return the members of a union; a list of the type itself if it is not one."""
    if get_origin(hint) in (Union, UnionType):
        return [member for part in get_args(hint) for member in _members(part)]
    return [hint]


def _native_tools(definitions: JsonObject) -> list[JsonObject]:
    """Return the schemas of native tools with all settings of each, told apart by their kind."""
    forms: list[JsonObject] = []
    for kind, tool in NATIVE_TOOL_TYPES.items():
        if tool in DEPRECATED_NATIVE_TOOLS or tool.__name__ not in native_tools.__all__:
            continue
        if tool.__name__ not in definitions:
            schema = _schema_of(tool, definitions)
            assert schema, 'native tools are plain data'
            schema['properties']['kind'] = {'const': kind, 'type': 'string'}
            schema['required'] = ['kind', *schema.get('required', ())]
            definitions[tool.__name__] = schema
        forms.append({'$ref': REFERENCE.format(model=tool.__name__)})
    return forms


def _schema_of(hint: Any, definitions: JsonObject) -> JsonObject | None:
    """Return the schema of a type, and add what it refers to.

    Returns:
        The schema; `None` if JSON cannot hold values of the type, as with functions; `{}`, which allows anything, if the
        type cannot be read.
    """
    try:
        schema = TypeAdapter(hint).json_schema(
            mode='validation', ref_template=REFERENCE, schema_generator=_WithoutFunctions
        )
    except (PydanticOmit, PydanticSchemaGenerationError):
        return None
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
