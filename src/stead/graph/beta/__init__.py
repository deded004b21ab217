"""Builder graphs under their earlier path: the names and modules of `stead.graph`."""

from __future__ import annotations

import sys

from ..._kit.lazy import lazy_modules
from .. import decision, graph_builder, id_types, join, node, node_types, parent_forks, paths, step, util
from ..decision import Decision
from ..graph_builder import Graph, GraphBuilder
from ..join import (
    Join,
    JoinNode,
    ReduceFirstValue,
    ReducerContext,
    ReducerFunction,
    reduce_dict_update,
    reduce_list_append,
    reduce_list_extend,
    reduce_null,
    reduce_sum,
)
from ..node import EndNode, Fork, StartNode
from ..step import Step, StepContext, StepNode
from ..util import TypeExpression

__all__ = (
    'Decision',
    'EndNode',
    'Fork',
    'Graph',
    'GraphBuilder',
    'Join',
    'JoinNode',
    'ReduceFirstValue',
    'ReducerContext',
    'ReducerFunction',
    'StartNode',
    'Step',
    'StepContext',
    'StepNode',
    'TypeExpression',
    'reduce_dict_update',
    'reduce_list_append',
    'reduce_list_extend',
    'reduce_null',
    'reduce_sum',
)

_MODULES = {
    'decision': decision,
    'graph': graph_builder,
    'graph_builder': graph_builder,
    'id_types': id_types,
    'join': join,
    'mermaid': graph_builder,
    'node': node,
    'node_types': node_types,
    'parent_forks': parent_forks,
    'paths': paths,
    'step': step,
    'util': util,
}
# The import system loads this package first, and then finds these where it looks for loaded modules.
sys.modules.update({f'{__name__}.{name}': module for name, module in _MODULES.items()})
globals().update(_MODULES)

lazy_modules(__name__)
