"""Nodes and graphs as their annotations define them: edges, notes, ids, types, and what cannot be a graph."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Optional, TypeVar, Union

from _graphs import Unannotated
from pydantic_graph import BaseNode, Edge, End, Graph, GraphRunContext
from pydantic_graph.basenode import NodeDef
from pydantic_graph.exceptions import (
    GraphBuildingError,
    GraphNodeStatusError,
    GraphRuntimeError,
    GraphSetupError,
    GraphValidationError,
)

T = TypeVar('T')


class Last(BaseNode[None, None, int]):
    async def run(self, ctx: GraphRunContext) -> End[int]:
        return End(1)


class First(BaseNode[dict, None, int]):
    async def run(self, ctx: GraphRunContext[dict]) -> 'Last':
        return Last()


class Either(BaseNode):
    async def run(self, ctx) -> Union[First, Last, 'Annotated[End[int], Edge(label="done")]']:
        return End(1)


class Labelled(BaseNode):
    async def run(self, ctx) -> Annotated[Last, Edge('x'), Edge('y'), 'other']:
        return Last()


class AnyNode(BaseNode):
    async def run(self, ctx) -> Union[BaseNode[None, None, int], End[int]]:
        return Last()


class TwoEnds(BaseNode):
    async def run(self, ctx) -> Union[End[int], End[str]]:
        return End(1)


class Boxed(BaseNode[None, None, T], Generic[T]):
    async def run(self, ctx) -> End[T]:
        return End(1)


class UsesBoxed(BaseNode):
    async def run(self, ctx) -> Boxed[int]:
        return Boxed()


class Noted(Last):
    """A note.

    With an indent.
    """

    docstring_notes = True


@dataclass
class Undocumented(Last):
    docstring_notes = True
    x: int = 1


class Renamed(Last):
    @classmethod
    def get_node_id(cls):
        return 'another-id'


class NotANode(BaseNode):
    async def run(self, ctx) -> int:
        return 1


class Nothing(BaseNode):
    async def run(self, ctx) -> Optional[Last]:
        return None


class Abstract(BaseNode):
    pass


def show(*facts):
    print(json.dumps(facts, default=repr))


def attempt(label, make):
    try:
        show(label, make())
    except Exception as error:
        show(label, type(error).__name__)


for cls in (
    Last,
    First,
    Either,
    Labelled,
    AnyNode,
    TwoEnds,
    Boxed,
    UsesBoxed,
    Noted,
    Undocumented,
    Renamed,
    Unannotated,
    NotANode,
    Nothing,
):
    attempt(cls.__name__, lambda: dataclasses.asdict(dataclasses.replace(cls.get_node_def(None), node=None)))
attempt('abstract', Abstract)
for label, nodes in {
    'none': [],
    'whole': [First, Last],
    'generic': [UsesBoxed, Boxed],
    'generic alias': [UsesBoxed, Boxed[int]],
    'missing': [First],
    'two missing': [Either],
    'twice': [Last, Last],
    'same id': [Last, type('Last', (First,), {})],
}.items():
    attempt(label, lambda: list(Graph(nodes=nodes).node_defs))
for label, make in {
    'types': lambda: Graph(nodes=[First, Last]),
    'given types': lambda: Graph(nodes=[First, Last], state_type=list, run_end_type=str),
    'no types': lambda: Graph(nodes=[TwoEnds]),
    'mixed': lambda: Graph(nodes=[Either, First, Last]),
}.items():
    attempt(label, lambda: [getattr(inferred, '__name__', inferred) for inferred in make().inferred_types])
show(
    [node.__name__ for node in Graph(nodes=[First, Last]).get_nodes()],
    repr(Graph(nodes=[Last], name='n', auto_instrument=False)),
)


@dataclass(frozen=True)
class Frozen(BaseNode):
    x: int = 1

    async def run(self, ctx) -> End[int]:
        return End(1)


node = Frozen()
show(node.get_snapshot_id().startswith('Frozen:'), node.get_snapshot_id() == node.get_snapshot_id(), node == Frozen())
node.set_snapshot_id('given')
show(node.get_snapshot_id(), node.deep_copy() == node, node.deep_copy().get_snapshot_id())
end = End([1])
copied = end.deep_copy_data()
show(
    repr(end),
    copied.data is end.data,
    copied.get_snapshot_id() == end.get_snapshot_id(),
    end == End([1]),
    end.get_snapshot_id()[:4],
)
none = End(None)
show(none.deep_copy_data() is none)
show(repr(Edge('x')), Edge(label='x') == Edge('x'), repr(GraphRunContext(state=1, deps=2)))
attempt('positional context', lambda: GraphRunContext(1, 2))
attempt('frozen edge', lambda: setattr(Edge('x'), 'label', 'y'))
show(repr(NodeDef(node=Any, node_id='q', note=None, next_node_edges={}, end_edge=None, returns_base_node=False)))
for cls in (GraphSetupError, GraphBuildingError, GraphValidationError, GraphRuntimeError):
    show(cls.__name__, cls.__bases__[0].__name__, str(cls('m')), cls('m').message)
for status in ('created', 'pending', 'running', 'success', 'error'):
    attempt(status, lambda: GraphNodeStatusError.check(status))
show(GraphNodeStatusError('success').actual_status, issubclass(GraphNodeStatusError, GraphRuntimeError))
