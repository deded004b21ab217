"""Function schemas: what the model sees of a function, how its arguments are validated, and how it is called.

Building one is slow, so compiled schemas are cached twice: by function object, and by signature for closures that are
defined again for every request.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from types import FunctionType
from typing import Annotated, Any, Generic, Literal, Union, cast, get_args, get_origin
from weakref import WeakKeyDictionary

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import TypeAlias

from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ObjectJsonSchema, SchemaValidatorProt
from .._kit import aio
from .._kit.annotations import TypeForm, is_async_callable, is_class
from .._kit.docstrings import DocstringFormat
from .._kit.json_schema import DocumentedJsonSchema, UseEnumMemberDocstrings, documented_members
from .._kit.json_types import JsonObject
from .._kit.records import DataRecord
from ._builder import CompiledSchema, SchemaBuilder
from ._progress import run_generator
from ._signature import function_name
from ._types import ToolAgentDepsT


class GenerateToolJsonSchema(DocumentedJsonSchema):
    """Generator of JSON schemas for tools: pydantic's, without the titles that it derives from the names of fields."""

    # A default that JSON cannot represent is left out; a warning would ask for a change that is not needed.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {'skipped-choice', 'non-serializable-default'}

    def encode_default(self, dft: Any) -> Any:
        """Return a default as JSON; most are what they are in JSON, so that nothing has to be compiled to write them."""
        if type(dft) in _SIMPLE_TYPES and (type(dft) is not float or isfinite(dft)):
            return dft
        return super().encode_default(dft)

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Return the JSON schema of an enum, with the docstrings of its members if the enum asks for that."""
        generated = super().enum_schema(schema)
        cls = schema['cls']
        if not issubclass(cls, UseEnumMemberDocstrings) or not (described := documented_members(cls)):
            return generated
        values = generated.pop('enum', None) or [generated.pop('const')]
        described_values: list[JsonObject] = []
        for member, value in zip(schema['members'], values):
            text = described.get(member.name)
            described_values.append({'const': value, **({'description': text} if text else {})})
        return {**generated, 'anyOf': described_values}

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


@dataclass(repr=False, eq=False, kw_only=True)
class FunctionSchema(DataRecord, Generic[ToolAgentDepsT]):
    """The schema of a function that a model can call, and how to call it."""

    function: Callable[..., object]
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
    """Its only parameter, if the model sends the fields of that parameter in its place."""
    positional_fields: list[str] = field(default_factory=lambda: [])
    """Parameters that are passed by position."""
    var_positional_field: str | None = None
    """The `*args` parameter."""
    ctx_name: str | None = None
    """The parameter that takes the run context, if it can only be passed by name."""
    return_schema: ObjectJsonSchema | None = None
    """The JSON schema of what it returns."""

    @property
    def in_thread(self) -> bool:
        """Whether the function runs in a worker thread."""
        return not self.is_async and not inspect.isasyncgenfunction(self.function)

    async def call(self, args_dict: JsonObject, ctx: RunContext[Any]) -> Any:
        """Call the function; a sync one runs in a worker thread.

        Args:
            args_dict: Validated arguments.
            ctx: The run context.

        Returns:
            The result of the function; its exceptions pass through. The values that a generator yields are reported as
            progress, see `run_generator`.
        """
        args: list[object] = []
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
            function: Callable[..., Awaitable[object]] = self.function  # type: ignore[assignment]
            return await function(*args, **args_dict)
        result = await aio.run_in_executor(self.function, *args, **args_dict)
        if inspect.isasyncgen(result) or (inspect.isgenerator(result) and result.gi_code.co_name != '<genexpr>'):
            generator = cast('Generator[object, None, object] | AsyncGenerator[object, None]', result)
            return await run_generator(generator, ctx.report_progress)
        return await result if inspect.iscoroutine(result) else result  # from a sync wrapper around an async function


_Options: TypeAlias = tuple[type[GenerateJsonSchema], Union[bool, None], DocstringFormat, bool]
"""The arguments of `function_schema` that change the schema."""

# By function object, for agents that share tools. The key inside has what may change between two calls.
_by_function: WeakKeyDictionary[Callable[..., object], dict[Hashable, CompiledSchema]] = WeakKeyDictionary()
# By signature, for closures: each run of the function around them defines a new object with the same code.
_by_signature: dict[Hashable, CompiledSchema] = {}
_SIGNATURES_KEPT = 1024


def function_schema(
    function: Callable[..., object],
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
        takes_ctx: Whether the first parameter takes the run context; if `None`, its annotation decides.
        docstring_format: The style of the docstring.
        require_parameter_descriptions: Whether every parameter must be described.

    Raises:
        UserError: The function has no schema; the message names the function, the parameter and the remedy.
    """
    key = (schema_generator, takes_ctx, docstring_format, require_parameter_descriptions)
    text = function.__doc__  # may have been assigned since the last call
    bound = inspect.ismethod(function)  # all bound methods of one function have the same schema, without `Self`
    owner: Callable[..., object] = function.__func__ if bound else function
    cacheable = inspect.isfunction(owner)  # other callables may not be hashable, or equal to one with another schema
    compiled = _by_function.get(owner, {}).get((bound, text, key)) if cacheable else None
    if compiled is None:
        compiled = _compile(function, key, tool_name or function_name(function))
        if cacheable and not compiled.per_class:
            _by_function.setdefault(owner, {})[bound, text, key] = compiled
    return FunctionSchema(
        function=function,
        description=compiled.description,
        validator=compiled.validator,
        json_schema=copy_of_schema(compiled.json_schema),  # `prepare` functions may change it in place
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
        mapping: JsonObject = schema  # type: ignore[reportUnknownVariableType]
        # Most values are leaves, which are spared the call.
        return {
            key: copy_of_schema(value) if isinstance(value, (dict, list)) else value for key, value in mapping.items()
        }
    if isinstance(schema, list):
        items: list[object] = schema  # type: ignore[reportUnknownVariableType]
        return [copy_of_schema(value) for value in items]
    return schema


def _compile(function: Callable[..., object], key: _Options, name: str) -> CompiledSchema:
    signature_key = _signature_key(function, key)
    try:
        cached = _by_signature.get(signature_key)
    except TypeError:  # a class that cannot be hashed
        cached, signature_key = None, None
    if cached is not None:
        return cached
    compiled = SchemaBuilder(function, name, *key).build()
    if signature_key is not None:
        if len(_by_signature) >= _SIGNATURES_KEPT:
            _by_signature.pop(next(iter(_by_signature)))  # the oldest one
        _by_signature[signature_key] = compiled
    return compiled


def _signature_key(function: Callable[..., object], key: _Options) -> Hashable:
    """Return a key that functions share only if they have the same signature; `None` if that is not cheap to decide.

    Closures share their code object, but may differ in annotations and defaults, which are evaluated when the closure is
    defined. So these are part of the key, and values that are equal without being the same, such as two lists, rule
    the key out.
    """
    if not inspect.isfunction(function) or hasattr(function, '__wrapped__') or '__signature__' in function.__dict__:
        return None
    defaults: list[object] = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    try:
        annotations = function.__annotations__
    except NameError:  # Python 3.14 evaluates annotations when they are read
        return None
    if not all(type(value) in _SIMPLE_TYPES for value in defaults):
        return None
    meanings: list[object] = []
    for name, annotation in annotations.items():
        meanings += (name, annotation)
        if isinstance(annotation, str):
            if not _add_meanings(function, annotation, meanings):
                return None
        elif not is_class(annotation):
            if not _is_resolved(annotation):
                return None
            meanings.append(repr(annotation))  # unions of another order are equal, but their schemas are not
    typed_defaults = tuple((type(value), value) for value in defaults)  # `True` equals `1`
    return function.__code__, tuple(meanings), typed_defaults, function.__doc__, key


def _is_resolved(annotation: TypeForm) -> bool:
    """Return whether an annotation means the same everywhere, because no name in it is still to be looked up."""
    if annotation is None or annotation is Ellipsis or is_class(annotation):
        return True
    origin = get_origin(annotation)
    if origin is None:
        return annotation is Any
    return origin is Literal or (origin is not Annotated and all(map(_is_resolved, get_args(annotation))))


def _add_meanings(function: FunctionType, annotation: str, meanings: list[object]) -> bool:
    """Add the current values of the names in an annotation; return whether these decide what it means."""
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


_SIMPLE_TYPES = (int, float, str, bool, type(None))
