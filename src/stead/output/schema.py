"""`OutputSchema`: what an `output_type` comes to; which way it is asked for is one row of a table."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Union, cast, get_args, get_origin

from typing_extensions import TypeAliasType

from .._contracts.output import OutputDataT, OutputMode, OutputObjectDefinition, OutputSpec
from .._contracts.tool_definition import ToolDefinition
from .._kit.json_schema import JsonSchema
from ..exceptions import UserError
from ..messages import BinaryImage
from ..tools import DeferredToolRequests
from .markers import NativeOutput, PromptedOutput, TextOutput, ToolOutput
from .processors import ObjectOutputProcessor, OutputProcessor, TextOutputProcessor, UnionOutputProcessor
from .toolset import OutputToolset


@dataclass
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
    """How the output is asked for."""
    template: str | None = None
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
            name: The base of tool names.
            description: What output tools are for.
            strict: Whether the vendor enforces the schemas.

        Raises:
            UserError: The outputs do not go together, or pydantic cannot validate one of them.
        """
        outputs = flatten(output_spec)
        if not outputs:
            raise UserError('`output_type` is empty. Give at least one type.')
        schema = cls(spec=output_spec)
        schema.allows_deferred_tools = DeferredToolRequests in outputs
        schema.allows_image = BinaryImage in outputs
        rest = [output for output in outputs if output not in (DeferredToolRequests, BinaryImage)]
        nones = [output for output in rest if output in (None, type(None))]
        schema.allows_none = bool(nones)
        real = [output for output in rest if output not in (None, type(None))]
        if not real and not schema.allows_image:
            only = 'None' if nones else 'DeferredToolRequests'
            raise UserError(f'`output_type` needs a type besides `{only}`, for a run that ends with an answer.')
        texts = [output for output in real if output is str or isinstance(output, TextOutput)]  # type: ignore[reportUnknownVariableType]
        if len(texts) > 1:  # type: ignore[reportUnknownArgumentType]
            raise UserError('`output_type` can hold `str` or one `TextOutput`, not several: text has one meaning.')
        if texts:
            function = cast(Any, texts[0]).output_function if isinstance(texts[0], TextOutput) else None
            schema.text_processor = TextOutputProcessor[Any](function)
        structured = [output for output in real if output not in texts]
        marked = [output for output in structured if isinstance(output, (NativeOutput, PromptedOutput))]  # type: ignore[reportUnknownVariableType]
        if marked:
            return schema._with_marker(marked, structured, texts)  # type: ignore[reportUnknownArgumentType]
        return schema._with_tools(structured, nones if not texts else [], name, description, strict)

    def _with_marker(self, marked: list[Any], structured: list[Any], texts: list[Any]) -> OutputSchema[Any]:
        marker = marked[0]
        what = type(marker).__name__
        if len(structured) > 1 or texts:
            raise UserError(f'`{what}` must be the only output type; put all types into it: `{what}([...])`.')
        outputs = flatten(marker.outputs)
        if bad := [o for o in outputs if isinstance(o, (ToolOutput, NativeOutput, PromptedOutput, TextOutput))]:  # type: ignore[reportUnknownVariableType]
            raise UserError(f'`{what}` takes types and functions, not another marker: {bad[0]!r}.')
        options = {'name': marker.name, 'description': marker.description}
        strict = marker.strict if isinstance(marker, NativeOutput) else None
        processor: OutputProcessor[Any] = (
            ObjectOutputProcessor(outputs[0], strict=strict, **options)
            if len(outputs) == 1
            else UnionOutputProcessor(outputs, strict=strict, **options)
        )
        self.text_processor = processor
        self.object_def = processor.object_def
        self.template = marker.template
        self.mode = 'native' if isinstance(marker, NativeOutput) else 'prompted'
        return self

    def _with_tools(
        self, structured: list[Any], nones: list[Any], name: str | None, description: str | None, strict: bool | None
    ) -> OutputSchema[Any]:
        if not structured:
            self.mode = 'text' if self.text_processor is not None else 'image'
            return self
        tools = [*structured, *(type(None) for _ in nones)]
        self.toolset = OutputToolset[Any].build(tools, name, description, strict)
        plain = not any(isinstance(output, ToolOutput) for output in tools)
        if plain and self.text_processor is None:
            # Bare types leave the mode to the model, so text that holds the value will do as well.
            processor: OutputProcessor[Any] = (
                ObjectOutputProcessor(tools[0], strict=strict)
                if len(tools) == 1
                else UnionOutputProcessor(tools, strict=strict)
            )
            self.text_processor, self.object_def, self.mode = processor, processor.object_def, 'auto'
        else:
            self.mode = 'tool'
        return self

    def request_parameters(self, output_tools: list[ToolDefinition]) -> dict[str, Any]:
        """Return the fields of `ModelRequestParameters` that ask for the output.

        Args:
            output_tools: The output tools of the step.
        """
        plain_text = isinstance(self.text_processor, TextOutputProcessor)
        return {
            'output_mode': self.mode,
            'output_tools': output_tools,
            'output_object': self.object_def,
            'prompted_output_template': self.template,
            'allow_text_output': self.allows_text and (plain_text or self.mode != 'tool'),
            'allow_image_output': self.allows_image,
        }

    def output_json_schema(self) -> JsonSchema:
        """Return the JSON schema of the output."""
        from pydantic import TypeAdapter

        forms: list[Any] = []
        for output in flatten(self.spec):
            forms.extend(_result_types(output))
        forms = list(dict.fromkeys(forms))
        union: Any = forms[0] if len(forms) == 1 else Union[tuple(forms)]
        return TypeAdapter(union).json_schema()

    def with_retries(self, retries: int) -> OutputSchema[Any]:
        """Return the schema with another number of retries for its tools; the compiled parts are shared."""
        if self.toolset is None:
            return self
        return replace(self, toolset=replace(self.toolset, max_retries=retries))


def _result_types(output: Any) -> list[Any]:
    """Return the types that an output may have in the end."""
    import inspect
    import typing

    if isinstance(output, ToolOutput):
        return _result_types(cast(Any, output).output)
    if isinstance(output, (NativeOutput, PromptedOutput)):
        return [form for inner in flatten(cast(Any, output).outputs) for form in _result_types(inner)]
    if isinstance(output, TextOutput):
        return _result_types(cast(Any, output).output_function)
    if inspect.isfunction(output) or inspect.ismethod(output):
        hint = typing.get_type_hints(output).get('return', Any)
        if hint is Any:
            return [Any]
        args = get_args(hint)
        return [args[-1]] if get_origin(hint) is not None and 'wait' in str(get_origin(hint)) else [hint]
    return [type(None) if output is None else output]


def flatten(spec: Any) -> list[Any]:
    """Return the single outputs in a spec: unions, aliases and sequences are taken apart."""
    if isinstance(spec, TypeAliasType):
        return flatten(spec.__value__)
    if get_origin(spec) in (Union, types.UnionType):
        return [output for member in get_args(spec) for output in flatten(member)]
    if isinstance(spec, Sequence) and not isinstance(spec, str):
        return [output for member in cast('Sequence[Any]', spec) for output in flatten(member)]
    return [spec]
