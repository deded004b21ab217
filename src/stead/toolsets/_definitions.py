"""The base class of wrappers that change the definition of every tool in the same way."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.plain_copies import changed
from ..tools import ToolsPrepareFunc
from .prepared import PreparedToolset
from .wrapper import Listing, WrapperToolset


@dataclass
class DefinitionsToolset(PreparedToolset[AgentDepsT]):
    """The tools of another toolset with changed definitions."""

    prepare_func: ToolsPrepareFunc[AgentDepsT] = field(init=False, repr=False, compare=False)
    """Calls `change` on each definition."""
    # Not those that call `prepare_func`: `change` depends on no step.
    get_tools: ClassVar[Any] = WrapperToolset.get_tools
    tool_listing: ClassVar[Any] = WrapperToolset.tool_listing

    def __post_init__(self) -> None:
        self.prepare_func = self._change_all

    def _change_all(self, ctx: RunContext[AgentDepsT], definitions: list[ToolDefinition]) -> list[ToolDefinition]:
        return [self.change(definition) for definition in definitions]

    @abstractmethod
    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the changed definition of a tool, or `definition` itself if there is nothing to change."""

    def map_tools(self, listing: Listing[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools with changed definitions."""
        result: dict[str, ToolsetTool[AgentDepsT]] = {}
        for name, tool in listing.tools.items():
            definition = self.change(tool.tool_def)
            result[name] = tool if definition is tool.tool_def else changed(tool, tool_def=definition)
        return result
