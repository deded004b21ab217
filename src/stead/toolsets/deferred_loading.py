"""`DeferredLoadingToolset`: defers tools until tool search discovers them."""

from __future__ import annotations

from dataclasses import dataclass

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.plain_copies import changed
from ._definitions import DefinitionsToolset
from .wrapper import Listing, check_names


@dataclass
class DeferredLoadingToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of another toolset, some or all of them deferred until tool search discovers them."""

    tool_names: frozenset[str] | None = None
    """Names of the tools to defer; all tools if `None`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tool_names is not None:
            self.tool_names = frozenset(self.tool_names)

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition, deferred if the tool is among those to defer."""
        if self.tool_names is not None and definition.name not in self.tool_names:
            return definition
        return changed(definition, defer_loading=True)

    def map_tools(self, listing: Listing[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools.

        Raises:
            UserError: A tool to defer does not exist, and the wrapped toolset always lists the same tools.
        """
        check_names(self, self.tool_names or (), listing)
        return super().map_tools(listing)
