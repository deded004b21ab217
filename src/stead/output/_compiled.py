"""What a type of output comes to: a JSON schema and a validator, made once for each type and shared by all agents."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from functools import cached_property, lru_cache
from typing import Any, Union, cast

from pydantic import BaseModel, Json, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticOmit, SchemaError, SchemaValidator, core_schema
from typing_extensions import TypedDict, is_typeddict

from .._contracts.tool_definition import ObjectJsonSchema
from .._kit.json_schema import DocumentedJsonSchema, check_object_json_schema
from ..exceptions import UserError
from ..tools import GenerateToolJsonSchema
from ._structured_dict import is_structured_dict

OUTER_KEY = 'response'
"""The key that wraps an output whose values are no objects: tools and structured output carry objects only."""


_NOT_A_TYPE = (TypeError, NameError, KeyError, AttributeError, RecursionError)
"""What pydantic may raise for something that is no type at all, or refers to what is not defined."""


class CannotCarry(Exception):
    """A type that no JSON sent by a model can become a value of; its text says why."""


@dataclass
class CompiledType:
    """The schema and the validator of a type."""

    json_schema: ObjectJsonSchema
    """The JSON schema of the object that the model is to send."""
    outer_key: str | None
    """The key of that object under which the value is, if the value is no object itself."""
    adapter: TypeAdapter[Any]
    """Pydantic's view of the type."""

    lenient: Any = None
    """The type, or JSON text of it: models sometimes send that where the value belongs. Only with an outer key."""

    @cached_property
    def validator(self) -> SchemaValidator:
        """Validates the object that the model sends."""
        if self.outer_key is None:
            return cast(SchemaValidator, self.adapter.validator)
        wrapped: Any = cast(Any, TypedDict)('response_data_typed_dict', {OUTER_KEY: self.lenient})
        return cast(SchemaValidator, TypeAdapter(wrapped).validator)


class ResultJsonSchema(DocumentedJsonSchema):
    """Makes JSON schemas also of types that only a function of their own can validate: they may take anything."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """Return a schema for a type that pydantic has none for.

        Raises:
            PydanticInvalidForJsonSchema: No JSON can be a value of the type.
        """
        return {} if schema['type'] == 'function-plain' else super().handle_invalid_for_json_schema(schema, error_info)


class OutputJsonSchema(ResultJsonSchema, GenerateToolJsonSchema):
    """Makes the JSON schemas that are sent to models."""


def compile_type(output: Any) -> CompiledType:
    """Return the schema and the validator of a type.

    Raises:
        CannotCarry: Pydantic cannot validate the type, or there is no JSON that would be one of its values.
    """
    try:
        # Unions are equal whatever the order of their members, but their schemas are not: hence the text.
        return _compile_once(output, None if isinstance(output, type) else repr(output))
    except TypeError:  # not hashable
        return _compile(output)


@lru_cache(maxsize=512)
def _compile_once(output: Any, text: str | None) -> CompiledType:
    return _compile(output)


def _compile(output: Any) -> CompiledType:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(output)
        if _may_be_object(output):
            schema = OutputJsonSchema().generate(cast(core_schema.CoreSchema, adapter.core_schema))
            try:
                return CompiledType(check_object_json_schema(schema), None, adapter)
            except UserError:  # a root model of something else, for example: wrapped like any other value
                pass
        schema = OutputJsonSchema().generate(_wrapped(adapter))
        return CompiledType(schema, OUTER_KEY, adapter, Union[output, Json[output]])
    except (PydanticUserError, PydanticOmit, SchemaError, *_NOT_A_TYPE) as error:
        reason = str(error).partition('\n')[0] or type(error).__name__
        raise CannotCarry(reason) from error


def _may_be_object(output: Any) -> bool:
    """Return whether the values of a type may be objects, so that their fields can be the arguments of a tool."""
    if not isinstance(output, type):
        return is_typeddict(output)
    form = cast('type[Any]', output)
    return issubclass(form, BaseModel) or is_dataclass(form) or is_typeddict(form) or is_structured_dict(form)


def _wrapped(adapter: TypeAdapter[Any]) -> core_schema.CoreSchema:
    """Return the schema of an object with a value of the type under `OUTER_KEY`."""
    inner = cast(core_schema.CoreSchema, adapter.core_schema)
    definitions: list[core_schema.CoreSchema] = []
    if inner['type'] == 'definitions':
        definitions, inner = inner['definitions'], inner['schema']
    wrapped = core_schema.typed_dict_schema({OUTER_KEY: core_schema.typed_dict_field(inner)})
    return core_schema.definitions_schema(wrapped, definitions) if definitions else wrapped
