"""The JSON schema and the validator of an output type, built once for each type and shared by all agents."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from functools import cached_property, lru_cache
from typing import Any, Union, cast

import pydantic
from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticOmit, SchemaError, SchemaValidator, core_schema
from typing_extensions import TypedDict, is_typeddict

from .._contracts.tool_definition import ObjectJsonSchema
from .._kit.annotations import TypeForm
from .._kit.json_schema import DocumentedJsonSchema, check_object_json_schema
from .._kit.records import DataRecord
from ..exceptions import UserError
from ..tools import GenerateToolJsonSchema
from ._structured_dict import is_structured_dict

OUTER_KEY = 'response'
"""The key that wraps an output that is not an object: tools and structured output can only carry objects."""

_NOT_A_TYPE = (TypeError, NameError, KeyError, AttributeError, RecursionError)
"""Errors that pydantic lets through for something that is not a type, or that refers to undefined names."""


class UnsupportedOutputType(Exception):
    """An output type that pydantic cannot build from JSON; the message says why."""


@dataclass(repr=False, eq=False)
class CompiledType(DataRecord):
    """The schema and the validator of an output type."""

    json_schema: ObjectJsonSchema
    """The JSON schema of the object that the model is to send."""
    outer_key: str | None
    """The key of that object that holds the value, if the value is not an object itself."""
    adapter: TypeAdapter[object]
    """Pydantic's adapter for the type."""
    lenient: TypeForm = None
    """The type, or a string with its JSON, which some models send in its place. Set only with an outer key."""

    @cached_property
    def validator(self) -> SchemaValidator:
        """Validates the object that the model sends."""
        if self.outer_key is None:
            return cast(SchemaValidator, self.adapter.validator)
        wrapped: TypeForm = cast(TypeForm, TypedDict)('response_data_typed_dict', {OUTER_KEY: self.lenient})
        return cast(SchemaValidator, TypeAdapter(wrapped).validator)


class ResultJsonSchema(DocumentedJsonSchema):
    """Generator of JSON schemas that describes types validated by a function of their own as `{}`, which allows anything."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """Return a schema for a type that pydantic cannot describe.

        Raises:
            PydanticInvalidForJsonSchema: No JSON can be a value of the type.
        """
        return {} if schema['type'] == 'function-plain' else super().handle_invalid_for_json_schema(schema, error_info)


class OutputJsonSchema(ResultJsonSchema, GenerateToolJsonSchema):
    """Generator of the JSON schemas that are sent to models."""


def compile_type(output: TypeForm) -> CompiledType:
    """Return the schema and the validator of a type.

    Raises:
        UnsupportedOutputType: Pydantic cannot validate the type, or not from JSON.
    """
    try:
        # Unions with another order of members are equal, but their schemas are not: so the text is part of the key.
        return _compile_once(output, None if isinstance(output, type) else repr(output))
    except TypeError:  # not hashable
        return _compile(output)


@lru_cache(maxsize=512)
def _compile_once(output: TypeForm, text: str | None) -> CompiledType:
    return _compile(output)


def _compile(output: TypeForm) -> CompiledType:
    try:
        adapter: TypeAdapter[object] = TypeAdapter(output)
        if _may_be_object(output):
            schema = OutputJsonSchema().generate(cast(core_schema.CoreSchema, adapter.core_schema))
            try:
                return CompiledType(check_object_json_schema(schema), None, adapter)
            except UserError:  # such as a root model of a list, which is wrapped like any other value
                pass
        schema = OutputJsonSchema().generate(_wrapped(adapter))
        return CompiledType(schema, OUTER_KEY, adapter, Union[output, pydantic.Json[output]])
    except (PydanticUserError, PydanticOmit, SchemaError, *_NOT_A_TYPE) as error:
        reason = str(error).partition('\n')[0] or type(error).__name__
        raise UnsupportedOutputType(reason) from error


def _may_be_object(output: TypeForm) -> bool:
    """Return whether the values of a type may be objects, so that their fields can be the arguments of a tool."""
    if not isinstance(output, type):
        return False
    cls = cast('type[object]', output)
    return issubclass(cls, BaseModel) or is_dataclass(cls) or is_typeddict(cls) or is_structured_dict(cls)


def _wrapped(adapter: TypeAdapter[object]) -> core_schema.CoreSchema:
    """Return the schema of an object with a value of the type under `OUTER_KEY`."""
    inner = cast(core_schema.CoreSchema, adapter.core_schema)
    definitions: list[core_schema.CoreSchema] = []
    if inner['type'] == 'definitions':
        definitions, inner = inner['definitions'], inner['schema']
    wrapped = core_schema.typed_dict_schema({OUTER_KEY: core_schema.typed_dict_field(inner)})
    return core_schema.definitions_schema(wrapped, definitions) if definitions else wrapped
