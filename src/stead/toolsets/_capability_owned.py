"""`CapabilityOwnedToolset`: tools marked with the id of the capability that contributes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from ._definitions import DefinitionsToolset


@dataclass
class CapabilityOwnedToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of a capability, marked with its id."""

    capability_id: str
    """The id of the capability in the run."""

    def depends_on(self) -> object:
        """Return the id of the capability: the tools depend on nothing else."""
        return self.capability_id

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with the id of the capability, unless it has one."""
        if definition.capability_id is not None:
            return definition
        return replace(definition, capability_id=self.capability_id)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on this toolset and then on its leaves, so that the visitor knows whose they are."""
        visitor(self)
        super().apply(visitor)
