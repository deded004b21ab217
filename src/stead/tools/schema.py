"""From a function to a schema: what the model is told about its parameters, and how arguments are validated."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from types import UnionType
from typing import Annotated, Any, Generic, Union, cast, get_args, get_origin
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import NotRequired, TypedDict, is_typeddict

from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ObjectJsonSchema
from .._contracts.toolset import SchemaValidatorProt
from .._kit.aio import is_async_callable, run_in_executor
from .._kit.docstrings import DocstringFormat, parse_docstring
from ..exceptions import UserError
from ..messages import ToolReturn
from .types import ToolAgentDepsT

_KWARGS = '**kwargs'  # stands for the item type of `**kwargs` among the fields while the schema is built


class GenerateToolJsonSchema(GenerateJsonSchema):
    """Makes JSON schemas for tools: as pydantic does, without the titles that it makes of the names of fields."""

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        """Return the JSON schema of a `TypedDict`."""
        return _without_titles(super().typed_dict_schema(schema))

    def model_fields_schema(self, schema: core_schema.ModelFieldsSchema) -> JsonSchemaValue:
        """Return the JSON schema of the fields of a model."""
        return _without_titles(super().model_fields_schema(schema))

    def dataclass_args_schema(self, schema: core_schema.DataclassArgsSchema) -> JsonSchemaValue:
        """Return the JSON schema of the fields of a dataclass."""
        return _without_titles(super().dataclass_args_schema(schema))


def _without_titles(schema: JsonSchemaValue) -> JsonSchemaValue:
    for item in schema.get('properties', {}).values():
        item.pop('title', None)
    return schema


@dataclass(kw_only=True)
class FunctionSchema(Generic[ToolAgentDepsT]):
    """What is known about a function that is called by a model."""

    function: Callable[..., Any]
    """The function."""
    description: str | None
    """What it does, from its docstring."""
    validator: SchemaValidator | SchemaValidatorProt
    """Validates the arguments."""
    json_schema: ObjectJsonSchema
    """The JSON schema of the arguments."""
    takes_ctx: bool
    """Whether it takes the run context as its first argument."""
    is_async: bool
    """Whether it is async."""
    single_arg_name: str | None = None
    """Its one parameter, if the fields of that parameter stand in for it."""
    positional_fields: list[str] = field(default_factory=lambda: [])
    """Parameters that are passed by position."""
    var_positional_field: str | None = None
    """The parameter that takes any number of arguments by position."""
    ctx_name: str | None = None
    """The parameter that takes the run context, if it can only be passed by name."""
    return_schema: ObjectJsonSchema | None = None
    """The JSON schema of what it returns."""

    async def call(self, args_dict: dict[str, Any], ctx: RunContext[Any]) -> Any:
        """Call the function; sync functions run in a worker thread.

        Args:
            args_dict: Validated arguments.
            ctx: The run context.

        Returns:
            What the function returns; what it raises passes through.
        """
        args: list[Any] = []
        if self.takes_ctx:
            if self.ctx_name is None:
                args.append(ctx)
            else:
                args_dict = {**args_dict, self.ctx_name: ctx}
        if self.positional_fields or self.var_positional_field:
            args_dict = dict(args_dict)
            for name in self.positional_fields:
                args.append(args_dict.pop(name))
            if self.var_positional_field:
                args.extend(args_dict.pop(self.var_positional_field, ()))
        if self.is_async:
            return await cast(Awaitable[Any], self.function(*args, **args_dict))
        return await run_in_executor(self.function, *args, **args_dict)


@dataclass(frozen=True)
class _Compiled:
    """The part of a function schema that functions with the same signature share."""

    validator: SchemaValidator
    json_schema: ObjectJsonSchema
    single_arg_name: str | None
    positional_fields: tuple[str, ...]
    var_positional_field: str | None
    ctx_name: str | None
    takes_ctx: bool
    description: str | None
    return_schema: ObjectJsonSchema | None


# By function object, for agents that share tools; and by signature, for closures of one piece of code.
_by_function: WeakKeyDictionary[Any, dict[Any, _Compiled]] = WeakKeyDictionary()
_by_signature: dict[Any, _Compiled] = {}
_SIGNATURES_KEPT = 1024


def function_schema(
    function: Callable[..., Any],
    schema_generator: type[GenerateJsonSchema] = GenerateToolJsonSchema,
    *,
    tool_name: str | None = None,
    takes_ctx: bool | None = None,
    docstring_format: DocstringFormat = 'auto',
    require_parameter_descriptions: bool = False,
) -> FunctionSchema[Any]:
    """Return the schema of a function.

    Args:
        function: A function, method, partial or callable object.
        schema_generator: Makes the JSON schema.
        tool_name: The name of the tool, for error messages.
        takes_ctx: Whether the first parameter takes the run context; told by its annotation if `None`.
        docstring_format: The style of the docstring.
        require_parameter_descriptions: Whether every parameter must be described.

    Raises:
        UserError: No schema can be made; the message names the function, the parameter and the remedy.
    """
    key = (schema_generator, takes_ctx, docstring_format, require_parameter_descriptions)
    bound = inspect.ismethod(function)  # all bound methods of one function have the same schema
    owner: Any = function.__func__ if bound else function
    kept = inspect.isfunction(owner)
    compiled = _by_function.get(owner, {}).get((bound, key)) if kept else None
    if compiled is None:
        compiled = _compile(function, key, tool_name or _name(function))
        if kept:
            _by_function.setdefault(owner, {})[bound, key] = compiled
    return FunctionSchema(
        function=function,
        description=compiled.description,
        validator=compiled.validator,
        json_schema=compiled.json_schema,
        takes_ctx=compiled.takes_ctx,
        is_async=is_async_callable(function),
        single_arg_name=compiled.single_arg_name,
        positional_fields=list(compiled.positional_fields),
        var_positional_field=compiled.var_positional_field,
        ctx_name=compiled.ctx_name,
        return_schema=compiled.return_schema,
    )


def _name(function: Any) -> str:
    return getattr(function, '__name__', None) or type(function).__name__


def _compile(function: Callable[..., Any], key: Any, name: str) -> _Compiled:
    signature_key = _signature_key(function, key)
    if signature_key is not None and (known := _by_signature.get(signature_key)) is not None:
        return known
    compiled = _Builder(function, name, *key).build()
    if signature_key is not None:
        if len(_by_signature) >= _SIGNATURES_KEPT:
            _by_signature.pop(next(iter(_by_signature)))
        _by_signature[signature_key] = compiled
    return compiled


_SIMPLE = (int, float, str, bool, type(None))


def _signature_key(function: Any, key: Any) -> Any:
    """Return what tells functions of the same signature from others, or `None` if that cannot be told cheaply.

    Closures share their code object, but may differ in annotations and defaults, which are made when they are
    defined; so these are part of the key, and only those that are equal only when they are the same are allowed.
    """
    if not inspect.isfunction(function) or hasattr(function, '__wrapped__') or '__signature__' in function.__dict__:
        return None
    annotations = tuple(function.__annotations__.items())
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(isinstance(value, (type, str)) for _, value in annotations) or (
        function.__closure__ and any(isinstance(value, str) for _, value in annotations)
    ):
        return None
    if not all(type(value) in _SIMPLE for value in defaults):
        return None
    typed_defaults = tuple((type(value), value) for value in defaults)  # type: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return function.__code__, function.__module__, annotations, typed_defaults, function.__doc__, key


@dataclass
class _Builder:
    """Builds the shared part of a function schema."""

    function: Callable[..., Any]
    name: str
    schema_generator: type[GenerateJsonSchema]
    takes_ctx: bool | None
    docstring_format: DocstringFormat
    require_parameter_descriptions: bool

    def error(self, problem: str, remedy: str) -> UserError:
        return UserError(f'Cannot make a tool of {self.name!r}: {problem} {remedy}')

    def build(self) -> _Compiled:
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError) as error:
            raise self.error(
                f'its signature is unknown ({error}).', 'Wrap it in a function of your own, or use `Tool.from_schema`.'
            ) from error
        hints = self.hints()
        parameters = list(signature.parameters.values())
        takes_ctx, ctx_name, parameters = self.split_context(parameters, hints)
        description, descriptions = self.docstring()
        self.check_descriptions(parameters, descriptions, hints)
        single = self.single_parameter(parameters, hints)
        schema = self.single_schema(single, hints) if single else self.arguments_schema(parameters, hints, descriptions)
        json_schema = self.json_schema(schema)
        if single is None:
            json_schema.pop('title', None)
        elif description is None and not (single.default is not inspect.Parameter.empty):
            description = json_schema.pop('description', None)
        kinds = inspect.Parameter
        return _Compiled(
            validator=SchemaValidator(schema),
            json_schema=json_schema,
            single_arg_name=single.name if single else None,
            positional_fields=tuple(p.name for p in parameters if self.by_position(p, parameters)),
            var_positional_field=next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), None),
            ctx_name=ctx_name,
            takes_ctx=takes_ctx,
            description=description,
            return_schema=self.return_schema(hints),
        )

    @staticmethod
    def by_position(parameter: inspect.Parameter, parameters: list[inspect.Parameter]) -> bool:
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            return True
        # What stands before `*args` can only be passed by position once `*args` takes anything.
        has_var = any(other.kind is inspect.Parameter.VAR_POSITIONAL for other in parameters)
        return has_var and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD

    def hints(self) -> dict[str, Any]:
        target: Any = self.function
        while isinstance(target, partial):
            target = cast(Any, target).func
        if not inspect.isroutine(target):
            target = type(target).__call__
        target = inspect.unwrap(target)
        target = getattr(target, '__func__', target)
        own: dict[str, Any] = getattr(target, '__annotations__', {})
        if all(isinstance(value, type) for value in own.values()):  # nothing to resolve
            return own
        try:
            return typing.get_type_hints(target, include_extras=True, localns=closure_names(target))
        except NameError as error:
            missing = getattr(error, 'name', None)
            culprit = next(
                (key for key, value in own.items() if isinstance(value, str) and missing and missing in value), None
            )
            where = f'the annotation of parameter {culprit!r}' if culprit not in (None, 'return') else 'an annotation'
            raise self.error(
                f'{where} uses the name {missing!r}, which is not defined in module {target.__module__!r}.',
                'Define or import it at module level (not only under `TYPE_CHECKING`).',
            ) from error

    def split_context(
        self, parameters: list[inspect.Parameter], hints: dict[str, Any]
    ) -> tuple[bool, str | None, list[inspect.Parameter]]:
        """Return whether the first parameter takes the run context, its name if it must be named, and the others."""
        first = parameters[0] if parameters else None
        annotated = first is not None and is_run_context(hints.get(first.name))
        takes_ctx = annotated if self.takes_ctx is None else self.takes_ctx
        if takes_ctx and first is not None and first.name in hints and not annotated:
            raise self.error(
                f'it is registered as a tool that takes the run context, but its first parameter {first.name!r} is '
                f'annotated as {hints[first.name]!r}.',
                'Annotate it as `RunContext[...]`, or register the function with `tool_plain`.',
            )
        rest = parameters[1:] if takes_ctx else parameters
        for parameter in rest:
            if is_run_context(hints.get(parameter.name)):
                if takes_ctx or self.takes_ctx is None:
                    remedy = 'The run context must be the first parameter, and the only one of its kind.'
                else:
                    remedy = 'Register the function with `tool` rather than `tool_plain`.'
                raise self.error(f'parameter {parameter.name!r} is annotated as a run context.', remedy)
        keyword_only = takes_ctx and first is not None and first.kind is inspect.Parameter.KEYWORD_ONLY
        return takes_ctx, first.name if first is not None and keyword_only else None, rest

    def docstring(self) -> tuple[str | None, dict[str, str]]:
        doc = self.function.__doc__
        if isinstance(self.function, partial):
            doc = cast(Any, self.function).func.__doc__  # type: ignore[reportUnknownMemberType]
        elif not inspect.isroutine(self.function):
            doc = type(self.function).__call__.__doc__ or doc
        if not isinstance(doc, str):
            return None, {}
        return parse_docstring(doc, self.docstring_format)

    def check_descriptions(
        self, parameters: list[inspect.Parameter], descriptions: dict[str, str], hints: dict[str, Any]
    ) -> None:
        if not self.require_parameter_descriptions:
            return
        missing = [p.name for p in parameters if not descriptions.get(p.name) and not _field(p, hints).description]
        if missing:
            raise self.error(
                f'parameters {", ".join(missing)} have no description.',
                'Describe them in the docstring, or leave out `require_parameter_descriptions`.',
            )

    @staticmethod
    def single_parameter(parameters: list[inspect.Parameter], hints: dict[str, Any]) -> inspect.Parameter | None:
        """Return the one parameter whose fields are to stand in for it, if the function is of that kind."""
        if len(parameters) != 1 or parameters[0].kind in (
            inspect.Parameter.VAR_KEYWORD,
            inspect.Parameter.VAR_POSITIONAL,
        ):
            return None
        annotation = hints.get(parameters[0].name)
        origin = get_origin(annotation) or annotation
        if not isinstance(origin, type):
            return None
        if issubclass(origin, BaseModel) or dataclasses.is_dataclass(origin) or is_typeddict(origin):  # type: ignore[reportUnknownArgumentType]
            return parameters[0]
        return None

    def single_schema(self, parameter: inspect.Parameter, hints: dict[str, Any]) -> core_schema.CoreSchema:
        schema = self.core_schema(hints[parameter.name], parameter.name)
        name = parameter.name
        return core_schema.no_info_after_validator_function(lambda value: {name: value}, schema)

    def arguments_schema(
        self, parameters: list[inspect.Parameter], hints: dict[str, Any], descriptions: dict[str, str]
    ) -> core_schema.CoreSchema:
        fields: dict[str, Any] = {}
        for parameter in parameters:
            annotation: Any = hints.get(parameter.name, Any)
            info = _field(parameter, hints)
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                fields[_KWARGS] = annotation
                continue
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                annotation = list[annotation]
            changes: dict[str, Any] = {}
            if not info.description and (text := descriptions.get(parameter.name)):
                changes['description'] = text
            default = parameter.default
            if isinstance(default, FieldInfo):
                annotation = Annotated[annotation, default]
            elif default is not inspect.Parameter.empty:
                changes['default'] = default
            if changes:
                annotation = Annotated[annotation, Field(**changes)]
            required = info.is_required() and default is inspect.Parameter.empty
            fields[parameter.name] = annotation if required else NotRequired[annotation]
        form: Any = TypedDict(self.name, fields)  # type: ignore[misc]
        form.__pydantic_config__ = ConfigDict(title=self.name, extra='forbid', arbitrary_types_allowed=False)
        schema = self.core_schema(form, None)
        inner: Any = schema
        while inner['type'] == 'definitions':
            inner = inner['schema']
        if _KWARGS in fields:
            item = inner['fields'].pop(_KWARGS)['schema']
            inner['extra_behavior'] = 'allow'
            inner['extras_schema'] = item
        return schema

    def core_schema(self, form: Any, parameter: str | None) -> core_schema.CoreSchema:
        try:
            return cast(core_schema.CoreSchema, TypeAdapter(form).core_schema)
        except (
            PydanticSchemaGenerationError,
            PydanticUndefinedAnnotation,
            PydanticUserError,
            NameError,
            TypeError,
        ) as error:
            where, annotation = self.culprit(form, parameter)
            raise self.error(
                f'pydantic cannot validate {where}{annotation} ({type(error).__name__}: {str(error).splitlines()[0]}).',
                'Use a type that pydantic knows, give yours a `__get_pydantic_core_schema__`, or use `Tool.from_schema`.',
            ) from error

    def culprit(self, form: Any, parameter: str | None) -> tuple[str, str]:
        """Return which parameter it is that has no schema."""
        if parameter is not None:
            return f'parameter {parameter!r}', f' of type {form!r}'
        for name, annotation in typing.get_type_hints(form, include_extras=False).items():
            try:
                TypeAdapter(annotation)
            except Exception:
                return f'parameter {name!r}', f' of type {annotation!r}'
        return 'its parameters', ''

    def json_schema(self, schema: core_schema.CoreSchema) -> ObjectJsonSchema:
        try:
            made = self.schema_generator().generate(schema, 'validation')
        except PydanticUserError as error:
            raise self.error(
                f'there is no JSON schema for its parameters ({str(error).splitlines()[0]}).',
                'Use types that JSON can hold, or use `Tool.from_schema`.',
            ) from error
        inner: Any = schema
        while inner['type'] == 'definitions':
            inner = inner['schema']
        if inner.get('extras_schema') is not None and made.get('additionalProperties') in (True, None):
            extra = self.schema_generator().generate(inner['extras_schema'], 'validation')
            extra.pop('title', None)
            made['additionalProperties'] = extra or True
        if made.get('type') == 'object':
            made.setdefault('properties', {})
        return made

    def return_schema(self, hints: dict[str, Any]) -> ObjectJsonSchema:
        if 'return' not in hints:
            return {}
        annotation = type(None) if hints['return'] is None else hints['return']
        if get_origin(annotation) is ToolReturn:
            annotation = get_args(annotation)[0]
        if annotation in (Any, ToolReturn, inspect.Signature.empty):
            return {}
        if annotation in _RETURNS:
            return dict(_RETURNS[annotation])
        try:
            schema = cast(core_schema.CoreSchema, TypeAdapter(annotation).core_schema)
            return self.schema_generator().generate(schema, 'serialization')
        except Exception:  # a tool may return what JSON schema cannot describe; the model is then told nothing
            return {}


_RETURNS: dict[Any, ObjectJsonSchema] = {
    str: {'type': 'string'},
    int: {'type': 'integer'},
    float: {'type': 'number'},
    bool: {'type': 'boolean'},
    type(None): {'type': 'null'},
}


def _field(parameter: inspect.Parameter, hints: dict[str, Any]) -> FieldInfo:
    """Return what `Field` says about a parameter, in its annotation or as its default."""
    if isinstance(parameter.default, FieldInfo):
        return parameter.default
    for extra in getattr(hints.get(parameter.name), '__metadata__', ()):
        if isinstance(extra, FieldInfo):
            return extra
    return FieldInfo()


def closure_names(function: Any) -> dict[str, Any]:
    """Return the names that a function refers to from the functions around it; annotations may use them too."""
    names: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return names


def is_run_context(annotation: Any) -> bool:
    """Return whether an annotation is of a run context: plain, subscripted, subclassed, optional or annotated."""
    if annotation is None:
        return False
    if isinstance(annotation, type):
        return issubclass(annotation, RunContext)
    origin = get_origin(annotation)
    if origin is Annotated:
        return is_run_context(get_args(annotation)[0])
    if origin in (Union, UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
        return len(members) == 1 and is_run_context(members[0])
    return isinstance(origin, type) and issubclass(origin, RunContext)
