"""`IncludeToolReturnSchemas`: sends the return schemas of tools to the model."""

from __future__ import annotations

from dataclasses import field, replace

from .._contracts.run_context import AnyDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from .._kit.keywords import dataclass
from ..tools import ToolSelector
from ._selected import SelectedTools


@dataclass
class IncludeToolReturnSchemas(SelectedTools[AnyDepsT]):
    """Capability that sends the return schemas of tools to the model, unless a tool sets `include_return_schema` itself."""

    tools: ToolSelector[AnyDepsT] = field(default='all', kw_only=False)
    """Which tools: `'all'`, names, metadata that the tools have, or a function of the run context and the definition."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with its return schema included."""
        if definition.include_return_schema is not None:
            return definition
        return replace(definition, include_return_schema=True)

    def around(self, toolset: AbstractToolset[AnyDepsT]) -> AbstractToolset[AnyDepsT]:
        """Return the toolset with all return schemas included."""
        return toolset.include_return_schemas()
