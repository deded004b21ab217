"""The public names of `stead.graph`, for type checkers. Written by `make stubs`."""

from ._built import ErrorMarker as ErrorMarker, JoinItem as JoinItem
from ._flow import EndMarker as EndMarker, GraphTask as GraphTask, GraphTaskRequest as GraphTaskRequest
from .basenode import BaseNode as BaseNode, Edge as Edge, End as End, GraphRunContext as GraphRunContext
from .decision import Decision as Decision
from .exceptions import (
    GraphRuntimeError as GraphRuntimeError,
    GraphSetupError as GraphSetupError,
    PydanticGraphDeprecationWarning as PydanticGraphDeprecationWarning,
)
from .graph import Graph as Graph, GraphRun as GraphRun, GraphRunResult as GraphRunResult
from .graph_builder import GraphBuilder as GraphBuilder
from .join import (
    Join as Join,
    JoinNode as JoinNode,
    ReduceFirstValue as ReduceFirstValue,
    ReducerContext as ReducerContext,
    ReducerFunction as ReducerFunction,
    reduce_dict_update as reduce_dict_update,
    reduce_list_append as reduce_list_append,
    reduce_list_extend as reduce_list_extend,
    reduce_null as reduce_null,
    reduce_sum as reduce_sum,
)
from .node import EndNode as EndNode, Fork as Fork, StartNode as StartNode
from .persistence import EndSnapshot as EndSnapshot, NodeSnapshot as NodeSnapshot, Snapshot as Snapshot
from .persistence.in_mem import (
    FullStatePersistence as FullStatePersistence,
    SimpleStatePersistence as SimpleStatePersistence,
)
from .step import Step as Step, StepContext as StepContext, StepNode as StepNode
from .util import TypeExpression as TypeExpression
