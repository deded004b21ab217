"""Builds the JSON schema and the validator of a tool function from its signature and docstring."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, cast, get_args, get_origin

import pydantic
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import InitErrorDetails, SchemaValidator, ValidationError, core_schema
from typing_extensions import NotRequired, TypedDict, is_typeddict

from .._contracts.tool_definition import ObjectJsonSchema, SchemaValidatorProt
from .._kit import unset
from .._kit.annotations import Annotations, TypeForm, is_field_info, without_partial
from .._kit.docstrings import DocstringFormat, parse_docstring
from .._kit.json_types import JsonObject
from .._kit.records import DataRecord
from .._kit.tracebacks import without_traceback
from ..messages import ToolReturn
from ._plain_types import plain_arguments
from ._signature import cannot_make_tool, function_name, read_signature
from ._single import SingleParameterValidator

_Parameter = inspect.Parameter
_KWARGS = '**'
"""The field for the item type of `**kwargs`; no parameter can have this name."""


@dataclass(frozen=True)
class CompiledSchema:
    """The part of a function schema that functions with the same signature share; `FunctionSchema` has the same fields."""

    validator: SchemaValidator | SchemaValidatorProt
    json_schema: ObjectJsonSchema
    single_arg_name: str | None
    positional_fields: tuple[str, ...]
    var_positional_field: str | None
    ctx_name: str | None
    takes_ctx: bool
    description: str | None
    return_schema: ObjectJsonSchema | None
    per_class: bool
    """Whether `Self` in an annotation makes it differ between the classes that a method is bound to."""


@dataclass(repr=False, eq=False)
class SchemaBuilder(DataRecord):
    """Builder of the shared part of one function's schema."""

    function: Callable[..., object]
    name: str
    """The name of the tool, for error messages."""
    schema_generator: type[GenerateJsonSchema]
    takes_ctx: bool | None
    docstring_format: DocstringFormat
    require_parameter_descriptions: bool

    def build(self) -> CompiledSchema:
        """Return the compiled schema of the function.

        Raises:
            UserError: The function has no schema; the message names the parameter and the remedy.
        """
        self.signature = signature = read_signature(self.function, self.name, self.takes_ctx)
        self.parameters, self.hints = signature.parameters, signature.hints
        description, self.descriptions = self.docstring()
        if self.require_parameter_descriptions:
            self.check_descriptions()
        single = self.single_parameter()
        flattened = self.of_single(single) if single else None
        if flattened is not None and single is not None:
            validator, json_schema = flattened
            if description is None and (single.default is _Parameter.empty or is_field_info(single.default)):
                description = json_schema.pop('description', None)
        else:
            single = None
            validator, json_schema = self.of_arguments()
        return CompiledSchema(
            validator=validator,
            json_schema=json_schema,
            single_arg_name=single.name if single else None,
            positional_fields=tuple(p.name for p in self.parameters if self.by_position(p)),
            var_positional_field=next((p.name for p in self.parameters if p.kind is _Parameter.VAR_POSITIONAL), None),
            ctx_name=signature.ctx_name,
            takes_ctx=signature.takes_ctx,
            description=description,
            return_schema=self.return_schema(),
            per_class=signature.per_class,
        )

    def by_position(self, parameter: inspect.Parameter) -> bool:
        if parameter.kind is _Parameter.POSITIONAL_ONLY:
            return True
        if hasattr(self.function, 'dispatch') and hasattr(self.function, 'registry'):
            # `functools.singledispatch` dispatches on the first argument, and only sees it if it is passed by position.
            return not self.signature.takes_ctx and parameter is self.parameters[0]
        # Once `*args` receives anything, the parameters before it can only be passed by position.
        has_var = any(other.kind is _Parameter.VAR_POSITIONAL for other in self.parameters)
        return has_var and parameter.kind is _Parameter.POSITIONAL_OR_KEYWORD

    def docstring(self) -> tuple[str | None, dict[str, str]]:
        target = without_partial(self.function)
        doc = target.__doc__
        plain = inspect.isroutine(target) or inspect.isclass(target)
        if not plain and '__doc__' not in getattr(
            target, '__dict__', {}
        ):  # a callable object without a docstring of its own
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
            raise cannot_make_tool(
                self.name,
                f'parameters {", ".join(missing)} have no description.',
                'Describe them in the docstring, or leave out `require_parameter_descriptions`.',
            )

    def single_parameter(self) -> inspect.Parameter | None:
        """Return the only parameter of the function, if the model can send its fields in its place."""
        if len(self.parameters) != 1 or self.parameters[0].kind in (_Parameter.VAR_KEYWORD, _Parameter.VAR_POSITIONAL):
            return None
        annotation = self.hints.get(self.parameters[0].name)
        origin: object = get_origin(annotation) or annotation
        if not isinstance(origin, type):
            return None
        kind = cast('type[object]', origin)
        flat = issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind) or is_typeddict(kind)
        return self.parameters[0] if flat else None

    def of_single(self, parameter: inspect.Parameter) -> tuple[SchemaValidatorProt, ObjectJsonSchema] | None:
        """Return the validator and JSON schema of a parameter that its fields replace; `None` if it is not an object."""
        fields = {parameter.name: self.hints[parameter.name]}
        documented = _may_have_docstrings(fields[parameter.name])
        schema = self.core_schema(lambda: fields[parameter.name], fields, _documented_schema if documented else None)
        json_schema = self.json_schema(schema, fields)
        body: JsonObject = json_schema
        if isinstance(reference := json_schema.get('$ref'), str):
            body = json_schema.get('$defs', {}).get(reference.rpartition('/')[2], {})
        if body.get('type') != 'object':
            return None
        is_field, is_open = parameter.name in body.get('properties', {}), bool(body.get('additionalProperties'))
        return SingleParameterValidator(self.validator(schema), parameter.name, is_field, is_open), json_schema

    def of_arguments(self) -> tuple[SchemaValidator, ObjectJsonSchema]:
        """Return the validator and the JSON schema of all parameters."""
        if (plain := self.plain_arguments()) is not None:
            return self.of_schema(plain, {})
        fields: Annotations = {}
        optional: set[str] = set()
        for parameter in self.parameters:
            if parameter.kind is _Parameter.VAR_KEYWORD:
                # As the items of a list, the values keep what `Field` says about them.
                fields[_KWARGS] = list[self.hints.get(parameter.name, Any)]
                continue
            fields[parameter.name], required = self.field(parameter)
            if not required:
                optional.add(parameter.name)

        def typed_dict() -> TypeForm:
            items = {name: NotRequired[field] if name in optional else field for name, field in fields.items()}
            arguments: Any = TypedDict('Arguments', items)  # type: ignore[misc]
            if any(map(_may_have_docstrings, fields.values())):
                arguments.__pydantic_config__ = _DOCSTRINGS
                # The source of this class is looked for too. Before Python 3.13 that means to parse its module, so it is
                # said to be in a tiny one, where it is not found; in this one that takes 20 ms.
                arguments.__module__ = unset.__name__
            return arguments

        schema = self.core_schema(typed_dict, fields)
        inner: JsonObject = cast(JsonObject, schema)
        while inner['type'] == 'definitions':
            inner = inner['schema']
        if _KWARGS in fields:
            items = inner['fields'].pop(_KWARGS)['schema']
            inner['extra_behavior'] = 'allow'
            inner['extras_schema'] = items.get('items_schema') or core_schema.any_schema()
            if self.signature.hidden_names:
                schema = core_schema.no_info_after_validator_function(self.reject_hidden_names, schema)
        else:
            inner['extra_behavior'] = (
                'forbid'  # not as configuration of the `TypedDict`: the types of its fields would inherit that
            )
        return self.of_schema(schema, fields)

    def plain_arguments(self) -> core_schema.CoreSchema | None:
        """Return the schema of all parameters without asking pydantic, or `None` if only pydantic knows it."""
        kinds = {parameter.kind for parameter in self.parameters}
        defaults = {each.name: each.default for each in self.parameters if each.default is not _Parameter.empty}
        if {_Parameter.VAR_POSITIONAL, _Parameter.VAR_KEYWORD} & kinds or any(map(is_field_info, defaults.values())):
            return None
        types = {parameter.name: self.hints.get(parameter.name, Any) for parameter in self.parameters}
        plain = plain_arguments(types, defaults, self.descriptions)
        if plain is not None:
            plain['extra_behavior'] = 'forbid'
        return plain

    def of_schema(
        self, schema: core_schema.CoreSchema, fields: Annotations
    ) -> tuple[SchemaValidator, ObjectJsonSchema]:
        json_schema = self.json_schema(schema, fields)
        json_schema.pop('title', None)
        json_schema.setdefault('properties', {})
        if json_schema.get('additionalProperties') == {}:
            json_schema['additionalProperties'] = True
        return self.validator(schema), json_schema

    def field(self, parameter: inspect.Parameter) -> tuple[TypeForm, bool]:
        """Return the annotation of a parameter with its default and description, and whether it is required."""
        annotation: TypeForm = self.hints.get(parameter.name, Any)
        default = parameter.default
        infos = _field_infos(parameter, self.hints)
        if parameter.kind is _Parameter.VAR_POSITIONAL:
            annotation = list[annotation]
        changes: JsonObject = {}
        if not _described(infos) and (text := self.descriptions.get(parameter.name)):
            changes['description'] = text
        try:
            if is_field_info(default):
                annotation = Annotated[annotation, default]
            elif default is not _Parameter.empty:
                changes['default'] = default
            field = Annotated[annotation, pydantic.Field(**changes)] if changes else annotation
        except Exception as error:
            raise cannot_make_tool(
                self.name,
                f'parameter {parameter.name!r} is annotated as {annotation!r}, which is not a type.',
                'Annotate it with a type.',
            ) from error
        return field, 'default' not in changes and all(info.is_required() for info in infos)

    def reject_hidden_names(self, arguments: JsonObject) -> JsonObject:
        """Return the arguments.

        Raises:
            ValidationError: One would be a second value of a parameter that the model does not see.
        """
        if hidden := self.signature.hidden_names & arguments.keys():
            errors = [InitErrorDetails(type='extra_forbidden', loc=(name,), input=arguments[name]) for name in hidden]
            raise ValidationError.from_exception_data(function_name(self.function), errors)
        return arguments

    def validator(self, schema: core_schema.CoreSchema) -> SchemaValidator:
        return SchemaValidator(schema, core_schema.CoreConfig(title=function_name(self.function)))

    def core_schema(
        self,
        annotation: Callable[[], TypeForm],
        fields: Annotations,
        schema_of: Callable[[TypeForm], core_schema.CoreSchema] | None = None,
    ) -> core_schema.CoreSchema:
        try:
            return (schema_of or _core_schema)(annotation())
        except Exception as error:
            raise cannot_make_tool(
                self.name,
                f'pydantic cannot validate {_culprit(fields, _core_schema)} '
                f'({type(error).__name__}: {str(error).splitlines()[0]}).',
                'Use a type that pydantic knows, give yours a `__get_pydantic_core_schema__`, or use `Tool.from_schema`.',
            ) from without_traceback(error)

    def json_schema(self, schema: core_schema.CoreSchema, fields: Annotations) -> ObjectJsonSchema:
        def attempt(annotation: TypeForm) -> None:
            self.schema_generator().generate(_core_schema(annotation), 'validation')

        try:
            return self.schema_generator().generate(schema, 'validation')
        except PydanticUserError as error:
            raise cannot_make_tool(
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
        except Exception:  # a tool may return what JSON schema cannot describe; the model then gets no return schema
            return {}


_RETURNS: dict[type[object], ObjectJsonSchema] = {
    str: {'type': 'string'},
    int: {'type': 'integer'},
    float: {'type': 'number'},
    bool: {'type': 'boolean'},
    type(None): {'type': 'null'},
}


_DOCSTRINGS = ConfigDict(use_attribute_docstrings=True)
"""Texts below the fields of a class become their descriptions. Dataclasses and `TypedDict`s inherit it from what holds them."""


def _may_have_docstrings(annotation: TypeForm) -> bool:
    """Return whether an annotation holds a class whose source has to be read for texts below its fields; models do so alone."""
    origin: object = get_origin(annotation) or annotation
    if isinstance(origin, type):
        kind = cast('type[object]', origin)
        if dataclasses.is_dataclass(kind) or is_typeddict(kind):
            return True
    return any(map(_may_have_docstrings, get_args(annotation)))


def _documented_schema(annotation: TypeForm) -> core_schema.CoreSchema:
    """Return the core schema of a type, with the texts below its fields; only what holds a type passes them on to it."""
    schema = cast(Any, TypeAdapter(list[annotation], config=_DOCSTRINGS).core_schema)
    if schema['type'] != 'definitions':
        return schema['items_schema']
    return cast(core_schema.CoreSchema, {**schema, 'schema': schema['schema']['items_schema']})


def _core_schema(annotation: TypeForm) -> core_schema.CoreSchema:
    schema = cast(core_schema.CoreSchema, TypeAdapter(annotation).core_schema)
    # A model that is built on first use has a mapping in its place, which builds the schema when it is read.
    return schema if type(schema) is dict else cast(core_schema.CoreSchema, dict(schema))


def _culprit(fields: Annotations, attempt: Callable[[TypeForm], object]) -> str:
    """Describe the parameter whose annotation fails on its own, or all of them if none does."""
    for name, annotation in fields.items():
        try:
            attempt(annotation)
        except Exception:
            shown = get_args(annotation)[0] if name == _KWARGS or get_origin(annotation) is Annotated else annotation
            return f'parameter {name!r} of type {shown!r}'
    return f'its parameters {", ".join(fields)} together'


def _field_infos(parameter: inspect.Parameter, hints: Annotations) -> list[pydantic.fields.FieldInfo]:
    """Return the `Field`s of a parameter: its default, and those in its annotation."""
    candidates = (parameter.default, *getattr(hints.get(parameter.name), '__metadata__', ()))
    return [item for item in candidates if is_field_info(item)]


def _described(infos: list[pydantic.fields.FieldInfo]) -> bool:
    return any(info.description for info in infos)
