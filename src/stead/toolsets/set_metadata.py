"""`SetMetadataToolset`: adds metadata to tools."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from ._copies import changed
from ._definitions import DefinitionsToolset


@dataclass
class SetMetadataToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of another toolset with metadata added."""

    metadata: dict[str, Any] = field(default_factory=lambda: {})
    """The metadata to add; it replaces metadata that tools have under the same keys."""

    def depends_on(self) -> Hashable:
        """Return the keys of the metadata, with the ids of the values, which may not be hashable."""
        return tuple((name, id(value)) for name, value in self.metadata.items())

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with the metadata added."""
        return changed(definition, metadata={**(definition.metadata or {}), **self.metadata})
