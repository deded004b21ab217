"""The types of nodes that edges of builder graphs may begin at and lead to."""

from __future__ import annotations

from ._wiring import (
    AnyDestinationNode,
    AnyNode,
    AnySourceNode,
    DepsT,
    DestinationNode,
    InputT,
    MiddleNode,
    OutputT,
    SourceNode,
    StateT,
    is_destination,
    is_source,
)

__all__ = (
    'AnyDestinationNode',
    'AnyNode',
    'AnySourceNode',
    'DepsT',
    'DestinationNode',
    'InputT',
    'MiddleNode',
    'OutputT',
    'SourceNode',
    'StateT',
    'is_destination',
    'is_source',
)
