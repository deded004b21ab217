"""`TemplateStr`: text with places for the dependencies of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.handlebars.check import problems
from .._kit.handlebars.read import TemplateError, read_template
from .._kit.handlebars.render import field_names, render
from ..exceptions import UserError

OPENING = '{{'
"""What makes text of a spec a template."""

_PLAIN = (type(None), str, int, float, Mapping, Sequence)


class TemplateStr(Generic[AgentDepsT]):
    """A Handlebars template over the dependencies of a run, for instructions and descriptions.

    Only fields are read: a template calls nothing, so that specs from elsewhere can hold one.
    """

    def __init__(
        self, source: str, *, deps_type: type[Any] | None = None, deps_schema: dict[str, Any] | None = None
    ) -> None:
        """Read a template.

        Args:
            source: The text, for example `'Hello {{user.name}}'`.
            deps_type: The type of the dependencies, to check the names of fields now rather than miss them later.
            deps_schema: A JSON schema of the dependencies, for the same.

        Raises:
            UserError: The template cannot be understood, or names a field that the dependencies do not have.
        """
        self._source = source
        try:
            self._nodes = read_template(source)
        except TemplateError as error:
            raise UserError(f'The template {source!r} cannot be understood: {error}') from None
        schema = schema_of(deps_type) if deps_type is not None else deps_schema
        if schema is not None and (found := problems(self._nodes, schema)):
            raise UserError(f'The template {source!r} does not fit the dependencies: {"; ".join(found)}.')

    def render(self, deps: Any = None) -> str:
        """Return the text with the fields of dependencies filled in; what they do not have is left out.

        Args:
            deps: The dependencies: a dataclass, a model, a mapping, or another object whose class declares fields.

        Raises:
            UserError: They have no fields that a template could read.
        """
        if not isinstance(deps, _PLAIN) and not field_names(cast(type, type(deps))):
            raise UserError(
                f'The template {self._source!r} cannot read dependencies of the type {type(deps).__name__}, which declares '
                'no fields. Use a dataclass, a pydantic model, or a mapping.'
            )
        return render(self._nodes, deps)

    def __call__(self, ctx: RunContext[AgentDepsT]) -> str:
        """Return the text with the dependencies of a run filled in."""
        return self.render(ctx.deps)

    async def as_instructions(self, ctx: RunContext[AgentDepsT]) -> str:
        """Return what calling it returns; runs need no thread for a coroutine."""
        return self.render(ctx.deps)

    def __str__(self) -> str:
        return self._source

    def __repr__(self) -> str:
        return f'TemplateStr({self._source!r})'

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _template, serialization=core_schema.plain_serializer_function_ser_schema(source_of)
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {'type': 'string'}


def source_of(value: Any) -> str:
    """Return the text of a template, or of text that is none."""
    if isinstance(value, (TemplateStr, str)):
        return str(value)  # type: ignore[reportUnknownArgumentType]
    raise PydanticSerializationUnexpectedValue('no text')  # of a union; another of its members takes the value


def as_text(value: Any) -> TemplateStr[Any] | str:
    """Return text of a spec: a template if it has `{{` in it.

    Raises:
        ValueError: It is not text, or a template that cannot be understood.
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


def _template(value: Any) -> TemplateStr[Any]:
    text = as_text(value)
    if isinstance(text, str):
        raise ValueError(f'a template is text with `{OPENING}` in it')
    return text


def schema_of(deps_type: type[Any]) -> dict[str, Any] | None:
    """Return the JSON schema of a type of dependencies; `None` for none, and for one that has no schema."""
    if deps_type is type(None):
        return None
    try:
        return TypeAdapter(deps_type).json_schema(mode='serialization')
    except Exception:  # not every type has one; then names of fields are not checked
        return None


__all__ = ('TemplateStr',)
