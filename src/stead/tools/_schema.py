"""From a function to a schema: what the model is told about its parameters, and how arguments are validated."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType
from typing import Annotated, Any, Generic, Literal, cast, get_args, get_origin
from weakref import WeakKeyDictionary

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import SchemaValidator, core_schema

from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ObjectJsonSchema, SchemaValidatorProt
from .._kit.aio import is_async_callable, run_in_executor
from .._kit.docstrings import DocstringFormat
from .._kit.json_schema import DocumentedJsonSchema
from ._builder import CompiledSchema, SchemaBuilder
from ._progress import run_generator
from ._signature import function_name, is_class
from ._types import ToolAgentDepsT


class GenerateToolJsonSchema(DocumentedJsonSchema):
    """Makes JSON schemas for tools: as pydantic does, without the titles that it makes of the names of fields."""

    # A default that JSON cannot hold is left out; there is nothing that a developer should do about it.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {'skipped-choice', 'non-serializable-default'}

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

    @property
    def in_thread(self) -> bool:
        """Whether the function runs in a worker thread."""
        return not self.is_async and not inspect.isasyncgenfunction(self.function)

    async def call(self, args_dict: dict[str, Any], ctx: RunContext[Any]) -> Any:
        """Call the function; sync functions run in a worker thread.

        Args:
            args_dict: Validated arguments.
            ctx: The run context.

        Returns:
            What the function returns; what it raises passes through. What a generator yields is reported as progress,
            see `run_generator`.
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
        result = await run_in_executor(self.function, *args, **args_dict)
        if inspect.isgenerator(result) or inspect.isasyncgen(result):
            return await run_generator(cast(Any, result), ctx.report_progress)
        return await result if inspect.iscoroutine(result) else result  # of a sync wrapper around an async function


# By function object, for agents that share tools; and by signature, for closures of one piece of code.
_by_function: WeakKeyDictionary[Any, dict[Any, CompiledSchema]] = WeakKeyDictionary()
_by_signature: dict[Any, CompiledSchema] = {}
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
    text = function.__doc__  # may be another one than the last time
    bound = inspect.ismethod(function)  # all bound methods of one function have the same schema
    owner: Any = function.__func__ if bound else function
    kept = inspect.isfunction(owner)
    compiled = _by_function.get(owner, {}).get((bound, text, key)) if kept else None
    if compiled is None:
        compiled = _compile(function, key, tool_name or function_name(function))
        if kept:
            _by_function.setdefault(owner, {})[bound, text, key] = compiled
    return FunctionSchema(
        function=function,
        description=compiled.description,
        validator=compiled.validator,
        json_schema=copy_of_schema(compiled.json_schema),  # those who prepare tools may change it in place
        takes_ctx=compiled.takes_ctx,
        is_async=is_async_callable(function),
        single_arg_name=compiled.single_arg_name,
        positional_fields=list(compiled.positional_fields),
        var_positional_field=compiled.var_positional_field,
        ctx_name=compiled.ctx_name,
        return_schema=copy_of_schema(compiled.return_schema),
    )


def copy_of_schema(schema: Any) -> Any:
    """Return a copy of JSON data; `deepcopy` takes ten times as long."""
    if isinstance(schema, dict):
        mapping: dict[str, Any] = schema  # type: ignore[reportUnknownVariableType]
        return {key: copy_of_schema(value) for key, value in mapping.items()}
    if isinstance(schema, list):
        items: list[Any] = schema  # type: ignore[reportUnknownVariableType]
        return [copy_of_schema(value) for value in items]
    return schema


def _compile(function: Callable[..., Any], key: Any, name: str) -> CompiledSchema:
    signature_key = _signature_key(function, key)
    try:
        known = _by_signature.get(signature_key)
    except TypeError:  # a class that cannot be hashed
        known, signature_key = None, None
    if known is not None:
        return known
    compiled = SchemaBuilder(function, name, *key).build()
    if signature_key is not None:
        if len(_by_signature) >= _SIGNATURES_KEPT:
            _by_signature.pop(next(iter(_by_signature)))
        _by_signature[signature_key] = compiled
    return compiled


def _signature_key(function: Any, key: Any) -> Any:
    """Return what tells functions of the same signature from others, or `None` if that cannot be told cheaply.

    Closures share their code object, but may differ in annotations and defaults, which are made when they are
    defined; so these are part of the key, and only those that are equal only when they are the same are allowed.
    """
    if not inspect.isfunction(function) or hasattr(function, '__wrapped__') or '__signature__' in function.__dict__:
        return None
    defaults: list[Any] = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    try:
        annotations = function.__annotations__
    except NameError:  # where Python evaluates annotations only when somebody asks for them
        return None
    if not all(type(value) in _SIMPLE for value in defaults):
        return None
    meanings: list[Any] = []
    for name, annotation in annotations.items():
        meanings += (name, annotation)
        if isinstance(annotation, str):
            if not _add_meanings(function, annotation, meanings):
                return None
        elif not is_class(annotation):
            if not _is_settled(annotation):
                return None
            meanings.append(repr(annotation))  # unions of another order are equal, but their schemas are not
    typed_defaults: tuple[Any, ...] = tuple((type(value), value) for value in defaults)
    return function.__code__, tuple(meanings), typed_defaults, function.__doc__, key


def _is_settled(annotation: Any) -> bool:
    """Return whether an annotation means the same wherever it stands: there are no names in it that stay to be read."""
    if annotation is None or annotation is Ellipsis or is_class(annotation):
        return True
    origin = get_origin(annotation)
    if origin is None:
        return annotation is Any
    return origin is Literal or (origin is not Annotated and all(map(_is_settled, get_args(annotation))))


def _add_meanings(function: FunctionType, annotation: str, meanings: list[Any]) -> bool:
    """Add what the names in an annotation stand for, which may be something else the next time; say whether that tells all."""
    for name in _names_in(annotation):
        meaning = function.__globals__.get(name)  # `None` for builtins
        special = type(meaning).__module__ == 'typing' and get_origin(meaning) is None  # such as `Optional`
        if (
            name == '.'
            or name in function.__code__.co_freevars
            or not (meaning is None or is_class(meaning) or special)
        ):
            return False
        meanings.append(meaning)
    return True


@lru_cache(maxsize=1024)
def _names_in(annotation: str) -> tuple[str, ...]:
    return tuple(re.findall(r'[^\W\d]\w*|\.', annotation))


_SIMPLE = (int, float, str, bool, type(None))
