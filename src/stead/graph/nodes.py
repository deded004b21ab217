"""The names of `stead.graph.basenode` under their newer path."""

from __future__ import annotations

from .basenode import (
    BaseNode,
    DepsT,
    Edge,
    End,
    GraphRunContext,
    NodeDef,
    NodeRunEndT,
    RunEndT,
    StateT,
    generate_snapshot_id,
)

__all__ = (
    'BaseNode',
    'DepsT',
    'Edge',
    'End',
    'GraphRunContext',
    'NodeDef',
    'NodeRunEndT',
    'RunEndT',
    'StateT',
    'generate_snapshot_id',
)
