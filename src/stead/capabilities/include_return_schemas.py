"""`IncludeToolReturnSchemas`: models are told what tools return."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from ..tools import ToolSelector
from ._selected import SelectedTools


@dataclass
class IncludeToolReturnSchemas(SelectedTools[AgentDepsT]):
    """Sends the return schemas of tools to the model, unless a tool says otherwise itself."""

    tools: ToolSelector[AgentDepsT] = field(default='all', kw_only=False)
    """Which tools: `'all'`, names, metadata that they carry, or a function of run context and definition."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with its return schema sent along."""
        if definition.include_return_schema is not None:
            return definition
        return replace(definition, include_return_schema=True)

    def around(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset with all return schemas sent along."""
        return toolset.include_return_schemas()
