"""What builder graphs refuse, when they are built and when they run, and what they say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from stead.graph import (
    BaseNode,
    End,
    GraphBuilder,
    GraphRuntimeError,
    GraphSetupError,
    JoinNode,
    StepNode,
    TypeExpression,
    reduce_list_append,
    reduce_sum,
)
from stead.graph.exceptions import GraphBuildingError, GraphValidationError
from stead.graph.graph_builder import Graph
from stead.graph.id_types import NodeID
from stead.graph.paths import MapMarker, Path


def step(builder: Any, name: str) -> Any:
    async def call(ctx: Any) -> Any:
        return ctx.inputs

    return builder.step(call, node_id=name)


class Plain(BaseNode[Any, Any, Any]):
    async def run(self, ctx: Any):  # type: ignore
        return End(1)


class Unknown(BaseNode[Any, Any, Any]):
    async def run(self, ctx: Any) -> Nowhere:  # type: ignore  # noqa: F821
        return End(1)


class Number(BaseNode[Any, Any, Any]):
    async def run(self, ctx: Any) -> int:  # type: ignore
        return 1


class AnyNode(BaseNode[Any, Any, Any]):
    async def run(self, ctx: Any) -> BaseNode[Any, Any, Any]:
        return self


class SomeStep(BaseNode[Any, Any, Any]):
    async def run(self, ctx: Any) -> StepNode[Any, Any]:
        raise NotImplementedError


class SomeJoin(BaseNode[Any, Any, Any]):
    async def run(self, ctx: Any) -> Annotated[JoinNode[Any, Any], 'x']:
        raise NotImplementedError


async def async_reducer(current: Any, inputs: Any) -> Any:
    return current


@pytest.mark.parametrize(
    ('wire', 'words'),
    [
        (lambda g, a: g.edge_from(), 'begin somewhere'),
        (lambda g, a: g.edge_from(lambda ctx: 1), 'No edge can begin at <function'),
        (lambda g, a: g.edge_from(g.end_node), 'begin at the end node'),
        (lambda g, a: g.edge_from(g.decision()), r"decision 'decision'.*decision\.branch"),
        (lambda g, a: g.edge_from(a).to(5), '5 cannot be a node of a graph'),
        (lambda g, a: g.edge_from(a).to(g.start_node), 'cannot lead to the start node'),
        (lambda g, a: g.match(int).to(lambda ctx: 1), 'cannot be a node of a graph'),
        (lambda g, a: g.edge_from(a).broadcast(lambda way: way.to(a)), 'have to be a list'),
        (lambda g, a: g.edge_from(a).broadcast(lambda way: 5), 'returned 5'),
        (lambda g, a: g.add(5), '5 is not an edge'),
        (lambda g, a: g.add(g.edge_from(a)), 'is not an edge. End it with `to`'),
        (lambda g, a: g.step(5), '5 cannot be a step'),
        (lambda g, a: g.step(Plain), 'Plain.* cannot be a step.*node classes'),
        (lambda g, a: g.stream(5), '5 cannot be a step'),
        (lambda g, a: g.join(5, initial=0), '5 cannot be a reducer'),
        (lambda g, a: g.join(lambda current: current, initial=0), 'takes 1 values'),
        (lambda g, a: g.join(lambda a, b, c, d: a, initial=0), 'takes 4 values'),
        (lambda g, a: g.join(async_reducer, initial=0), 'is async'),
        (lambda g, a: g.join(reduce_sum), r"'reduce_sum' needs an initial value"),
        (lambda g, a: g.node(int), 'int.* cannot be a node'),
        (lambda g, a: g.node(Plain), r'Plain\.run\(\).*It is missing'),
        (lambda g, a: g.node(Unknown), r"Unknown\.run\(\).*'Nowhere', which names something that cannot be found"),
        (lambda g, a: g.node(Number), r"Number\.run\(\).*It is <class 'int'>"),
        (lambda g, a: g.node(AnyNode), r'AnyNode\.run\(\).*`-> First \| Second`'),
        (lambda g, a: g.node(SomeStep), r'Annotated\[StepNode\[\.\.\.\], my_step\]'),
        (lambda g, a: g.node(SomeJoin), r'Annotated\[JoinNode\[\.\.\.\], my_join\]'),
    ],
)
def test_what_cannot_be_part_of_a_graph(wire: Callable[[Any, Any], Any], words: str):
    g = GraphBuilder[Any, Any, Any, Any]()
    with pytest.raises(GraphSetupError, match=words):
        wire(g, step(g, 'a'))


def dead_end(g: Any, a: Any, b: Any) -> None:
    g.add(g.edge_from(g.start_node).to(a, b), g.edge_from(a).to(g.end_node))


def not_reached(g: Any, a: Any, b: Any) -> None:
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a, b).to(g.end_node))


def two_of_one_name(g: Any, a: Any, b: Any) -> None:
    g.add(g.edge_from(a).to(step(g, 'a')))


def looping_join(g: Any, a: Any, b: Any) -> None:
    join = g.join(reduce_sum, initial=0, node_id='total')
    g.add(g.edge_from(g.start_node).to(a, b), g.edge_from(a, b).to(join), g.edge_from(join).to(a, g.end_node))


def looping_join_of_a_fork(g: Any, a: Any, b: Any) -> None:
    join = g.join(reduce_sum, initial=0, node_id='total', parent_fork_id='__start__')
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(b, join, fork_id='F'), g.edge_from(b).to(join))
    g.add(g.edge_from(join).to(a, g.end_node))


def unknown_fork(g: Any, a: Any, b: Any) -> None:
    join = g.join(reduce_sum, initial=0, node_id='total', parent_fork_id='a')
    g.add(g.edge_from(g.start_node).to(a, b, fork_id='F'), g.edge_from(a, b).to(join), g.edge_from(join).to(g.end_node))


def unknown_join(g: Any, a: Any, b: Any) -> None:
    g.add_mapping_edge(g.start_node, a, downstream_join_id='b')
    g.add(g.edge_from(a).to(b), g.edge_from(b).to(g.end_node))


@pytest.mark.parametrize(
    ('wire', 'error', 'words'),
    [
        (lambda g, a, b: None, GraphValidationError, 'Nothing follows the start node'),
        (lambda g, a, b: g.add(g.edge_from(g.start_node).to(a)), GraphValidationError, 'Nothing leads to the end node'),
        (dead_end, GraphValidationError, "Nothing follows 'b'.*validate_graph_structure=False"),
        (not_reached, GraphValidationError, "'b' cannot be reached from the start node"),
        (two_of_one_name, GraphBuildingError, "node id 'a' belongs to both"),
        (looping_join, GraphBuildingError, r"(?s)join 'total' has no fork to wait for.*broadcast_2 --> a"),
        (looping_join_of_a_fork, GraphBuildingError, "'total' cannot wait for the fork '__start__'"),
        (unknown_fork, GraphBuildingError, "`parent_fork_id` of the join 'total' is 'a'.*It has 'F'"),
        (unknown_join, GraphBuildingError, "`downstream_join_id` of the fork 'map' is 'b'.*does not have any join"),
        (lambda g, a, b: g.edge_from(a).broadcast(lambda way: []), GraphBuildingError, 'at least one path'),
    ],
)
def test_graphs_that_make_no_sense(wire: Callable[[Any, Any, Any], Any], error: type[Exception], words: str):
    g = GraphBuilder[Any, Any, Any, Any]()
    with pytest.raises(error, match=words):
        wire(g, step(g, 'a'), step(g, 'b'))
        g.build()


def through(call: Any, **options: Any) -> Callable[[Any], None]:
    def wire(g: Any) -> None:
        only = g.step(call, **options)
        g.add(g.edge_from(g.start_node).to(only), g.edge_from(only).to(g.end_node))

    return wire


async def yields(ctx: Any) -> Any:
    yield 1


async def stops(ctx: Any) -> Any:
    raise StopAsyncIteration


def undecided(g: Any) -> None:
    decision = g.decision(node_id='which').branch(g.match(str).to(g.end_node))
    g.add(g.edge_from(g.start_node).to(decision.branch(g.match(int, matches=callable).to(g.end_node))))


def undecidable(g: Any) -> None:
    g.add(g.edge_from(g.start_node).to(g.decision().branch(g.match(TypeExpression[list[int]]).to(g.end_node))))


def lost_node(g: Any) -> None:
    class Lost(BaseNode[Any, Any, Any]):
        async def run(self, ctx: Any) -> End[Any]:
            return Number()  # type: ignore

    g.add(g.edge_from(g.start_node).transform(lambda ctx: Lost()).to(Lost), g.node(Lost))


def no_node(g: Any) -> None:
    class Lost(BaseNode[Any, Any, Any]):
        async def run(self, ctx: Any) -> End[Any]:
            return 7  # type: ignore

    g.add(g.edge_from(g.start_node).transform(lambda ctx: Lost()).to(Lost), g.node(Lost))


def no_instance(g: Any) -> None:
    class Only(BaseNode[Any, Any, Any]):
        async def run(self, ctx: Any) -> End[Any]:
            return End(1)

    g.add(g.edge_from(g.start_node).to(Only), g.node(Only))


def empty_map(g: Any) -> None:
    a = step(g, 'a')
    g.add(g.edge_from(g.start_node).transform(lambda ctx: []).map().to(a), g.edge_from(a).to(g.end_node))


def past_the_fork(g: Any) -> None:
    a, b = step(g, 'a'), step(g, 'b')
    join = g.join(reduce_list_append, initial_factory=list, node_id='join', parent_fork_id='F')
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(b, join, fork_id='F'), g.edge_from(b).to(g.end_node))
    g.add(g.edge_from(g.start_node).to(join), g.edge_from(join).to(g.end_node))


@pytest.mark.parametrize(
    ('wire', 'error', 'words'),
    [
        (through(lambda ctx: 5, node_id='five'), TypeError, "step 'five' returned 5.*async def"),
        (through(yields), TypeError, "step 'yields' returned <async_generator.*@builder.stream"),
        (through(stops), RuntimeError, "step 'stops' raised StopAsyncIteration"),
        (
            undecided,
            GraphRuntimeError,
            r"No branch of the decision 'which' matches 3: it has one for <class 'str'>, one where",
        ),
        (undecidable, GraphRuntimeError, r"'decision' is for list\[int\].*matches="),
        (lost_node, GraphRuntimeError, "'Lost' returned .*no node 'Number'"),
        (no_node, GraphRuntimeError, "'Lost' returned 7"),
        (no_instance, ValueError, "'Only' received 3"),
        (lambda g: g.add(g.edge_from(g.start_node).map().to(g.end_node)), GraphRuntimeError, "map 'map' received 3"),
        (empty_map, GraphRuntimeError, 'no task is left.*downstream_join_id'),
        (past_the_fork, GraphRuntimeError, "join 'join' that did not come through the fork 'F'"),
    ],
)
def test_runs_that_get_stuck(wire: Callable[[Any], None], error: type[Exception], words: str):
    g = GraphBuilder[Any, Any, Any, Any]()
    wire(g)
    with pytest.raises(error, match=words):
        asyncio.run(g.build().run(inputs=3))


def test_steps_and_joins_do_not_run_by_themselves():
    g = GraphBuilder[Any, Any, Any, Any]()
    with pytest.raises(NotImplementedError, match="step 'a' cannot run"):
        asyncio.run(step(g, 'a').as_node().run(None))
    with pytest.raises(NotImplementedError, match="join 'reduce_sum' cannot run"):
        asyncio.run(g.join(reduce_sum, initial=0).as_node().run(None))  # type: ignore


def test_a_graph_made_by_hand_has_no_forks_in_its_paths():
    g = GraphBuilder[Any, Any, Any, Any]()
    path = Path([MapMarker(NodeID('f'), None)])
    nodes: Any = {g.start_node.id: g.start_node, g.end_node.id: g.end_node}
    graph = Graph[Any, Any, Any, Any](
        'n', object, object, object, object, False, nodes, {g.start_node.id: [path]}, {}, {}
    )
    with pytest.raises(GraphRuntimeError, match=r'GraphBuilder\.build'):
        asyncio.run(graph.run())
    with pytest.raises(GraphRuntimeError, match="no join 'x'; its joins are: none"):
        graph.get_parent_fork(NodeID('x'))
