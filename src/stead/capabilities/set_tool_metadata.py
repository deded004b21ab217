"""`SetToolMetadata`: tools carry more metadata."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from ..tools import ToolSelector
from ._selected import SelectedTools


@dataclass(init=False)
class SetToolMetadata(SelectedTools[AgentDepsT]):
    """Adds metadata to tools, over their own."""

    tools: ToolSelector[AgentDepsT] = field(default='all', kw_only=False)
    """Which tools: `'all'`, names, metadata that they carry, or a function of run context and definition."""
    metadata: dict[str, Any] = field(default_factory=lambda: {}, init=False)
    """The metadata."""

    def __init__(self, *, tools: ToolSelector[AgentDepsT] = 'all', **metadata: Any) -> None:
        """Say which tools get what metadata.

        Args:
            tools: `'all'`, names, metadata that the tools carry, or a function of run context and definition.
            metadata: The metadata, any names but `tools`.
        """
        self.tools = tools
        self.metadata = metadata

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with the metadata added."""
        return replace(definition, metadata={**(definition.metadata or {}), **self.metadata})

    def around(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset with the metadata on all tools."""
        return toolset.with_metadata(**self.metadata)
