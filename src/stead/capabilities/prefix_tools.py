"""`PrefixTools`: a capability whose tools have names with a prefix."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from ..toolsets import AgentToolset, DynamicToolset
from .wrapper import WrapperCapability


@dataclass
class PrefixTools(WrapperCapability[AgentDepsT]):
    """Another capability whose tool names start with a prefix and an underscore."""

    prefix: str = field(default='', kw_only=True)
    """The prefix."""

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return the toolset of the wrapped capability with prefixed names."""
        toolset = self.wrapped.get_toolset()
        if toolset is None:
            return None
        made = toolset if isinstance(toolset, AbstractToolset) else DynamicToolset(toolset)  # type: ignore[reportUnknownVariableType]
        return made.prefixed(self.prefix)  # type: ignore[reportUnknownVariableType]
