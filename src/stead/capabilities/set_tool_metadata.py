"""`SetToolMetadata`: adds metadata to tools."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from .._contracts.run_context import AnyDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from .._kit.keywords import dataclass
from ..tools import ToolSelector
from ._selected import SelectedTools


@dataclass(init=False)
class SetToolMetadata(SelectedTools[AnyDepsT]):
    """Capability that adds metadata to tools, replacing values that they have under the same keys."""

    tools: ToolSelector[AnyDepsT] = field(default='all', kw_only=False)
    """Which tools: `'all'`, names, metadata that the tools have, or a function of the run context and the definition."""
    metadata: dict[str, Any] = field(default_factory=lambda: {}, init=False)
    """The metadata to add."""

    def __init__(self, *, tools: ToolSelector[AnyDepsT] = 'all', **metadata: Any) -> None:
        """Build the capability.

        Args:
            tools: Which tools: `'all'`, names, metadata that the tools have, or a function of the run context and the
                definition.
            metadata: The metadata to add, under any names but `tools`.
        """
        self.tools = tools
        self.metadata = metadata

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with the metadata added."""
        return replace(definition, metadata={**(definition.metadata or {}), **self.metadata})

    def around(self, toolset: AbstractToolset[AnyDepsT]) -> AbstractToolset[AnyDepsT]:
        """Return the toolset with the metadata added to all tools."""
        return toolset.with_metadata(**self.metadata)
