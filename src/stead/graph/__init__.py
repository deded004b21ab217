"""Graphs: nodes that run one after another, each choosing the next."""

from __future__ import annotations

from .basenode import BaseNode, Edge, End, GraphRunContext
from .exceptions import GraphRuntimeError, GraphSetupError, PydanticGraphDeprecationWarning
from .graph import Graph, GraphRun, GraphRunResult
from .persistence import EndSnapshot, NodeSnapshot, Snapshot
from .persistence.in_mem import FullStatePersistence, SimpleStatePersistence

__all__ = (
    'BaseNode',
    'Edge',
    'End',
    'EndSnapshot',
    'FullStatePersistence',
    'Graph',
    'GraphRun',
    'GraphRunContext',
    'GraphRunResult',
    'GraphRuntimeError',
    'GraphSetupError',
    'NodeSnapshot',
    'PydanticGraphDeprecationWarning',
    'SimpleStatePersistence',
    'Snapshot',
)
