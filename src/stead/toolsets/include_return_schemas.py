"""`IncludeReturnSchemasToolset`: models are told what tools return."""

from __future__ import annotations

from dataclasses import dataclass

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from ._copies import changed
from ._definitions import DefinitionsToolset


@dataclass
class IncludeReturnSchemasToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of another toolset with their return schemas sent along, unless a tool says otherwise."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with its return schema sent along."""
        if definition.include_return_schema is not None:
            return definition
        return changed(definition, include_return_schema=True)
