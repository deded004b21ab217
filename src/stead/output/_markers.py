"""Markers that say how an output is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from .._contracts.output import OutputDataT, OutputTypeOrFunction, TextOutputFunc
from .._contracts.tool_definition import ObjectJsonSchema
from .._kit.json_schema import InlineDefsJsonSchemaTransformer, check_object_json_schema
from ..exceptions import UserError


@dataclass(init=False)
class ToolOutput(Generic[OutputDataT]):
    """Ask for an output by a tool, whatever the model could do otherwise."""

    output: OutputTypeOrFunction[OutputDataT]
    """The type, or the output function."""
    name: str | None
    """The name of the tool."""
    description: str | None
    """What it is for, for the model."""
    max_retries: int | None
    """How often the model may try again; the agent's output retries if `None`."""
    strict: bool | None
    """Whether the vendor enforces the schema."""

    def __init__(
        self,
        type_: OutputTypeOrFunction[OutputDataT],
        *,
        name: str | None = None,
        description: str | None = None,
        max_retries: int | None = None,
        strict: bool | None = None,
    ) -> None:
        self.output = type_
        self.name = name
        self.description = description
        self.max_retries = max_retries
        self.strict = strict


@dataclass(init=False)
class NativeOutput(Generic[OutputDataT]):
    """Ask for an output by the provider's own structured output."""

    outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]]
    """The types, or output functions."""
    name: str | None
    """The name of the schema."""
    description: str | None
    """What it is, for the model."""
    strict: bool | None
    """Whether the vendor enforces the schema."""
    template: str | Literal[False] | None
    """A prompt that repeats the schema, for models that need it; `{schema}` is replaced. `False` for none."""

    def __init__(
        self,
        outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
        template: str | Literal[False] | None = None,
    ) -> None:
        self.outputs = outputs
        self.name = name
        self.description = description
        self.strict = strict
        self.template = template


@dataclass(init=False)
class PromptedOutput(Generic[OutputDataT]):
    """Ask for an output by a prompt that shows the schema."""

    outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]]
    """The types, or output functions."""
    name: str | None
    """The name of the schema."""
    description: str | None
    """What it is, for the model."""
    template: str | Literal[False] | None
    """The prompt; `{schema}` is replaced. `False` for none: then say it in the instructions of the agent."""

    def __init__(
        self,
        outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]],
        *,
        name: str | None = None,
        description: str | None = None,
        template: str | Literal[False] | None = None,
    ) -> None:
        self.outputs = outputs
        self.name = name
        self.description = description
        self.template = template


@dataclass
class TextOutput(Generic[OutputDataT]):
    """Make an output of the text of the model."""

    output_function: TextOutputFunc[OutputDataT]
    """The function; it takes the text, and the run context before it if it wants."""


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
