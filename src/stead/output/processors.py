"""From what the model sent to a value: one processor for each form of output."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, Literal, Union, cast

from pydantic import BaseModel, Json, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import is_typeddict

from .._contracts.output import OutputDataT, OutputObjectDefinition
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ObjectJsonSchema
from .._kit.aio import is_async_callable, run_in_executor
from .._kit.json_schema import check_object_json_schema
from ..exceptions import UserError
from ..tools.schema import FunctionSchema, GenerateToolJsonSchema, function_schema, is_run_context

OUTER_KEY = 'response'
"""The key that wraps an output that is no object."""
_FENCE = re.compile(r'```(?:\w+)?\s*\n?(\{.*\})\s*```', re.DOTALL)


class OutputProcessor(ABC, Generic[OutputDataT]):
    """Turns what the model sent into a value."""

    object_def: OutputObjectDefinition | None = None
    """The schema, for structured output."""
    output_type: Any = str
    """The type of the output."""
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
        """

    @abstractmethod
    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the output: the value, or what the output function makes of it.

        Raises:
            ModelRetry: The output function asks for another try.
        """


class TextOutputProcessor(OutputProcessor[OutputDataT]):
    """Takes text as it is, or hands it to a function."""

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self.function = function
        if function is None:
            return
        self.function_name = getattr(function, '__name__', type(function).__name__)
        self.is_async = is_async_callable(function)
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            self.takes_ctx = False
            return
        try:
            hints = inspect.get_annotations(function, eval_str=True)
        except Exception:  # annotations that cannot be resolved say nothing
            hints = {}
        self.takes_ctx = bool(parameters) and is_run_context(hints.get(parameters[0].name))
        rest = [p for p in parameters[self.takes_ctx :] if p.default is inspect.Parameter.empty]
        if len(rest) > 1 or hints.get(rest[0].name if rest else '', str) is not str:
            raise UserError(
                f'The function of `TextOutput`, {self.function_name!r}, must take one `str`, with a `RunContext` before '
                f'it if it wants; its parameters are {[p.name for p in parameters]}.'
            )

    def validate(self, data: str | dict[str, Any] | None, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return the text."""
        return data

    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the text, or what the function makes of it."""
        if self.function is None:
            return value
        args = (ctx, value) if self.takes_ctx else (value,)
        if self.is_async:
            return await self.function(*args)
        return await run_in_executor(self.function, *args)


class ObjectOutputProcessor(OutputProcessor[OutputDataT]):
    """Validates data against a type, and hands it to the output function if there is one."""

    def __init__(
        self,
        output: Any,
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> None:
        """Build a processor.

        Raises:
            UserError: Pydantic cannot validate the type, or there is no JSON schema for it.
        """
        self.outer_key: str | None = None
        self.function: FunctionSchema[Any] | None = None
        self.validator: SchemaValidator
        if inspect.isfunction(output) or inspect.ismethod(output):
            self._from_function(output)
        else:
            self._from_type(output)
        schema = dict(self.json_schema)
        own_name, own_description = schema.get('title'), schema.pop('description', None)
        if self.function is not None:
            own_name = own_name or self.function_name
            own_description = self.function.description or own_description
        if name is None:
            name = own_name if isinstance(own_name, str) else getattr(output, '__name__', None)
        if description and own_description:
            description = f'{description}. {own_description}'
        self.object_def = OutputObjectDefinition(
            name=name, description=description or own_description, json_schema=schema, strict=strict
        )

    def _from_function(self, function: Any) -> None:
        self.function = made = function_schema(function)
        self.function_name = getattr(function, '__name__', None)
        self.output_type = inspect.signature(function).return_annotation
        self.validator = cast(SchemaValidator, made.validator)
        self.json_schema: ObjectJsonSchema = dict(made.json_schema)

    def _from_type(self, output: Any) -> None:
        self.output_type = output
        form: Any = output
        if not is_object_type(output):
            self.outer_key = OUTER_KEY
        try:
            if self.outer_key is None:
                schema = cast(core_schema.CoreSchema, TypeAdapter(form).core_schema)
                self.validator = SchemaValidator(schema)
                self.json_schema = GenerateToolJsonSchema().generate(schema)
            else:
                # Models sometimes send JSON text where the value itself belongs, so that is taken too.
                lenient = TypeAdapter(_wrapped(Union[form, Json[form]]))
                self.validator = SchemaValidator(cast(core_schema.CoreSchema, lenient.core_schema))
                plain = TypeAdapter(_wrapped(form))
                self.json_schema = GenerateToolJsonSchema().generate(cast(core_schema.CoreSchema, plain.core_schema))
                self.json_schema.pop('title', None)
        except (PydanticUserError, TypeError, NameError) as error:
            raise UserError(
                f'The output type {output!r} cannot be used: {str(error).splitlines()[0]} '
                'Use a type that pydantic can validate and that has a JSON schema, or `StructuredDict`.'
            ) from error
        if self.outer_key is None:
            self.json_schema = check_object_json_schema(self.json_schema)

    def validate(self, data: str | dict[str, Any] | None, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return validated data, without the key around an output that is no object."""
        partial: Literal['off', 'trailing-strings'] = 'trailing-strings' if allow_partial else 'off'
        if isinstance(data, str):
            text = without_fence(data)
            value = self.validator.validate_json(text or '{}', allow_partial=partial, context=ctx.validation_context)
        else:
            value = self.validator.validate_python(data or {}, allow_partial=partial, context=ctx.validation_context)
        return value[self.outer_key] if self.outer_key is not None else value

    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the value, or what the output function makes of it."""
        return value if self.function is None else await self.function.call(value, ctx)


class UnionOutputProcessor(OutputProcessor[OutputDataT]):
    """Lets the model choose one of several types, by a name that it sends along."""

    def __init__(
        self, outputs: list[Any], *, name: str | None = None, description: str | None = None, strict: bool | None = None
    ) -> None:
        self.processors: dict[str, ObjectOutputProcessor[Any]] = {}
        self.output_type = outputs
        members: list[ObjectJsonSchema] = []
        definitions: dict[str, Any] = {}
        for output in outputs:
            processor = ObjectOutputProcessor[Any](output, strict=strict)
            assert processor.object_def is not None
            base = kind = processor.object_def.name or 'output'
            number = 2
            while kind in self.processors:
                kind, number = f'{base}_{number}', number + 1
            self.processors[kind] = processor
            schema = dict(processor.object_def.json_schema)
            schema.pop('title', None)
            definitions.update(schema.pop('$defs', {}))
            member: ObjectJsonSchema = {
                'type': 'object',
                'properties': {'kind': {'type': 'string', 'const': kind}, 'data': schema},
                'required': ['kind', 'data'],
                'additionalProperties': False,
                'title': kind,
            }
            if processor.object_def.description:
                member['description'] = processor.object_def.description
            members.append(member)
        union: ObjectJsonSchema = {
            'type': 'object',
            'properties': {'result': {'anyOf': members}},
            'required': ['result'],
            'additionalProperties': False,
        }
        if definitions:
            union['$defs'] = definitions
        self.object_def = OutputObjectDefinition(union, name=name, description=description, strict=strict)
        kinds = core_schema.literal_schema(list(self.processors))
        self.validator = SchemaValidator(
            core_schema.typed_dict_schema(
                {
                    'result': core_schema.typed_dict_field(
                        core_schema.typed_dict_schema(
                            {
                                'kind': core_schema.typed_dict_field(kinds),
                                'data': core_schema.typed_dict_field(core_schema.any_schema()),
                            }
                        )
                    )
                }
            )
        )

    def validate(self, data: str | dict[str, Any] | None, ctx: RunContext[Any], *, allow_partial: bool = False) -> Any:
        """Return the kind that the model chose, and validated data of that kind."""
        partial: Literal['off', 'trailing-strings'] = 'trailing-strings' if allow_partial else 'off'
        if isinstance(data, str):
            union = self.validator.validate_json(without_fence(data) or '{}', allow_partial=partial)
        else:
            union = self.validator.validate_python(data or {}, allow_partial=partial)
        result = union['result']
        processor = self.processors[result['kind']]
        return processor, processor.validate(result.get('data'), ctx, allow_partial=allow_partial)

    async def process(self, value: Any, ctx: RunContext[Any]) -> Any:
        """Return the output of the kind that the model chose."""
        processor, inner = value
        return await processor.process(inner, ctx)


def _wrapped(form: Any) -> Any:
    from typing_extensions import TypedDict

    return TypedDict('response_data_typed_dict', {OUTER_KEY: form})  # type: ignore[misc]


def is_object_type(output: Any) -> bool:
    """Return whether a type has objects for its values, so that its fields can be the arguments of a tool."""
    from dataclasses import is_dataclass
    from typing import get_origin

    origin = get_origin(output) or output
    if not isinstance(origin, type):
        return is_typeddict(origin)
    if issubclass(origin, BaseModel):
        from pydantic import RootModel

        return not issubclass(origin, RootModel)
    structured = getattr(origin, '__is_structured_dict__', False)  # type: ignore[reportUnknownArgumentType]
    return is_dataclass(origin) or is_typeddict(origin) or structured  # type: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def without_fence(text: str) -> str:
    """Return JSON text without a Markdown fence around it, which models like to add."""
    if '```' not in text:
        return text
    match = _FENCE.search(text)
    return match.group(1) if match else text
