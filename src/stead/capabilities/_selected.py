"""The base class of capabilities that change the definitions of selected tools."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from ..tools import ToolSelector, matches_tool_selector
from ..toolsets import PreparedToolset


class SelectedTools(AbstractCapability[AgentDepsT]):
    """A capability that changes the definitions of the tools that a selector matches."""

    tools: ToolSelector[AgentDepsT]
    """Which tools to change."""

    @abstractmethod
    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the changed definition of a selected tool."""

    @abstractmethod
    def around(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a toolset that changes all tools; called if the selector is `'all'`."""

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        """Return a toolset with the selected tools changed."""
        if self.tools == 'all':
            return self.around(toolset)  # no need to select tools again at every step

        async def change_selected(ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
            return [
                self.change(definition) if await matches_tool_selector(self.tools, ctx, definition) else definition
                for definition in tool_defs
            ]

        return PreparedToolset(toolset, change_selected)
