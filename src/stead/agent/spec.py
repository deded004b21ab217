"""`AgentSpec`: an agent written down as data, in YAML or JSON."""

from __future__ import annotations

from .._specs.source import SpecError
from .._specs.spec import AgentSpec, CapabilitySpec
from ..capabilities._registry import capability_types

get_capability_registry = capability_types
"""Under the name that extension packages import."""

__all__ = ('AgentSpec', 'CapabilitySpec', 'SpecError')
