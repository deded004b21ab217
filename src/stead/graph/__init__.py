"""Graphs: nodes that run one after another, each choosing the next; and graphs of steps, made by a builder."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

# Agents need only the nodes, so the rest loads on first use
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        'basenode': ('BaseNode', 'Edge', 'End', 'GraphRunContext'),
        'exceptions': ('GraphRuntimeError', 'GraphSetupError', 'PydanticGraphDeprecationWarning'),
        'decision': ('Decision',),
        'graph': ('Graph', 'GraphRun', 'GraphRunResult'),
        'graph_builder': ('GraphBuilder',),
        'join': (
            'Join',
            'JoinNode',
            'ReduceFirstValue',
            'ReducerContext',
            'ReducerFunction',
            'reduce_dict_update',
            'reduce_list_append',
            'reduce_list_extend',
            'reduce_null',
            'reduce_sum',
        ),
        'node': ('EndNode', 'Fork', 'StartNode'),
        'persistence': ('EndSnapshot', 'NodeSnapshot', 'Snapshot'),
        'persistence.in_mem': ('FullStatePersistence', 'SimpleStatePersistence'),
        'step': ('Step', 'StepContext', 'StepNode'),
        'util': ('TypeExpression',),
    },
)

__all__ = (
    'BaseNode',
    'Decision',
    'Edge',
    'End',
    'EndNode',
    'EndSnapshot',
    'Fork',
    'FullStatePersistence',
    'Graph',
    'GraphBuilder',
    'GraphRun',
    'GraphRunContext',
    'GraphRunResult',
    'GraphRuntimeError',
    'GraphSetupError',
    'Join',
    'JoinNode',
    'NodeSnapshot',
    'PydanticGraphDeprecationWarning',
    'ReduceFirstValue',
    'ReducerContext',
    'ReducerFunction',
    'SimpleStatePersistence',
    'Snapshot',
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
