"""`OutputSchema`: an `output_type` resolved to an output mode, JSON schemas and processors."""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, Union, cast, get_args, get_origin

import typing_extensions
from pydantic.errors import PydanticUserError

from .. import messages as all_messages
from .._contracts.output import (
    NativeOutput,
    OutputDataT,
    OutputMode,
    OutputObjectDefinition,
    OutputSpec,
    PromptedOutput,
    TextOutput,
    ToolOutput,
)
from .._contracts.tool_definition import ToolDefinition
from .._kit.annotations import TypeForm
from .._kit.json_schema import JsonSchema, with_schema
from .._kit.json_types import JsonObject
from .._kit.records import DataRecord
from ..exceptions import UserError
from ..messages import Media
from ..tools import DeferredToolRequests
from ._choices import is_choices, results_of_choices
from ._compiled import ResultJsonSchema, UnsupportedOutputType, compile_type
from ._definitions import gather_definitions
from ._functions import is_function, return_type
from ._processors import ObjectOutputProcessor, OutputProcessor, TextOutputProcessor, UnionOutputProcessor
from ._toolset import OutputToolset

_MARKERS = (ToolOutput, NativeOutput, PromptedOutput, TextOutput)
_NONES = (None, type(None))
ALIASES: tuple[type, ...] = (
    typing_extensions.TypeAliasType,
    getattr(typing, 'TypeAliasType', typing_extensions.TypeAliasType),
)
"""Classes of `type` statements; on some versions of Python the backport has a class of its own."""


@dataclass(repr=False, eq=False, kw_only=True)
class OutputSchema(DataRecord, Generic[OutputDataT]):
    """A resolved `output_type`: what is sent to the model, and the processors of its responses."""

    allows_none: bool = False
    """Whether an empty response is accepted as `None`."""
    text_processor: OutputProcessor[Any] | None = None
    """The processor of text; `None` if text cannot be the output."""
    toolset: OutputToolset[Any] | None = None
    """The tools that carry the output."""
    object_def: OutputObjectDefinition | None = None
    """The schema, for modes other than tools."""
    allows_deferred_tools: bool = False
    """Whether deferred calls may be the output."""
    allows_image: bool = False
    """Whether an image may be the output."""
    mode: OutputMode = 'text'
    """How the output is asked for; `'auto'` leaves it to the profile of the model."""
    template: str | Literal[False] | None = None
    """The prompt that asks for the output."""
    spec: TypeForm = str
    """The `output_type`."""

    @property
    def processor(self) -> OutputProcessor[Any] | None:
        """The same as `text_processor`."""
        return self.text_processor

    @property
    def allows_text(self) -> bool:
        """Whether text may be the output."""
        return self.text_processor is not None

    @property
    def is_structured(self) -> bool:
        """Whether only JSON can be the output."""
        return self.mode not in ('text', 'image') and not isinstance(self.text_processor, TextOutputProcessor)

    @classmethod
    def build(
        cls,
        output_spec: OutputSpec[Any],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> OutputSchema[Any]:
        """Build the schema of an `output_type`.

        Args:
            output_spec: Types, output functions, markers, or a sequence of these.
            name: The name of outputs that have none of their own; like the others, not for native and prompted output.
            description: The description of outputs that have none of their own.
            strict: Whether outputs have to follow their schema, for those that do not say so themselves.

        Raises:
            UserError: The outputs cannot be combined, or a mode does not support one of them; the message says which.
        """
        outputs = flatten(output_spec)
        if not outputs:
            raise UserError('`output_type` is empty. Give at least one type.')
        schema: OutputSchema[Any] = OutputSchema(spec=output_spec)
        schema.allows_deferred_tools = any(output is DeferredToolRequests for output in outputs)
        schema.allows_image = any(map(_is_image, outputs))
        rest = [output for output in outputs if output is not DeferredToolRequests and not _is_image(output)]
        named = [output for output in rest if output not in _NONES]
        schema.allows_none = len(named) < len(rest)
        if not named and not schema.allows_image:
            only = ' and '.join(f'`{getattr(output, "__name__", output)}`' for output in outputs)
            raise UserError(f'`output_type` needs a type in addition to {only}, for a run that ends with an answer.')
        texts: list[TypeForm] = [output for output in named if output is str or isinstance(output, TextOutput)]
        structured = [output for output in named if output is not str and not isinstance(output, TextOutput)]
        if len(texts) > 1:
            raise UserError(
                '`output_type` can have `str` or one `TextOutput`, not several: text can only be read in one way.'
            )
        if any(isinstance(output, (NativeOutput, PromptedOutput)) for output in structured):
            schema._use_marker([*structured, *texts])
            return schema
        if texts:
            schema.text_processor = TextOutputProcessor[Any](None if texts[0] is str else texts[0].output_function)
        if structured:
            nones = [type(None)] if schema.allows_none else []
            schema._use_tools([*structured, *nones], name, description, strict)
        else:
            schema.mode = 'text' if texts else 'image'
        return schema

    def _use_marker(self, outputs: list[TypeForm]) -> None:
        """Use native or prompted output, as the only marker says."""
        markers: list[TypeForm] = [output for output in outputs if isinstance(output, (NativeOutput, PromptedOutput))]
        marker = markers[0]
        marker_name = type(marker).__name__
        if len(outputs) > 1:
            raise UserError(
                f'`{marker_name}` must be the only output type; pass all types to it: `{marker_name}([...])`.'
            )
        inner = flatten(marker.outputs)
        for output in inner:
            if isinstance(output, _MARKERS):
                raise UserError(f'`{marker_name}` takes types and functions, not another marker: {output!r}.')
            if output is DeferredToolRequests or _is_image(output):
                raise UserError(
                    f'`{marker_name}` cannot hold `{output.__name__}`. List both: `[{marker_name}(...), {output.__name__}]`.'
                )
        if not inner:
            raise UserError(f'`{marker_name}` is empty. Give it at least one type.')
        self.mode = 'native' if isinstance(marker, NativeOutput) else 'prompted'
        strict = marker.strict if isinstance(marker, NativeOutput) else None
        self._use_text(inner, marker.name, marker.description, strict)
        self.template = marker.template

    def _use_tools(
        self, outputs: list[TypeForm], name: str | None, description: str | None, strict: bool | None
    ) -> None:
        """Use output tools; with types and functions alone, and no text, the profile may choose another mode."""
        self.mode = 'tool'
        if self.text_processor is None and not any(isinstance(output, ToolOutput) for output in outputs):
            self.mode = 'auto'
            self._use_text(outputs, name, description, strict)
        self.toolset = OutputToolset[Any].build(outputs, name, description, strict)

    def _use_text(
        self,
        outputs: list[TypeForm],
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> None:
        """Use text that holds the JSON of one of the outputs."""
        processor: ObjectOutputProcessor[Any] | UnionOutputProcessor[Any]
        if len(outputs) == 1:
            processor = ObjectOutputProcessor(
                outputs[0], name=name, description=description, strict=strict, mode=self.mode
            )
        else:
            members = [member for output in outputs for member in flatten(output)]
            processor = UnionOutputProcessor(members, name=name, description=description, strict=strict, mode=self.mode)
        self.text_processor, self.object_def = processor, processor.object_def

    def request_parameters(self, output_tools: list[ToolDefinition]) -> JsonObject:
        """Return the fields of `ModelRequestParameters` that ask for the output.

        Args:
            output_tools: The output tools of the step.
        """
        return {
            'output_mode': self.mode,
            'output_tools': output_tools,
            'output_object': self.object_def,
            'prompted_output_template': self.template,
            'allow_text_output': self.allows_text,
            'allow_image_output': self.allows_image,
        }

    def recorded(self, data: object, run_id: str) -> Any:
        """Return an output that was recorded, in the type of one of the outputs.

        Args:
            data: Its JSON data.
            run_id: The run that returned it.

        Raises:
            UserError: It fits none of the types.
        """
        from ._recorded import recorded_output

        forms: list[TypeForm] = []
        for output in flatten(self.spec):
            if isinstance(output, TextOutput):
                forms += flatten(return_type(cast('TextOutput[object]', output).output_function))
            elif output is not DeferredToolRequests:
                forms += result_types(output)
        return recorded_output(forms, data, run_id)

    def output_json_schema(self) -> JsonSchema:
        """Return the JSON schema of the output, after output functions.

        Raises:
            UserError: An output, or the return type of an output function, has no JSON schema.
        """
        schemas: list[JsonSchema] = []
        for result_type in result_types(self.spec):
            try:
                adapter = compile_type(result_type).adapter
                schemas.append(adapter.json_schema(schema_generator=ResultJsonSchema, mode='serialization'))
            except (UnsupportedOutputType, PydanticUserError) as error:
                raise UserError(f'There is no JSON schema for the output {result_type!r}: {error}') from error
        schemas = [schema for index, schema in enumerate(schemas) if schema not in schemas[:index]]
        if len(schemas) == 1:
            return schemas[0]
        without_definitions, definitions = gather_definitions(schemas)
        members: list[JsonSchema] = []
        for schema in without_definitions:
            if schema not in members:
                members.append(schema)
        return {'anyOf': members, **({'$defs': definitions} if definitions else {})}


class _SchemaOfModes(type):
    """The type of classes that are those schemas which ask for the output in certain ways."""

    modes: frozenset[OutputMode] = frozenset()

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, OutputSchema) and instance.mode in cls.modes


class StructuredTextOutputSchema(OutputSchema[OutputDataT], metaclass=_SchemaOfModes):
    """For `isinstance`: schemas whose output is JSON in the text. `OutputSchema.build` makes them."""

    modes: frozenset[OutputMode] = frozenset({'native', 'prompted'})

    @classmethod
    def build_instructions(cls, template: str, object_def: OutputObjectDefinition) -> str:
        """Return the prompt that asks for an output.

        Args:
            template: The prompt; `{schema}` is replaced by the schema, which follows it otherwise.
            object_def: The schema, with its name and description.
        """
        return with_schema(template, object_def.json_schema, object_def.name, object_def.description)


class TextOutputSchema(OutputSchema[OutputDataT], metaclass=_SchemaOfModes):
    """For `isinstance`: schemas whose output is the text. `OutputSchema.build` makes them."""

    modes: frozenset[OutputMode] = frozenset({'text'})


def _is_image(output: TypeForm) -> bool:
    return Media in getattr(output, '__mro__', ()) and output is all_messages.BinaryImage


def result_types(spec: TypeForm) -> list[TypeForm]:
    """Return the types that the outputs of a spec may have, after output functions."""
    return [member for output in flatten(spec) for member in _result_types(output)]


def _result_types(output: TypeForm) -> list[TypeForm]:
    """Return the types that an output may have after output functions."""
    if isinstance(output, ToolOutput):
        inner: TypeForm = cast('ToolOutput[object]', output).output
        return _result_types(inner) if is_function(inner) else flatten(inner)
    if isinstance(output, (NativeOutput, PromptedOutput)):
        return [
            member
            for inner in flatten(cast('NativeOutput[object] | PromptedOutput[object]', output).outputs)
            for member in _result_types(inner)
        ]
    if isinstance(output, TextOutput):
        return [str]
    if is_function(output):
        return flatten(return_type(output))
    if is_choices(output):
        return results_of_choices(output)
    return [type(None) if output is None else output]


def flatten(spec: TypeForm) -> list[TypeForm]:
    """Return the individual outputs of a spec: the members of sequences and unions, also of unions behind an alias."""
    if isinstance(spec, Sequence) and not isinstance(spec, str):
        return [output for member in cast(Sequence[TypeForm], spec) for output in flatten(member)]
    form: TypeForm = spec
    while (alias := isinstance(form, ALIASES)) or get_origin(form) is Annotated:
        form = form.__value__ if alias else get_args(form)[0]
    return list(get_args(form)) if get_origin(form) in (Union, types.UnionType) else [spec]
