"""`StructuredDict`: a `dict` type described by a JSON schema."""

from __future__ import annotations

from typing import cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from .._contracts.tool_definition import ObjectJsonSchema
from .._kit.json_schema import InlineDefsJsonSchemaTransformer, check_object_json_schema
from .._kit.json_types import JsonObject, JsonValue
from ..exceptions import UserError


def StructuredDict(  # noqa: N802 - it is used in place of a type
    json_schema: ObjectJsonSchema, name: str | None = None, description: str | None = None
) -> type[JsonObject]:
    """Return a `dict` type described by a JSON schema.

    The schema is for the model; its response is only checked to be an object.

    Args:
        json_schema: The JSON schema of an object. References are replaced by what they refer to.
        name: The name of the type.
        description: What the object is, for the model.

    Raises:
        UserError: The schema is not one of an object, is recursive, or refers to something it does not define.
    """
    schema = _without_references(check_object_json_schema(json_schema))
    if name:
        schema['title'] = name
    if description:
        schema['description'] = description

    class _StructuredDict(JsonObject):
        __is_structured_dict__ = True

        @classmethod
        def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
            return core_schema.dict_schema(keys_schema=core_schema.str_schema(), values_schema=core_schema.any_schema())

        @classmethod
        def __get_pydantic_json_schema__(
            cls, schema_: core_schema.CoreSchema, handler: GetJsonSchemaHandler
        ) -> ObjectJsonSchema:
            return schema

    return _StructuredDict


def is_structured_dict(cls: object) -> bool:
    """Return whether a type comes from `StructuredDict`."""
    return getattr(cls, '__is_structured_dict__', False)


def _without_references(schema: ObjectJsonSchema) -> ObjectJsonSchema:
    """Return a schema with definitions in place of references: pydantic only resolves references that it has made itself."""
    flat = InlineDefsJsonSchemaTransformer(schema).walk() if schema.get('$defs') else dict(schema)
    if '$defs' in flat:
        raise UserError(
            'The JSON schema of a `StructuredDict` refers to itself: '
            f'{sorted(flat["$defs"])}. Use a model or a `TypedDict` for recursive objects.'
        )
    if missing := _references(flat):
        raise UserError(
            f'The JSON schema of a `StructuredDict` refers to {missing}, which it does not define under `$defs`.'
        )
    return flat


def _references(schema: JsonValue) -> list[str]:
    if isinstance(schema, list):
        return [ref for item in cast('list[JsonValue]', schema) for ref in _references(item)]
    if not isinstance(schema, dict):
        return []
    mapping = cast(JsonObject, schema)
    own = [ref] if isinstance(ref := mapping.get('$ref'), str) else []
    return own + [ref for item in mapping.values() for ref in _references(item)]
