"""`OutputToolset`: the output tools of an agent."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .._contracts.output import NativeOutput, PromptedOutput, TextOutput, ToolOutput
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.annotations import TypeForm
from .._kit.json_types import JsonObject
from .._kit.records import DataRecord
from ..exceptions import UserError
from ._processors import ObjectOutputProcessor, free_name

DEFAULT_NAME = 'final_result'
DEFAULT_DESCRIPTION = 'The final response which ends this conversation'
_NOT_IN_NAMES = r'[^a-zA-Z0-9_-]'
"""Characters that providers do not accept in the name of a tool."""


@dataclass(repr=False, eq=False)
class OutputToolset(DataRecord, AbstractToolset[AgentDepsT]):
    """Toolset of output tools: a call of one returns the output and ends the run."""

    _tool_defs: list[ToolDefinition]
    processors: dict[str, ObjectOutputProcessor[Any]]
    """The processor of the output, by the name of the tool."""
    max_retries: int = 1
    """How many times the model may try again."""
    _max_retries_overrides: dict[str, int] = field(default_factory=lambda: {})
    output_validators: list[Any] = field(default_factory=lambda: [])
    """The output validators of the agent, which every output passes through."""

    @classmethod
    def build(
        cls,
        outputs: Sequence[TypeForm],
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> OutputToolset[Any]:
        """Build the toolset of types, output functions and `ToolOutput`s.

        Args:
            outputs: The types, output functions and markers.
            name: The name of tools that have none of their own; of several, each adds that of its type.
            description: The description of tools that have none of their own.
            strict: Whether arguments have to follow the schema, for tools that do not say so themselves.

        Raises:
            UserError: One of the outputs cannot be the output of a tool; the message says which.
        """
        definitions: list[ToolDefinition] = []
        processors: dict[str, ObjectOutputProcessor[Any]] = {}
        overrides: dict[str, int] = {}
        several = len(outputs) > 1
        for output in outputs:
            marker = cast('ToolOutput[object]', output) if isinstance(output, ToolOutput) else ToolOutput(output)
            target: TypeForm = type(None) if marker.output is None else marker.output
            if isinstance(target, (ToolOutput, NativeOutput, PromptedOutput, TextOutput)):
                raise UserError(f'`ToolOutput` takes a type or a function, not another marker: {target!r}.')
            processor = ObjectOutputProcessor[Any](
                target,
                description=marker.description or description,
                strict=strict if marker.strict is None else marker.strict,
            )
            definition = processor.definition
            tool_name = marker.name or name or DEFAULT_NAME
            if marker.name is None and several:
                tool_name = f'{tool_name}_{re.sub(_NOT_IN_NAMES, "", definition.name or "")}'
            tool_name = free_name(tool_name, processors)
            text = definition.description or DEFAULT_DESCRIPTION
            if several and not definition.description:
                text = f'{definition.name}: {text}'
            definitions.append(
                ToolDefinition(
                    name=tool_name,
                    description=text,
                    parameters_json_schema=definition.json_schema,
                    strict=definition.strict,
                    outer_typed_dict_key=processor.outer_key,
                    sequential=marker.sequential,
                    kind='output',
                )
            )
            processors[tool_name] = processor
            if marker.max_retries is not None:
                overrides[tool_name] = marker.max_retries
        return cls(definitions, processors, _max_retries_overrides=overrides)

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return '<output>'

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return "the agent's output tools"

    @property
    def tools_version(self) -> Hashable | None:
        """A value that only changes with the retries, since the tools are constant."""
        return self.max_retries

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools."""
        return {
            definition.name: ToolsetTool(
                toolset=self,
                tool_def=definition,
                max_retries=self._max_retries_overrides.get(definition.name, self.max_retries),
                args_validator=self.processors[definition.name].validator,
            )
            for definition in self._tool_defs
        }

    async def call_tool(
        self, name: str, tool_args: JsonObject, ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Return the output for arguments that the `args_validator` of the tool returned.

        The agent itself does not call this: `ToolManager` runs the processor, so that hooks see the value, not arguments.

        Raises:
            ModelRetry: The output function or an output validator asks for another try.
            UserError: There is no such tool.
        """
        processor = self.processors.get(name)
        if processor is None:
            raise UserError(f'There is no output tool {name!r}; there are {sorted(self.processors)}.')
        output = await processor.process(processor.unwrapped(tool_args), ctx)
        for validator in self.output_validators:
            output = await validator.validate(output, ctx)
        return output
