"""How the schema of a function is built: from its signature and docstring to a JSON schema and a validator."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel, Field, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import InitErrorDetails, SchemaValidator, ValidationError, core_schema
from typing_extensions import NotRequired, TypedDict, is_typeddict

from .._contracts.tool_definition import ObjectJsonSchema, SchemaValidatorProt
from .._kit.docstrings import DocstringFormat, parse_docstring
from ..messages import ToolReturn
from ._signature import cannot_make, function_name, read_signature
from ._single import SingleParameterValidator

_Kind = inspect.Parameter
_KWARGS = '**'  # the item type of `**kwargs` stands here among the fields, where no parameter can be


@dataclass(frozen=True)
class CompiledSchema:
    """The part of a function schema that functions with the same signature share."""

    validator: SchemaValidator | SchemaValidatorProt
    json_schema: ObjectJsonSchema
    single_arg_name: str | None
    positional_fields: tuple[str, ...]
    var_positional_field: str | None
    ctx_name: str | None
    takes_ctx: bool
    description: str | None
    return_schema: ObjectJsonSchema | None


@dataclass
class SchemaBuilder:
    """Builds the shared part of a function schema."""

    function: Callable[..., Any]
    name: str
    schema_generator: type[GenerateJsonSchema]
    takes_ctx: bool | None
    docstring_format: DocstringFormat
    require_parameter_descriptions: bool

    def build(self) -> CompiledSchema:
        """Return what is known about the function.

        Raises:
            UserError: No schema can be made.
        """
        self.signature = signature = read_signature(self.function, self.name, self.takes_ctx)
        self.parameters, self.hints = signature.parameters, signature.hints
        description, self.descriptions = self.docstring()
        if self.require_parameter_descriptions:
            self.check_descriptions()
        single = self.single_parameter()
        made = self.of_single(single) if single else None
        if made is not None and single is not None:
            validator, json_schema = made
            if description is None and (single.default is _Kind.empty or isinstance(single.default, FieldInfo)):
                description = json_schema.pop('description', None)
        else:
            single = None
            validator, json_schema = self.of_arguments()
        return CompiledSchema(
            validator=validator,
            json_schema=json_schema,
            single_arg_name=single.name if single else None,
            positional_fields=tuple(p.name for p in self.parameters if self.by_position(p)),
            var_positional_field=next((p.name for p in self.parameters if p.kind is _Kind.VAR_POSITIONAL), None),
            ctx_name=signature.ctx_name,
            takes_ctx=signature.takes_ctx,
            description=description,
            return_schema=self.return_schema(),
        )

    def by_position(self, parameter: inspect.Parameter) -> bool:
        if parameter.kind is _Kind.POSITIONAL_ONLY:
            return True
        if hasattr(self.function, 'dispatch') and hasattr(self.function, 'registry'):
            # `functools.singledispatch` looks at the class of the first argument, and only if it is passed by position.
            return not self.signature.takes_ctx and parameter is self.parameters[0]
        # What stands before `*args` can only be passed by position once `*args` takes anything.
        has_var = any(other.kind is _Kind.VAR_POSITIONAL for other in self.parameters)
        return has_var and parameter.kind is _Kind.POSITIONAL_OR_KEYWORD

    def docstring(self) -> tuple[str | None, dict[str, str]]:
        target: Any = self.function
        while isinstance(target, partial):
            target = cast(Any, target).func
        doc = target.__doc__
        plain = inspect.isroutine(target) or inspect.isclass(target)
        if not plain and '__doc__' not in getattr(target, '__dict__', {}):  # a callable object without one of its own
            doc = type(target).__call__.__doc__ or doc
        if not isinstance(doc, str):
            return None, {}
        return parse_docstring(doc, self.docstring_format)

    def check_descriptions(self) -> None:
        missing = [
            parameter.name
            for parameter in self.parameters
            if not self.descriptions.get(parameter.name) and not _described(_field_infos(parameter, self.hints))
        ]
        if missing:
            raise cannot_make(
                self.name,
                f'parameters {", ".join(missing)} have no description.',
                'Describe them in the docstring, or leave out `require_parameter_descriptions`.',
            )

    def single_parameter(self) -> inspect.Parameter | None:
        """Return the one parameter whose fields may stand in for it, if the function is of that kind."""
        if len(self.parameters) != 1 or self.parameters[0].kind in (_Kind.VAR_KEYWORD, _Kind.VAR_POSITIONAL):
            return None
        annotation = self.hints.get(self.parameters[0].name)
        origin: Any = get_origin(annotation) or annotation
        if not isinstance(origin, type):
            return None
        kind = cast(Any, origin)
        flat = issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind) or is_typeddict(kind)
        return self.parameters[0] if flat else None

    def of_single(self, parameter: inspect.Parameter) -> tuple[SchemaValidatorProt, ObjectJsonSchema] | None:
        """Return the validator and JSON schema of a parameter whose fields stand in for it; `None` if it has none."""
        fields = {parameter.name: self.hints[parameter.name]}
        schema = self.core_schema(lambda: fields[parameter.name], fields)
        json_schema = self.json_schema(schema, fields)
        body: dict[str, Any] = json_schema
        if isinstance(reference := json_schema.get('$ref'), str):
            body = json_schema.get('$defs', {}).get(reference.rpartition('/')[2], {})
        if body.get('type') != 'object':
            return None
        is_field, is_open = parameter.name in body.get('properties', {}), bool(body.get('additionalProperties'))
        return SingleParameterValidator(self.validator(schema), parameter.name, is_field, is_open), json_schema

    def of_arguments(self) -> tuple[SchemaValidator, ObjectJsonSchema]:
        """Return the validator and the JSON schema of all parameters."""
        fields: dict[str, Any] = {}
        optional: set[str] = set()
        for parameter in self.parameters:
            if parameter.kind is _Kind.VAR_KEYWORD:
                # A list keeps what `Field` says about its items beside them.
                fields[_KWARGS] = list[self.hints.get(parameter.name, Any)]
                continue
            fields[parameter.name], required = self.field(parameter)
            if not required:
                optional.add(parameter.name)

        def form() -> Any:
            items = {name: NotRequired[field] if name in optional else field for name, field in fields.items()}
            return TypedDict('Arguments', items)  # type: ignore[misc]

        schema = self.core_schema(form, fields)
        inner: Any = schema
        while inner['type'] == 'definitions':
            inner = inner['schema']
        if _KWARGS in fields:
            items = inner['fields'].pop(_KWARGS)['schema']
            inner['extra_behavior'] = 'allow'
            inner['extras_schema'] = items.get('items_schema') or core_schema.any_schema()
            if self.signature.taken:
                schema = core_schema.no_info_after_validator_function(self.without_taken, schema)
        else:
            inner['extra_behavior'] = 'forbid'  # not as configuration of the form: types inside would inherit that
        json_schema = self.json_schema(schema, fields)
        json_schema.pop('title', None)
        json_schema.setdefault('properties', {})
        if json_schema.get('additionalProperties') == {}:
            json_schema['additionalProperties'] = True
        return self.validator(schema), json_schema

    def field(self, parameter: inspect.Parameter) -> tuple[Any, bool]:
        """Return the annotation of a parameter with its default and description, and whether it is required."""
        annotation: Any = self.hints.get(parameter.name, Any)
        default = parameter.default
        infos = _field_infos(parameter, self.hints)
        if parameter.kind is _Kind.VAR_POSITIONAL:
            annotation = list[annotation]
        changes: dict[str, Any] = {}
        if not _described(infos) and (text := self.descriptions.get(parameter.name)):
            changes['description'] = text
        try:
            if isinstance(default, FieldInfo):
                annotation = Annotated[annotation, default]
            elif default is not _Kind.empty:
                changes['default'] = default
            field = Annotated[annotation, Field(**changes)] if changes else annotation
        except Exception as error:
            raise cannot_make(
                self.name,
                f'parameter {parameter.name!r} is annotated as {annotation!r}, which is not a type.',
                'Annotate it with a type.',
            ) from error
        return field, 'default' not in changes and all(info.is_required() for info in infos)

    def without_taken(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Refuse what would be a second value of a parameter that the model does not see."""
        if taken := self.signature.taken & arguments.keys():
            errors = [InitErrorDetails(type='extra_forbidden', loc=(name,), input=arguments[name]) for name in taken]
            raise ValidationError.from_exception_data(function_name(self.function), errors)
        return arguments

    def validator(self, schema: core_schema.CoreSchema) -> SchemaValidator:
        return SchemaValidator(schema, core_schema.CoreConfig(title=function_name(self.function)))

    def core_schema(self, form: Callable[[], Any], fields: dict[str, Any]) -> core_schema.CoreSchema:
        try:
            return _core_schema(form())
        except Exception as error:
            raise cannot_make(
                self.name,
                f'pydantic cannot validate {_culprit(fields, _core_schema)} '
                f'({type(error).__name__}: {str(error).splitlines()[0]}).',
                'Use a type that pydantic knows, give yours a `__get_pydantic_core_schema__`, or use `Tool.from_schema`.',
            ) from error

    def json_schema(self, schema: core_schema.CoreSchema, fields: dict[str, Any]) -> ObjectJsonSchema:
        def attempt(annotation: Any) -> None:
            self.schema_generator().generate(_core_schema(annotation), 'validation')

        try:
            return self.schema_generator().generate(schema, 'validation')
        except PydanticUserError as error:
            raise cannot_make(
                self.name,
                f'there is no JSON schema for {_culprit(fields, attempt)} ({str(error).splitlines()[0]}).',
                'Use types that JSON can hold, or use `Tool.from_schema`.',
            ) from error

    def return_schema(self) -> ObjectJsonSchema:
        annotation = self.hints.get('return', Any)
        if get_origin(annotation) is ToolReturn:
            annotation = get_args(annotation)[0]
        if annotation is Any or annotation is ToolReturn:
            return {}
        if isinstance(annotation, type) and annotation in _RETURNS:
            return dict(_RETURNS[annotation])
        try:
            return self.schema_generator().generate(_core_schema(annotation), 'serialization')
        except Exception:  # a tool may return what JSON schema cannot describe; the model is then told nothing
            return {}


_RETURNS: dict[Any, ObjectJsonSchema] = {
    str: {'type': 'string'},
    int: {'type': 'integer'},
    float: {'type': 'number'},
    bool: {'type': 'boolean'},
    type(None): {'type': 'null'},
}


def _core_schema(form: Any) -> core_schema.CoreSchema:
    schema = cast(core_schema.CoreSchema, TypeAdapter(form).core_schema)
    # Models that are built on first use have something else, which is built when it is read.
    return schema if type(schema) is dict else cast(core_schema.CoreSchema, dict(schema))


def _culprit(fields: dict[str, Any], attempt: Callable[[Any], Any]) -> str:
    """Return which parameter it is that fails."""
    for name, annotation in fields.items():
        try:
            attempt(annotation)
        except Exception:
            shown = get_args(annotation)[0] if name == _KWARGS or get_origin(annotation) is Annotated else annotation
            return f'parameter {name!r} of type {shown!r}'
    return f'its parameters {", ".join(fields)} together'


def _field_infos(parameter: inspect.Parameter, hints: dict[str, Any]) -> list[FieldInfo]:
    """Return what `Field` says about a parameter, in its annotation or as its default."""
    given = (parameter.default, *getattr(hints.get(parameter.name), '__metadata__', ()))
    return [item for item in given if isinstance(item, FieldInfo)]


def _described(infos: list[FieldInfo]) -> bool:
    return any(info.description for info in infos)
