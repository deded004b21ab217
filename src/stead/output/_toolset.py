"""`OutputToolset`: the tools that carry an output."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .._contracts.output import NativeOutput, PromptedOutput, TextOutput, ToolOutput
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import UserError
from ._processors import ObjectOutputProcessor, free_name

DEFAULT_NAME = 'final_result'
DEFAULT_DESCRIPTION = 'The final response which ends this conversation'
_NOT_IN_NAMES = re.compile(r'[^a-zA-Z0-9_-]')
"""What providers do not take in the name of a tool."""


@dataclass
class OutputToolset(AbstractToolset[AgentDepsT]):
    """The tools that carry an output; a call of one ends the run."""

    _tool_defs: list[ToolDefinition]
    processors: dict[str, ObjectOutputProcessor[Any]]
    """What makes the output of a call, by the name of its tool."""
    max_retries: int = 1
    """How often the model may try again."""
    _max_retries_overrides: dict[str, int] = field(default_factory=lambda: {})
    output_validators: list[Any] = field(default_factory=lambda: [])
    """Checks that every output goes through."""

    @classmethod
    def build(
        cls,
        outputs: Sequence[Any],
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> OutputToolset[Any] | None:
        """Return the toolset for types, output functions and `ToolOutput`s; `None` if there are none.

        Args:
            outputs: The types, output functions and markers.
            name: The base of tool names.
            description: What the tools are for.
            strict: Whether the provider enforces the schemas.

        Raises:
            UserError: A tool cannot carry one of the outputs.
        """
        if not outputs:
            return None
        definitions: list[ToolDefinition] = []
        processors: dict[str, ObjectOutputProcessor[Any]] = {}
        overrides: dict[str, int] = {}
        several = len(outputs) > 1
        for output in outputs:
            marker = cast('ToolOutput[Any]', output) if isinstance(output, ToolOutput) else ToolOutput(output)
            target: Any = type(None) if marker.output is None else marker.output
            if isinstance(target, (ToolOutput, NativeOutput, PromptedOutput, TextOutput)):
                raise UserError(f'`ToolOutput` takes a type or a function, not another marker: {target!r}.')
            processor = ObjectOutputProcessor[Any](
                target,
                description=marker.description or description,
                strict=strict if marker.strict is None else marker.strict,
            )
            made = processor.definition
            tool_name = marker.name or (name or DEFAULT_NAME)
            if marker.name is None and several:
                tool_name = f'{tool_name}_{_NOT_IN_NAMES.sub("", made.name or "")}'
            tool_name = free_name(tool_name, processors)
            text = made.description or DEFAULT_DESCRIPTION
            if several and not made.description:
                text = f'{made.name}: {text}'
            definitions.append(
                ToolDefinition(
                    name=tool_name,
                    description=text,
                    parameters_json_schema=made.json_schema,
                    strict=made.strict,
                    outer_typed_dict_key=processor.outer_key,
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
        """The tools never change; their retries may."""
        return (id(self), self.max_retries)

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
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Return the output for arguments that the `args_validator` of the tool returned.

        The agent goes through `ToolManager` instead, whose hooks see the value rather than arguments.

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
