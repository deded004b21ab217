"""`Toolset`: a toolset as a capability."""

from __future__ import annotations

from dataclasses import field

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT
from .._kit.keywords import dataclass
from ..toolsets import AgentToolset


@dataclass
class Toolset(AbstractCapability[AgentDepsT]):
    """A toolset for the agent."""

    toolset: AgentToolset[AgentDepsT] = field(kw_only=False)
    """The toolset, or a function of the run context that returns one."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold a toolset."""
        return None

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return the toolset."""
        return self.toolset
