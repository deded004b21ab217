"""`StructuredDict`: a type of objects that a JSON schema describes."""

from __future__ import annotations

from typing import Any, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from .._contracts.tool_definition import ObjectJsonSchema
from .._kit.json_schema import InlineDefsJsonSchemaTransformer, check_object_json_schema
from ..exceptions import UserError


def StructuredDict(  # noqa: N802 - it stands where a type stands
    json_schema: ObjectJsonSchema, name: str | None = None, description: str | None = None
) -> type[dict[str, Any]]:
    """Return a type of objects that a JSON schema describes.

    The schema is for the model; what it sends is only checked to be an object.

    Args:
        json_schema: The JSON schema of an object. What it refers to is put in place of the references.
        name: The name of the type.
        description: What it is, for the model.

    Raises:
        UserError: It is a schema of something else, it refers to itself, or to what it does not define.
    """
    schema = _without_references(check_object_json_schema(json_schema))
    if name:
        schema['title'] = name
    if description:
        schema['description'] = description

    class _StructuredDict(dict[str, Any]):
        __is_structured_dict__ = True

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
            return core_schema.dict_schema(keys_schema=core_schema.str_schema(), values_schema=core_schema.any_schema())

        @classmethod
        def __get_pydantic_json_schema__(
            cls, schema_: core_schema.CoreSchema, handler: GetJsonSchemaHandler
        ) -> ObjectJsonSchema:
            return schema

    return _StructuredDict


def is_structured_dict(form: Any) -> bool:
    """Return whether a type was made by `StructuredDict`."""
    return getattr(form, '__is_structured_dict__', False)


def _without_references(schema: ObjectJsonSchema) -> ObjectJsonSchema:
    """Return a schema with definitions in place of references: pydantic cannot resolve references it did not make."""
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


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [ref for item in cast('list[Any]', schema) for ref in _references(item)]
    if not isinstance(schema, dict):
        return []
    mapping = cast('dict[str, Any]', schema)
    own = [ref] if isinstance(ref := mapping.get('$ref'), str) else []
    return own + [ref for item in mapping.values() for ref in _references(item)]
