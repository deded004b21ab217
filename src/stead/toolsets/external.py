"""`ExternalToolset`: tools whose results come from outside the run."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from pydantic_core import SchemaValidator, core_schema
from typing_extensions import deprecated

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import PydanticAIDeprecationWarning

TOOL_SCHEMA_VALIDATOR = SchemaValidator(core_schema.any_schema())
"""Accepts any arguments, because the code that executes the call validates them."""


class ExternalToolset(AbstractToolset[AgentDepsT]):
    """Tools that the model may call and that are executed outside the run."""

    def __init__(self, tool_defs: list[ToolDefinition], *, id: str | None = None) -> None:
        """Build a toolset.

        Args:
            tool_defs: The definitions of the tools.
            id: An id for the toolset.
        """
        self.tool_defs = tool_defs
        self._id = id

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    @property
    def tools_version(self) -> Hashable | None:
        """A value that changes with the definitions, also when a field of one is assigned."""
        return tuple((id(each), *map(id, vars(each).values())) for each in self.tool_defs)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools."""
        return {
            definition.name: ToolsetTool(
                toolset=self,
                tool_def=replace(definition, kind='external'),
                max_retries=0,
                args_validator=TOOL_SCHEMA_VALIDATOR,
            )
            for definition in self.tool_defs
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Raise an error, because the tool is executed elsewhere.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            f'Tool {name!r} of {self.label} is executed outside the run. Pass its result in `deferred_tool_results`.'
        )


@deprecated('`DeferredToolset` is an old name; use `ExternalToolset`.', category=PydanticAIDeprecationWarning)
class DeferredToolset(ExternalToolset[AgentDepsT]):
    """The old name of `ExternalToolset`."""
