"""`SetMetadataToolset`: tools carry more metadata."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from ._definitions import DefinitionsToolset


@dataclass
class SetMetadataToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of another toolset with metadata added to their own."""

    metadata: dict[str, Any]
    """The metadata; it goes over that of the tools."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with the metadata added."""
        return replace(definition, metadata={**(definition.metadata or {}), **self.metadata})
