"""`AgentSpec`: an agent written down as data, in YAML or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._contracts.capability import CapabilityType
from .._specs.source import SpecError
from .._specs.spec import AgentSpec, CapabilitySpec
from ..capabilities._registry import capability_types


def get_capability_registry(custom_types: Sequence[CapabilityType] = ()) -> Mapping[str, CapabilityType]:
    """Return the capability classes that specs may refer to, by name; extension packages import this.

    Args:
        custom_types: More classes; one with the same name as a class of stead replaces it.

    Raises:
        ValueError: An entry is not a capability class, has no name in specs, or has the same name as another entry.
    """
    return capability_types(custom_types)


__all__ = ('AgentSpec', 'CapabilitySpec', 'SpecError')
