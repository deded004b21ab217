"""`PrefixTools`: adds a prefix to the tool names of a capability."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any

from .._contracts.run_context import AgentDepsT
from .._kit.keywords import dataclass
from ..toolsets import AgentToolset
from ._owned import as_toolset
from .wrapper import WrapperCapability

NESTED = 'a capability in the arguments of another'
"""Annotation of a parameter whose value is the entry of a capability in a spec."""


@dataclass
class PrefixTools(WrapperCapability[AgentDepsT]):
    """Another capability whose tool names start with a prefix and an underscore."""

    prefix: str = field(kw_only=False)
    """The prefix, without the underscore."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return the name in agent specs."""
        return cls.__name__

    @classmethod
    def from_spec(cls, *, prefix: str, capability: Annotated[Any, NESTED]) -> PrefixTools[Any]:
        """Build the capability from a prefix and the spec of another capability.

        Raises:
            CapabilitySpecError: The spec of the other capability is invalid.
        """
        from ._registry import CapabilitySpecError, capability_from_spec  # imports this module

        try:
            return cls(capability_from_spec(capability), prefix)
        except CapabilitySpecError as error:
            raise error.under('capability') from None

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return the toolset of the wrapped capability with prefixed names."""
        toolset = self.wrapped.get_toolset()
        return None if toolset is None else as_toolset(toolset).prefixed(self.prefix)
