"""`IncludeReturnSchemasToolset`: sends the return schemas of tools to the model."""

from __future__ import annotations

from dataclasses import dataclass

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._kit.plain_copies import changed
from ._definitions import DefinitionsToolset


@dataclass
class IncludeReturnSchemasToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of another toolset with their return schemas included, unless a tool sets `include_return_schema` itself."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with its return schema included."""
        if definition.include_return_schema is not None:
            return definition
        return changed(definition, include_return_schema=True)
