"""Output processors: they turn the response of a model into the output, one class for each kind of output."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Generic, Literal, Union, cast, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, SchemaValidator
from typing_extensions import TypeAlias, is_typeddict

from .._contracts.call_policy import Effect
from .._contracts.output import OutputDataT, OutputObjectDefinition
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ObjectJsonSchema, SchemaValidatorProt
from .._kit import aio
from .._kit.annotations import TypeForm, is_async_callable
from .._kit.json_schema import JsonSchema
from .._kit.json_types import JsonObject
from .._kit.records import DataRecord
from .._kit.short import type_name, without_paths
from .._kit.well_formed import without_half_number
from ..exceptions import ModelRetry, UserError
from ..tools._schema import FunctionSchema, function_schema
from ._choices import actions_of, is_choices, names_of_choices
from ._compiled import CompiledType, UnsupportedOutputType, compile_type
from ._definitions import gather_definitions
from ._functions import OutputFunction, default_of, effect_of, is_function

RawData: TypeAlias = Union[str, JsonObject, None]
"""Output as the model sent it: JSON text, the arguments of an output tool, or nothing."""

ENDS_OF_NUMBERS = frozenset('0123456789.')
_FENCE_OPENS = r'```\w*\n(?=\{)'
_FENCE_CLOSES = r'\}\s*(?:```|\Z)'


def strongest(effects: Iterable[Effect]) -> Effect:
    """Return the one of some effects that does most to the world."""
    order: dict[Effect, int] = {'read': 0, 'idempotent': 1, 'write': 2}
    return max(effects, key=order.__getitem__)


class OutputProcessor(ABC, Generic[OutputDataT]):
    """Converter from the response of a model to the output: `validate`, then `process`; output hooks run in between."""

    object_def: OutputObjectDefinition | None = None
    """The schema, for structured output."""
    output_type: TypeForm = str
    """The type of a validated value, or of the first argument of an output function; `None` if there is not one type."""
    function_name: str | None = None
    """The name of the output function."""

    effect: Effect = 'read'
    """What the output function does to the world."""

    @property
    def has_function(self) -> bool:
        """Whether an output function returns the value."""
        return self.function_name is not None

    @abstractmethod
    def validate(self, data: RawData, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return validated data.

        Args:
            data: JSON text, the arguments of an output tool, or `None` for an object without fields.
            ctx: The run context, for its validation context.
            allow_partial: Whether incomplete data is accepted.

        Raises:
            ValidationError: The data does not fit the type.
            ModelRetry: A validator of the type asks for another try.
        """

    @abstractmethod
    async def process(self, value: object, ctx: RunContext[Any]) -> Any:
        """Return the output: the value, or what the output function returns for it.

        Args:
            value: The return value of `validate`, or what a hook replaced it with.
            ctx: The run context that was passed to `validate`.

        Raises:
            ModelRetry: The output function asks for another try.
        """


class TextOutputProcessor(OutputProcessor[OutputDataT]):
    """Processor of text, which is the output itself or the argument of a function."""

    function_name: str | None
    is_async: bool
    takes_ctx: bool
    keyword: str | None

    def __init__(self, function: Callable[..., object] | None = None) -> None:
        """Build a processor.

        Raises:
            UserError: The function cannot be called with a text alone, or is not a function.
        """
        self.function = function
        if function is None:
            return
        if not is_function(function):
            raise UserError(f'`TextOutput` takes a function of the text, not {function!r}.')
        signature = OutputFunction.of(function)
        self.function_name = signature.name
        self.effect: Effect = effect_of(function)
        self.is_async = is_async_callable(function)
        self.takes_ctx = signature.takes_ctx
        target = signature.text_parameter
        if target is None:
            raise UserError(
                f'The function of `TextOutput`, {signature.name!r}, must take one `str`, optionally after a '
                f'`RunContext`; its parameters are {[str(parameter) for parameter in signature.parameters]}.'
            )
        self.keyword = target.name if target.kind is inspect.Parameter.KEYWORD_ONLY else None

    def validate(self, data: RawData, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return the text."""
        return data

    async def process(self, value: object, ctx: RunContext[Any]) -> Any:
        """Return the text, or what the function returns for it."""
        if self.function is None:
            return value
        args = (ctx,) if self.takes_ctx else ()
        if self.keyword is None:
            args, options = (*args, value), {}
        else:
            options = {self.keyword: value}
        if self.is_async:
            return await cast(Awaitable[object], self.function(*args, **options))
        return await aio.run_in_executor(self.function, *args, **options)


class ObjectOutputProcessor(OutputProcessor[OutputDataT]):
    """Processor of structured data, which is validated against a type or the parameters of an output function."""

    object_def: OutputObjectDefinition | None
    definition: OutputObjectDefinition
    output_type: TypeForm
    function_name: str | None
    outer_key: str | None = None
    """The key that wraps a value that is not an object."""
    actions: Mapping[str, object] | None = None
    """What the names of `Choices` stand for, if some of it is called when it is chosen."""
    list_fields: dict[str, Any] | None = None
    """A cache for `GrowingOutput`: the lists whose items can be validated one by one while they are streamed."""

    def __init__(
        self,
        output: TypeForm,
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
            description: What the output is, for the model.
            strict: Whether the provider enforces the schema.
            mode: The output mode, for error messages.

        Raises:
            UserError: Pydantic cannot validate the type, or not from JSON.
        """
        self.function: FunctionSchema[object] | None = None
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

    def _of_function(self, function: Callable[..., object], mode: str) -> ObjectJsonSchema:
        signature = OutputFunction.of(function)
        self.function_name = signature.name
        self.effect: Effect = effect_of(function)
        try:
            self.function = function_schema(function)
        except UserError as error:
            raise UserError(
                f'The function {signature.name!r} cannot be an output function in mode {mode!r}. {error}'
            ) from error
        self._validator = self.function.validator
        self.output_type = signature.first_annotation
        self.only = signature.only_parameter
        return dict(self.function.json_schema)

    def _of_type(self, output: TypeForm, mode: str) -> ObjectJsonSchema:
        self.output_type = output
        if (actions := actions_of(output)) is not None:
            self.actions, self.effect = actions, strongest(map(effect_of, filter(callable, actions.values())))
        try:
            self.compiled = compile_type(output if actions is None else names_of_choices(output))
        except UnsupportedOutputType as error:
            raise UserError(
                f'Output in mode {mode!r} cannot be of type {type_name(output)}: {without_paths(str(error))} Use a type that '
                'pydantic can build from JSON, a `StructuredDict`, or an output function that takes such types and returns '
                'this one.'
            ) from error
        self.outer_key = self.compiled.outer_key
        return dict(self.compiled.json_schema)

    @property
    def has_function(self) -> bool:
        """Whether an output function returns the value, or what one of the choices stands for."""
        return self.function_name is not None or self.actions is not None

    @property
    def validator(self) -> SchemaValidator | SchemaValidatorProt:
        """Validates the data that the model sends, with the outer key around it."""
        if self._validator is None:
            assert self.compiled is not None, 'a processor without a function has a compiled type'
            self._validator = self.compiled.validator
        return self._validator

    @cached_property
    def schema_of_choices(self) -> JsonSchema | None:
        """The schema of the data, if some texts in it are not shown before they are complete."""
        from ._half_choices import has_choices  # only streams ask

        schema = self.definition.json_schema
        return schema if has_choices(schema) else None

    def validate(self, data: RawData, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return a value of the type, the only argument of the output function, or a `dict` of its arguments."""
        choices = self.schema_of_choices if allow_partial else None
        if allow_partial and isinstance(data, str) and data[-1:] in ENDS_OF_NUMBERS:  # it may be one in quotes
            choices = self.definition.json_schema
        return self.unwrapped(validate_with(self.validator, data, ctx.validation_context, allow_partial, choices))

    def unwrapped(self, validated: Any) -> Any:
        """Return the value in the data that the validator returned."""
        if self.outer_key is not None:
            return validated[self.outer_key]
        if self.only is not None:
            return validated[self.only.name] if self.only.name in validated else default_of(self.only)
        return validated

    async def process(self, value: object, ctx: RunContext[Any]) -> Any:
        """Return the value, or what the output function returns for it."""
        if self.actions is not None:
            return await self._act(value, ctx)
        if self.function is None:
            return value
        if ctx.partial_output and self.effect == 'write' and not self.function.takes_ctx:
            raise ModelRetry(
                'The output function is called when the output is complete: it cannot know that this one is not.'
            )
        args = cast(JsonObject, value) if self.only is None else {self.only.name: value}
        return await self.function.call(args, ctx)

    async def _act(self, name: object, ctx: RunContext[Any]) -> Any:
        """Return what a choice stands for, or the result of calling it."""
        assert self.actions is not None
        action = (
            self.actions.get(name, name) if isinstance(name, str) else name
        )  # a hook may have put a value in its place
        if action is name or not callable(action):
            return action
        if ctx.partial_output:
            raise ModelRetry('What a choice stands for is called when the output is complete.')
        if is_async_callable(action):
            return await cast(Awaitable[object], action())
        return action() if isinstance(action, type) else await aio.run_in_executor(action)

    def accepts(self, value: object, *, validated_here: bool) -> bool:
        """Return whether `process` can take a value, as far as its type shows.

        Args:
            value: The value.
            validated_here: Whether `validate` of this processor was called for this output; a hook may have replaced
                what it returned.
        """
        if self.function is not None and self.only is None:
            return validated_here and isinstance(value, dict)
        cls: object = get_origin(self.output_type) or self.output_type
        if isinstance(cls, type) and not is_choices(cls):
            return isinstance(value, dict if is_typeddict(cls) else cls)
        return validated_here


class UnionOutputProcessor(OutputProcessor[OutputDataT]):
    """Processor of one of several types, of which the model names the one it chose."""

    object_def: OutputObjectDefinition | None
    definition: OutputObjectDefinition
    output_type: TypeForm = None

    def __init__(
        self,
        outputs: Sequence[TypeForm],
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
        without_definitions, definitions = gather_definitions(schemas)
        members = [
            _member_schema(kind, schema, processor.definition.description)
            for schema, (kind, processor) in zip(without_definitions, self.processors.items())
        ]
        union: ObjectJsonSchema = {
            'type': 'object',
            'properties': {'result': {'anyOf': members}},
            'required': ['result'],
            'additionalProperties': False,
        }
        if definitions:
            union['$defs'] = definitions
        # For parity with pydantic-ai: the description of the last member is that of the union, whatever the argument says.
        last = [*self.processors.values()][-1].definition.description
        self.object_def = self.definition = OutputObjectDefinition(union, name=name, description=last, strict=strict)
        self._has_function = any(processor.has_function for processor in self.processors.values())
        self.effect: Effect = strongest(processor.effect for processor in self.processors.values())

    @property
    def has_function(self) -> bool:
        """Whether an output function may return the value."""
        return self._has_function

    def validate(self, data: RawData, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return validated data of the type that the model chose."""
        schema = self.definition.json_schema if allow_partial else None
        choice = validate_with(_union_validator(), data, ctx.validation_context, allow_partial, schema).result
        processor = self.processors.get(choice.kind)
        if processor is None:
            kinds = ' or '.join(f'{kind!r}' for kind in self.processors)
            problem = InitErrorDetails(
                type='literal_error', loc=('result', 'kind'), input=choice.kind, ctx={'expected': kinds}
            )
            raise ValidationError.from_exception_data('output', [problem])
        value = processor.validate(choice.data, ctx, allow_partial=allow_partial)
        # Hooks see the value alone, so the choice of the model is kept in the context until `process`.
        vars(ctx)[_CHOSEN] = (self, processor, value)
        return value

    async def process(self, value: object, ctx: RunContext[Any]) -> Any:
        """Return the output of the type that the model chose, or of the first type that fits, if a hook replaced the value."""
        owner, chosen, validated = vars(ctx).get(_CHOSEN, (None, None, None))
        if owner is not self:
            chosen = None
        if chosen is None or (value is not validated and not chosen.accepts(value, validated_here=True)):
            kinds = self.processors.values()
            chosen = next((kind for kind in kinds if kind.accepts(value, validated_here=False)), None)
        return value if chosen is None else await chosen.process(value, ctx)


_CHOSEN = '_chosen_output'
"""The attribute of the run context that holds the union, the chosen processor and the validated value."""


def free_name(name: str, existing: Container[str]) -> str:
    """Return a name, with a number after it if it exists already."""
    free, number = name, 2
    while free in existing:
        free, number = f'{name}_{number}', number + 1
    return free


def _member_schema(kind: str, schema: JsonSchema, description: str | None) -> ObjectJsonSchema:
    """Return the schema of one member of a union."""
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


@dataclass(repr=False, eq=False)
class _UnionChoice(DataRecord):
    """The member that the model chose, as it sends it."""

    kind: str
    data: JsonObject


@dataclass(repr=False, eq=False)
class _UnionOutput(DataRecord):
    """The object around the choice, as the model sends it."""

    result: _UnionChoice


@cache
def _union_validator() -> SchemaValidator:
    return cast(SchemaValidator, TypeAdapter(_UnionOutput).validator)


def validate_with(
    validator: SchemaValidator | SchemaValidatorProt,
    data: RawData,
    context: object,
    allow_partial: bool,
    choices: JsonSchema | None = None,
) -> Any:
    """Validate JSON text or arguments, with `None` as an object without fields.

    Args:
        validator: The validator.
        data: The text or the arguments.
        context: What validators of fields are passed.
        allow_partial: Whether more of the text may come.
        choices: The schema, if some texts are not shown before they are complete.

    Raises:
        ValidationError: The data does not fit.
    """
    partial: Literal['off', 'on', 'trailing-strings'] = 'trailing-strings' if allow_partial else 'off'
    if isinstance(data, str):
        empty = '' if allow_partial else '{}'  # while streaming, the object may still begin
        text = without_fence(data)
        if allow_partial:
            text = without_half_number(text)
            if choices:
                from ._half_choices import partial_mode

                partial = partial_mode(text, choices)
        return validator.validate_json(text or empty, allow_partial=partial, context=context)
    return validator.validate_python({} if data is None else data, allow_partial=partial, context=context)


def without_fence(text: str) -> str:
    """Return the JSON object in the first Markdown fence of a text that has one, and the text itself otherwise.

    The fence may be left open at the end. The object must start on the line after the one that opens the fence.
    """
    if '```' not in text or (opened := re.search(_FENCE_OPENS, text)) is None:
        return text
    closed = re.compile(_FENCE_CLOSES).search(text, opened.end())
    return text[opened.end() : closed.start() + 1] if closed is not None else text
