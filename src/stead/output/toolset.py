"""`OutputToolset`: the tools that carry an output."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import SchemaValidator, core_schema

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import UserError
from .markers import ToolOutput
from .processors import ObjectOutputProcessor, OutputProcessor

DEFAULT_NAME = 'final_result'
DEFAULT_DESCRIPTION = 'The final response which ends this conversation'
_ANY = SchemaValidator(core_schema.any_schema())


@dataclass
class OutputToolset(AbstractToolset[AgentDepsT]):
    """The tools that carry an output; a call of one ends the run."""

    _tool_defs: list[ToolDefinition]
    processors: dict[str, OutputProcessor[Any]]
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
            strict: Whether the vendor enforces the schemas.
        """
        if not outputs:
            return None
        definitions: list[ToolDefinition] = []
        processors: dict[str, OutputProcessor[Any]] = {}
        overrides: dict[str, int] = {}
        several = len(outputs) > 1
        base_name = name or DEFAULT_NAME
        for output in outputs:
            marker = output if isinstance(output, ToolOutput) else None  # type: ignore[reportUnknownVariableType]
            target: Any = marker.output if marker is not None else output  # type: ignore[reportUnknownMemberType]
            tool_name = marker.name if marker is not None else None
            tool_description = (marker.description if marker is not None else None) or description
            tool_strict = marker.strict if marker is not None and marker.strict is not None else strict
            processor = ObjectOutputProcessor[Any](target, description=tool_description, strict=tool_strict)
            made = processor.object_def
            assert made is not None
            if tool_name is None:
                tool_name = f'{base_name}_{safe_name(made.name)}' if several and made.name else base_name
            unique, number = tool_name, 2
            while unique in processors:
                unique, number = f'{tool_name}_{number}', number + 1
            text = made.description or DEFAULT_DESCRIPTION
            if not made.description and several and made.name:
                text = f'{made.name}: {text}'
            definitions.append(
                ToolDefinition(
                    name=unique,
                    description=text,
                    parameters_json_schema=made.json_schema,
                    strict=made.strict,
                    outer_typed_dict_key=processor.outer_key,
                    kind='output',
                )
            )
            processors[unique] = processor
            if marker is not None and marker.max_retries is not None:
                overrides[unique] = marker.max_retries
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
                args_validator=_ANY,
            )
            for definition in self._tool_defs
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Return the output for validated arguments."""
        processor = self.processors.get(name)
        if processor is None:
            raise UserError(f'There is no output tool {name!r}; there are {sorted(self.processors)}.')
        output = await processor.process(tool_args, ctx)
        for validator in self.output_validators:
            output = await validator.validate(output, ctx)
        return output


def safe_name(name: str | None) -> str:
    """Return a name with what cannot stand in the name of a tool replaced."""
    return ''.join(char if char.isalnum() or char == '_' else '_' for char in name or '')
