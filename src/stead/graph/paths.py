"""Paths between the nodes of builder graphs."""

from __future__ import annotations

from ._wiring import (
    BroadcastMarker,
    DepsT,
    DestinationMarker,
    EdgePath,
    EdgePathBuilder,
    InputT,
    LabelMarker,
    MapMarker,
    OutputT,
    Path,
    PathBuilder,
    PathItem,
    StateT,
    T,
    TransformFunction,
    TransformMarker,
)

__all__ = (
    'BroadcastMarker',
    'DepsT',
    'DestinationMarker',
    'EdgePath',
    'EdgePathBuilder',
    'InputT',
    'LabelMarker',
    'MapMarker',
    'OutputT',
    'Path',
    'PathBuilder',
    'PathItem',
    'StateT',
    'T',
    'TransformFunction',
    'TransformMarker',
)
