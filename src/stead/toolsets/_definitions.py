"""The mould of wrappers that change the definition of every tool in the same way."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .wrapper import StaticWrapperToolset


@dataclass
class DefinitionsToolset(StaticWrapperToolset[AgentDepsT]):
    """The tools of another toolset with changed definitions."""

    @abstractmethod
    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition that a tool is to have."""

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools with changed definitions."""
        tools = await self.wrapped.get_tools(ctx)
        return {name: replace(tool, tool_def=self.change(tool.tool_def)) for name, tool in tools.items()}
