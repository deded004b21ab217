"""From what the model sent to a value: one processor for each form of output."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, cast, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, SchemaValidator
from typing_extensions import is_typeddict

from .._contracts.output import OutputDataT, OutputObjectDefinition
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ObjectJsonSchema, SchemaValidatorProt
from .._kit.aio import is_async_callable, run_in_executor
from .._kit.json_schema import JsonSchema
from ..exceptions import UserError
from ..tools._schema import FunctionSchema, function_schema
from ._compiled import CannotCarry, CompiledType, compile_type
from ._definitions import gather_definitions
from ._functions import OutputFunction, default_of, is_function

_FENCE_OPENS = re.compile(r'```\w*\n(?=\{)')
_FENCE_CLOSES = re.compile(r'\}\s*(?:```|\Z)')


class OutputProcessor(ABC, Generic[OutputDataT]):
    """Turns what the model sent into a value: first `validate`, then `process`, hooks in between."""

    object_def: OutputObjectDefinition | None = None
    """The schema, for structured output."""
    output_type: Any = str
    """The type of a validated value, as far as one type says it; of the first argument for a function."""
    function_name: str | None = None
    """The name of the output function."""

    @property
    def has_function(self) -> bool:
        """Whether an output function makes the value."""
        return self.function_name is not None

    @abstractmethod
    def validate(self, data: str | dict[str, Any] | None, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return validated data.

        Args:
            data: JSON text, or the arguments of an output tool.
            ctx: The run context, for its validation context.
            allow_partial: Whether data that is cut off is taken as far as it goes.

        Raises:
            ValidationError: The data does not fit the type.
            ModelRetry: A validator of the type asks for another try.
        """

    @abstractmethod
    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the output: the value, or what the output function makes of it.

        Args:
            value: What `validate` returned, or what a hook put in its place.
            ctx: The run context that was passed to `validate`.

        Raises:
            ModelRetry: The output function asks for another try.
        """


class TextOutputProcessor(OutputProcessor[OutputDataT]):
    """Takes text as it is, or hands it to a function."""

    function_name: str | None
    is_async: bool
    takes_ctx: bool
    keyword: str | None

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        """Build a processor.

        Raises:
            UserError: The function cannot be called with a text.
        """
        self.function = function
        if function is None:
            return
        if not is_function(function):
            raise UserError(f'`TextOutput` takes a function of the text, not {function!r}.')
        known = OutputFunction.of(function)
        self.function_name = known.name
        self.is_async = is_async_callable(function)
        self.takes_ctx = known.takes_ctx
        target = known.text_parameter
        if target is None:
            raise UserError(
                f'The function of `TextOutput`, {known.name!r}, must take one `str`, with a `RunContext` before it if '
                f'it wants; its parameters are {[str(parameter) for parameter in known.parameters]}.'
            )
        self.keyword = target.name if target.kind is inspect.Parameter.KEYWORD_ONLY else None

    def validate(self, data: str | dict[str, Any] | None, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return the text."""
        return data

    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the text, or what the function makes of it."""
        if self.function is None:
            return value
        args = (ctx,) if self.takes_ctx else ()
        if self.keyword is None:
            args, options = (*args, value), {}
        else:
            options = {self.keyword: value}
        if self.is_async:
            return await self.function(*args, **options)
        return await run_in_executor(self.function, *args, **options)


class ObjectOutputProcessor(OutputProcessor[OutputDataT]):
    """Validates data against a type, and hands it to the output function if there is one."""

    object_def: OutputObjectDefinition | None
    definition: OutputObjectDefinition
    output_type: Any
    function_name: str | None
    outer_key: str | None = None
    """The key that wraps a value that is no object."""
    list_fields: dict[str, Any] | None = None
    """The lists whose items can be validated one by one while they are streamed; looked up by `GrowingOutput`."""

    def __init__(
        self,
        output: Any,
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
        mode: str = 'tool',
    ) -> None:
        """Build a processor.

        Args:
            output: The type, or the output function.
            name: The name of the output; by default that of the type or function.
            description: What it is, for the model.
            strict: Whether the provider enforces the schema.
            mode: How it is asked for, for error messages.

        Raises:
            UserError: Pydantic cannot validate the type, or no JSON can be one of its values.
        """
        self.function: FunctionSchema[Any] | None = None
        self.compiled: CompiledType | None = None
        self.only: inspect.Parameter | None = None
        self._validator: SchemaValidator | SchemaValidatorProt | None = None
        schema = self._of_function(output, mode) if is_function(output) else self._of_type(output, mode)
        own_name = schema.get('title') or self.function_name or getattr(output, '__name__', None)
        own_description = schema.pop('description', None)
        if self.function is not None:
            own_description = self.function.description or own_description
        if description and own_description:
            description = f'{description}. {own_description}'
        self.object_def = self.definition = OutputObjectDefinition(
            name=name or own_name, description=description or own_description, json_schema=schema, strict=strict
        )

    def _of_function(self, function: Callable[..., Any], mode: str) -> ObjectJsonSchema:
        known = OutputFunction.of(function)
        self.function_name = known.name
        try:
            self.function = function_schema(function)
        except UserError as error:
            raise UserError(f'The function {known.name!r} cannot make an output in mode {mode!r}. {error}') from error
        self._validator = self.function.validator
        self.output_type = known.first_annotation
        self.only = known.only_parameter
        return dict(self.function.json_schema)

    def _of_type(self, output: Any, mode: str) -> ObjectJsonSchema:
        self.output_type = output
        try:
            self.compiled = compile_type(output)
        except CannotCarry as error:
            raise UserError(
                f'Output in mode {mode!r} cannot carry {output!r}: {error} Use a type that pydantic can make from '
                'JSON, a `StructuredDict`, or an output function that takes such types and returns this one.'
            ) from error
        self.outer_key = self.compiled.outer_key
        return dict(self.compiled.json_schema)

    @property
    def validator(self) -> SchemaValidator | SchemaValidatorProt:
        """Validates what the model sends, before the outer key is taken off."""
        if self._validator is None:
            assert self.compiled is not None, 'a processor without a function has a type'
            self._validator = self.compiled.validator
        return self._validator

    def validate(self, data: str | dict[str, Any] | None, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return validated data: the value of the type, the only argument of a function, or a `dict` of arguments."""
        return self.unwrapped(validate_with(self.validator, data, ctx.validation_context, allow_partial))

    def unwrapped(self, validated: Any) -> Any:
        """Return the value in what the validator returned."""
        if self.outer_key is not None:
            return validated[self.outer_key]
        if self.only is not None:
            return validated[self.only.name] if self.only.name in validated else default_of(self.only)
        return validated

    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the value, or what the output function makes of it."""
        if self.function is None:
            return value
        return await self.function.call({self.only.name: value} if self.only is not None else value, ctx)

    def admits(self, value: Any, *, validated_here: bool) -> bool:
        """Return whether a value may be one that `validate` returned.

        Args:
            value: The value.
            validated_here: Whether `validate` returned one just before, maybe another one.
        """
        if self.function is not None and self.only is None:
            return validated_here and isinstance(value, dict)
        form = get_origin(self.output_type) or self.output_type
        if isinstance(form, type):
            return isinstance(value, dict if is_typeddict(form) else form)
        return validated_here


class UnionOutputProcessor(OutputProcessor[OutputDataT]):
    """Lets the model choose one of several types, by a name that it sends along."""

    object_def: OutputObjectDefinition | None
    definition: OutputObjectDefinition
    output_type = None

    def __init__(
        self,
        outputs: Sequence[Any],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
        mode: str = 'native',
    ) -> None:
        """Build a processor; the arguments and errors are those of `ObjectOutputProcessor`, for several outputs."""
        self.processors: dict[str, ObjectOutputProcessor[Any]] = {}
        titles: list[str] = []
        for output in outputs:
            processor = ObjectOutputProcessor[Any](type(None) if output is None else output, strict=strict, mode=mode)
            titles.append(processor.definition.name or mode)
            self.processors[free_name(titles[-1], self.processors)] = processor
        schemas = [
            {**processor.definition.json_schema, 'title': title}
            for title, processor in zip(titles, self.processors.values())
        ]
        bare, definitions = gather_definitions(schemas)
        members = [
            _choice(kind, schema, processor.definition.description)
            for schema, (kind, processor) in zip(bare, self.processors.items())
        ]
        union: ObjectJsonSchema = {
            'type': 'object',
            'properties': {'result': {'anyOf': members}},
            'required': ['result'],
            'additionalProperties': False,
        }
        if definitions:
            union['$defs'] = definitions
        # As pydantic-ai sends it: the last member's description is that of the union, even in place of a given one.
        last = [*self.processors.values()][-1].definition.description
        self.object_def = self.definition = OutputObjectDefinition(union, name=name, description=last, strict=strict)
        self._has_function = any(processor.has_function for processor in self.processors.values())

    @property
    def has_function(self) -> bool:
        """Whether an output function may make the value."""
        return self._has_function

    def validate(self, data: str | dict[str, Any] | None, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return validated data of the kind that the model chose."""
        choice = validate_with(_union_validator(), data, ctx.validation_context, allow_partial).result
        processor = self.processors.get(choice.kind)
        if processor is None:
            kinds = ' or '.join(f'{kind!r}' for kind in self.processors)
            problem = InitErrorDetails(
                type='literal_error', loc=('result', 'kind'), input=choice.kind, ctx={'expected': kinds}
            )
            raise ValidationError.from_exception_data('output', [problem])
        value = processor.validate(choice.data, ctx, allow_partial=allow_partial)
        # Hooks see the bare value, so what the model chose goes along with the context until `process`.
        vars(ctx)[_CHOSEN] = (self, processor, value)
        return value

    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the output of the kind that the model chose, or of the kind that the value is, if a hook changed it."""
        owner, chosen, validated = vars(ctx).get(_CHOSEN, (None, None, None))
        if owner is not self:
            chosen = None
        if chosen is None or (value is not validated and not chosen.admits(value, validated_here=True)):
            kinds = self.processors.values()
            chosen = next((kind for kind in kinds if kind.admits(value, validated_here=False)), None)
        return value if chosen is None else await chosen.process(value, ctx)


_CHOSEN = '_chosen_output'


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name, with a number if it is taken."""
    free, number = name, 2
    while free in taken:
        free, number = f'{name}_{number}', number + 1
    return free


def _choice(kind: str, schema: JsonSchema, description: str | None) -> ObjectJsonSchema:
    """Return the schema of one kind of a union."""
    data = dict(schema)
    title = data.pop('title')
    member: ObjectJsonSchema = {
        'type': 'object',
        'properties': {'kind': {'type': 'string', 'const': kind}, 'data': data},
        'required': ['kind', 'data'],
        'additionalProperties': False,
        'title': title,
    }
    if description:
        member['description'] = description
    return member


@dataclass
class _Choice:
    kind: str
    data: dict[str, Any]


@dataclass
class _Union:
    result: _Choice


@cache
def _union_validator() -> SchemaValidator:
    return cast(SchemaValidator, TypeAdapter(_Union).validator)


def validate_with(
    validator: SchemaValidator | SchemaValidatorProt,
    data: str | dict[str, Any] | None,
    context: Any,
    allow_partial: bool,
) -> Any:
    """Validate JSON text or arguments; no data counts as an object without fields.

    Raises:
        ValidationError: The data does not fit.
    """
    partial: Literal['off', 'trailing-strings'] = 'trailing-strings' if allow_partial else 'off'
    if isinstance(data, str):
        nothing = '' if allow_partial else '{}'  # what has not begun is no empty object
        return validator.validate_json(without_fence(data) or nothing, allow_partial=partial, context=context)
    return validator.validate_python({} if data is None else data, allow_partial=partial, context=context)


def without_fence(text: str) -> str:
    """Return the JSON object in the first Markdown fence of a text that has one, and the text itself otherwise.

    The fence may be left open at the end. What is to be in it starts right after the line that opens it.
    """
    if '```' not in text or (opened := _FENCE_OPENS.search(text)) is None:
        return text
    closed = _FENCE_CLOSES.search(text, opened.end())
    return text[opened.end() : closed.start() + 1] if closed is not None else text
