"""`PrefixTools`: a capability whose tools have names with a prefix."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from .._contracts.run_context import AgentDepsT
from ..toolsets import AgentToolset
from ._owned import as_toolset
from .wrapper import WrapperCapability

NESTED = 'a capability in the arguments of another'
"""Marks a parameter whose value is the entry of a capability in a spec."""


@dataclass
class PrefixTools(WrapperCapability[AgentDepsT]):
    """Another capability whose tool names start with a prefix and an underscore."""

    prefix: str = field(kw_only=False)
    """The prefix."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return the name in agent specs."""
        return cls.__name__

    @classmethod
    def from_spec(cls, *, prefix: str, capability: Annotated[Any, NESTED]) -> PrefixTools[Any]:
        """Build the capability from a prefix and the spec of another capability.

        Raises:
            ValueError: No capability has that name, or its spec has a wrong form.
        """
        from ._registry import CapabilitySpecError, capability_from_spec  # which know this class, too

        try:
            return cls(capability_from_spec(capability), prefix)
        except CapabilitySpecError as error:
            raise error.under('capability') from None

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return the toolset of the wrapped capability with prefixed names."""
        toolset = self.wrapped.get_toolset()
        return None if toolset is None else as_toolset(toolset).prefixed(self.prefix)
