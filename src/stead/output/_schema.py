"""`OutputSchema`: what an `output_type` comes to, and which mode it asks for."""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, Literal, Union, cast, get_args, get_origin

import typing_extensions
from pydantic.errors import PydanticUserError

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
from .._kit.json_schema import JsonSchema
from ..exceptions import UserError
from ..messages import BinaryImage
from ..tools import DeferredToolRequests
from ._compiled import CannotCarry, ResultJsonSchema, compile_type
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
"""Classes of `type` statements: the backport is one of its own on some versions of Python."""


@dataclass(kw_only=True)
class OutputSchema(Generic[OutputDataT]):
    """What an `output_type` comes to: what is sent to the model, and what makes a value of its answer."""

    allows_none: bool = False
    """Whether no answer at all will do."""
    text_processor: OutputProcessor[Any] | None = None
    """What makes an output of text; `None` if text will not do."""
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
    spec: Any = str
    """The `output_type`."""

    @property
    def allows_text(self) -> bool:
        """Whether text may be the output."""
        return self.text_processor is not None

    @classmethod
    def build(
        cls,
        output_spec: OutputSpec[Any],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> OutputSchema[Any]:
        """Return the schema for an `output_type`.

        Args:
            output_spec: Types, output functions, markers, or a sequence of these.
            name: The name of the output, and the base of the names of its tools; markers have their own.
            description: What it is, for the model.
            strict: Whether the provider enforces the schemas.

        Raises:
            UserError: The outputs do not go together, or a mode cannot carry one of them; the message says which.
        """
        outputs = flatten(output_spec)
        if not outputs:
            raise UserError('`output_type` is empty. Give at least one type.')
        schema = cls(spec=output_spec)
        schema.allows_deferred_tools = _holds(outputs, DeferredToolRequests)
        schema.allows_image = _holds(outputs, BinaryImage)
        rest = [output for output in outputs if output is not DeferredToolRequests and output is not BinaryImage]
        real = [output for output in rest if output not in _NONES]
        schema.allows_none = len(real) < len(rest)
        if not real and not schema.allows_image:
            only = ' and '.join(f'`{getattr(output, "__name__", output)}`' for output in outputs)
            raise UserError(f'`output_type` needs a type besides {only}, for a run that ends with an answer.')
        texts: list[Any] = [output for output in real if output is str or isinstance(output, TextOutput)]
        structured = [output for output in real if output is not str and not isinstance(output, TextOutput)]
        if len(texts) > 1:
            raise UserError('`output_type` can hold `str` or one `TextOutput`, not several: text has one meaning.')
        if any(isinstance(output, (NativeOutput, PromptedOutput)) for output in structured):
            schema._ask_by_marker([*structured, *texts])
            return schema
        if texts:
            schema.text_processor = TextOutputProcessor[Any](None if texts[0] is str else texts[0].output_function)
        if structured:
            nones = [type(None)] if schema.allows_none else []
            schema._ask_by_tools([*structured, *nones], name, description, strict)
        else:
            schema.mode = 'text' if texts else 'image'
        return schema

    def _ask_by_marker(self, outputs: list[Any]) -> None:
        """Ask for native or prompted output."""
        markers: list[Any] = [output for output in outputs if isinstance(output, (NativeOutput, PromptedOutput))]
        marker = markers[0]
        what = type(marker).__name__
        if len(outputs) > 1:
            raise UserError(f'`{what}` must be the only output type; put all types into it: `{what}([...])`.')
        inner = flatten(marker.outputs)
        for output in inner:
            if isinstance(output, _MARKERS):
                raise UserError(f'`{what}` takes types and functions, not another marker: {output!r}.')
            if output is DeferredToolRequests or output is BinaryImage:
                raise UserError(
                    f'`{what}` cannot carry `{output.__name__}`. Put it beside: `[{what}(...), {output.__name__}]`.'
                )
        if not inner:
            raise UserError(f'`{what}` is empty. Give it at least one type.')
        self.mode = 'native' if isinstance(marker, NativeOutput) else 'prompted'
        strict = marker.strict if isinstance(marker, NativeOutput) else None
        self._take_text(inner, marker.name, marker.description, strict)
        self.template = marker.template

    def _ask_by_tools(self, outputs: list[Any], name: str | None, description: str | None, strict: bool | None) -> None:
        """Ask for output by tools; if there are only bare types and no text, the profile may choose another mode."""
        self.mode = 'tool'
        if self.text_processor is None and not any(isinstance(output, ToolOutput) for output in outputs):
            self.mode = 'auto'
            self._take_text(outputs, name, description, strict)
        self.toolset = OutputToolset[Any].build(outputs, name, description, strict)

    def _take_text(self, outputs: list[Any], name: str | None, description: str | None, strict: bool | None) -> None:
        """Take text for JSON of one of the outputs."""
        several = [member for output in outputs for member in flatten(output)] if len(outputs) > 1 else outputs
        processor: ObjectOutputProcessor[Any] | UnionOutputProcessor[Any] = (
            ObjectOutputProcessor(outputs[0], name=name, description=description, strict=strict, mode=self.mode)
            if len(outputs) == 1
            else UnionOutputProcessor(several, name=name, description=description, strict=strict, mode=self.mode)
        )
        self.text_processor, self.object_def = processor, processor.object_def

    def request_parameters(self, output_tools: list[ToolDefinition]) -> dict[str, Any]:
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

    def output_json_schema(self) -> JsonSchema:
        """Return the JSON schema of the output, as it is once functions have made it.

        Raises:
            UserError: An output function returns a type that has no JSON schema.
        """
        schemas: list[JsonSchema] = []
        for form in (member for output in flatten(self.spec) for member in _result_types(output)):
            try:
                adapter = compile_type(form).adapter
                schemas.append(adapter.json_schema(schema_generator=ResultJsonSchema, mode='serialization'))
            except (CannotCarry, PydanticUserError) as error:
                raise UserError(f'There is no JSON schema for the output {form!r}: {error}') from error
        schemas = [schema for place, schema in enumerate(schemas) if schema not in schemas[:place]]
        if len(schemas) == 1:
            return schemas[0]
        bare, definitions = gather_definitions(schemas)
        members = [schema for place, schema in enumerate(bare) if schema not in bare[:place]]
        return {'anyOf': members, **({'$defs': definitions} if definitions else {})}

    def with_retries(self, retries: int) -> OutputSchema[Any]:
        """Return the schema with another number of retries for its tools; the compiled parts are shared."""
        if self.toolset is None:
            return self
        return replace(self, toolset=replace(self.toolset, max_retries=retries))


def _holds(outputs: list[Any], form: Any) -> bool:
    return any(output is form for output in outputs)


def _result_types(output: Any) -> list[Any]:
    """Return the types that an output may have in the end."""
    if isinstance(output, ToolOutput):
        inner: Any = cast('ToolOutput[Any]', output).output
        return _result_types(inner) if is_function(inner) else flatten(inner)
    if isinstance(output, (NativeOutput, PromptedOutput)):
        return [form for inner in flatten(cast(Any, output).outputs) for form in _result_types(inner)]
    if isinstance(output, TextOutput):
        return [str]
    if is_function(output):
        return flatten(return_type(output))
    return [type(None) if output is None else output]


def flatten(spec: Any) -> list[Any]:
    """Return the single outputs in a spec: sequences and unions are taken apart, also unions behind an alias."""
    if isinstance(spec, Sequence) and not isinstance(spec, str):
        return [output for member in cast('Sequence[Any]', spec) for output in flatten(member)]
    form: Any = spec
    while (alias := isinstance(form, ALIASES)) or get_origin(form) is Annotated:
        form = form.__value__ if alias else get_args(form)[0]
    return list(get_args(form)) if get_origin(form) in (Union, types.UnionType) else [spec]
