"""`TemplateStr`: text with placeholders for the dependencies of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

from ._contracts.run_context import AgentDepsT, RunContext
from ._kit.handlebars import field_names, render
from ._kit.handlebars.check import problems
from ._kit.handlebars.read import TemplateError, read_template
from ._kit.json_types import JsonObject
from ._kit.short import short_repr
from .exceptions import UserError

OPENING = '{{'
"""Text of a spec that contains this is a template."""

# Dependencies without declared fields that a template can still be rendered with.
_WITHOUT_FIELDS = (type(None), str, int, float, Mapping, Sequence)


class TemplateStr(Generic[AgentDepsT]):
    """A Handlebars template over the dependencies of a run, for instructions and descriptions.

    Templates only read fields and call nothing, so that specs from untrusted sources may contain them.
    """

    def __init__(
        self, source: str, *, deps_type: type[object] | None = None, deps_schema: JsonObject | None = None
    ) -> None:
        """Parse a template.

        Args:
            source: The text, for example `'Hello {{user.name}}'`.
            deps_type: The type of the dependencies. If it is known, names of fields are checked now; otherwise fields
                that do not exist are left out when the template is rendered.
            deps_schema: A JSON schema of the dependencies, for the same check.

        Raises:
            UserError: The template cannot be parsed, or names a field that the dependencies do not have.
        """
        self._source = source
        try:
            self._nodes = read_template(source)
        except TemplateError as error:
            raise UserError(f'The template {short_repr(source)} cannot be parsed: {error}') from None
        schema = schema_of(deps_type) if deps_type is not None else deps_schema
        if schema is not None and (unknown := problems(self._nodes, schema)):
            raise UserError(f'The template {short_repr(source)} does not fit the dependencies: {"; ".join(unknown)}.')

    def render(self, deps: object = None) -> str:
        """Return the text with the fields of the dependencies filled in; fields that they do not have are left out.

        Args:
            deps: The dependencies: a dataclass, a model, a mapping, or another object whose class declares fields.

        Raises:
            UserError: The class of the dependencies declares no fields that a template could read, or the text exceeds
                `template_length` or `template_steps` of `stead.bounds`.
        """
        if not isinstance(deps, _WITHOUT_FIELDS) and not field_names(type(deps)):
            raise UserError(
                f'The template {short_repr(self._source)} cannot read dependencies of the type {type(deps).__name__}, which '
                'declares no fields. Use a dataclass, a pydantic model, or a mapping.'
            )
        try:
            return render(self._nodes, deps)
        except TemplateError as error:
            raise UserError(f'The template {short_repr(self._source)} cannot be rendered: {error}.') from None

    def __call__(self, ctx: RunContext[AgentDepsT]) -> str:
        """Return the text with the dependencies of a run filled in."""
        return self.render(ctx.deps)

    async def as_instructions(self, ctx: RunContext[AgentDepsT]) -> str:
        """Return the text with the dependencies of a run filled in.

        A coroutine function, since runs call others in a worker thread, which takes longer than rendering.
        """
        return self.render(ctx.deps)

    def __str__(self) -> str:
        return self._source

    def __repr__(self) -> str:
        return f'TemplateStr({self._source!r})'

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _template, serialization=core_schema.plain_serializer_function_ser_schema(source_of)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> JsonObject:
        return {'type': 'string'}


def source_of(value: object) -> str:
    """Return the text of a template, or plain text as it is.

    Raises:
        PydanticSerializationUnexpectedValue: The value is neither; if it is in a union, pydantic tries another member.
    """
    if isinstance(value, (TemplateStr, str)):
        return str(value)  # type: ignore[reportUnknownArgumentType]
    raise PydanticSerializationUnexpectedValue('no text')


def as_text(value: object) -> TemplateStr[Any] | str:
    """Return text of a spec, as a template if it contains `{{`.

    Raises:
        ValueError: It is not text, or is a template that cannot be parsed.
    """
    if isinstance(value, TemplateStr):
        return value  # type: ignore[reportUnknownVariableType]
    if not isinstance(value, str):
        raise ValueError('input should be text')
    if OPENING not in value:
        return value
    try:
        return TemplateStr(value)
    except UserError as error:
        raise ValueError(str(error)) from None


def _template(value: object) -> TemplateStr[Any]:
    text = as_text(value)
    if isinstance(text, str):
        raise ValueError(f'a template is text with `{OPENING}` in it')
    return text


def schema_of(deps_type: type[object]) -> JsonObject | None:
    """Return the JSON schema of a type of dependencies; `None` for `NoneType`, and for types that have no schema."""
    if deps_type is type(None):
        return None
    try:
        return TypeAdapter(deps_type).json_schema(mode='serialization')
    except Exception:  # any class can be a type of dependencies; without a schema, names of fields are not checked
        return None


__all__ = ('TemplateStr',)
