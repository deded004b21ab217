"""Graphs: what they are made of, how they run, what they say when they cannot."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, Union

import pytest

from stead.graph import BaseNode, Edge, End, Graph, GraphRun, GraphRunContext, GraphRuntimeError, GraphSetupError
from stead.graph.exceptions import GraphNodeStatusError
from stead.graph.persistence.in_mem import FullStatePersistence, SimpleStatePersistence
from tests.loading import run_program


@dataclass
class Count:
    n: int = 0


@dataclass
class Up(BaseNode[Count, int, int]):
    by: int = 1

    async def run(self, ctx: GraphRunContext[Count, int]) -> Annotated[Test, Edge(label='then')]:
        ctx.state.n += self.by
        return Test()


@dataclass
class Test(BaseNode[Count, int, int]):
    __test__ = False

    async def run(self, ctx: GraphRunContext[Count, int]) -> Up | End[int]:
        return End(ctx.state.n) if ctx.state.n >= ctx.deps else Up()


class Odd(BaseNode):
    async def run(self, ctx: Any) -> Annotated[Union[End[int], Odd], Edge(label='either')]:
        return 5  # pyright: ignore


graph = Graph(nodes=[Up, Test])


def test_it_runs_to_the_end():
    state = Count()
    result = asyncio.run(graph.run(Up(), state=state, deps=3))
    assert (result.output, result.state) == (3, state)
    assert isinstance(result.persistence, SimpleStatePersistence)


def test_it_runs_from_sync_code_even_inside_a_loop():
    async def main():
        return graph.run_sync(Up(by=2), state=Count(), deps=4).output

    assert graph.run_sync(Up(by=2), state=Count(), deps=4).output == 4
    assert asyncio.run(main()) == 4


def test_steps_can_be_replaced():
    async def main():
        async with graph.iter(Up(), state=Count(), deps=10) as run:
            node = await run.next()
            assert node == Test() and run.next_node is node
            await run.next(Up(by=9))
            assert await run.next() == End(10)
            assert run.result is not None and run.result.output == 10
            return [node async for node in run]

    assert asyncio.run(main()) == [End(10)]


@pytest.mark.parametrize(
    ('node', 'error', 'words'),
    [
        (Odd(), GraphRuntimeError, r"Odd.*not in the graph 'graph', whose nodes are Up, Test"),
        ('text', TypeError, "'text'"),
        (Up, TypeError, 'Up'),
        (End(1), TypeError, 'the run has ended'),
    ],
)
def test_what_cannot_run_is_named(node: Any, error: type[Exception], words: str):
    async def main():
        async with graph.iter(Up(), state=Count(), deps=1) as run:
            await run.next(node)

    with pytest.raises(error, match=words):
        asyncio.run(main())


def test_a_wrong_return_names_node_and_value():
    with pytest.raises(GraphRuntimeError, match=r'Odd.*returned 5'):
        asyncio.run(Graph(nodes=[Odd]).run(Odd()))


def test_a_node_instance_runs_once_in_one_history():
    node, history = Up(), FullStatePersistence[Any, Any]()
    asyncio.run(graph.run(node, state=Count(), deps=1, persistence=history))
    with pytest.raises(GraphNodeStatusError, match='success'):
        asyncio.run(graph.run(node, state=Count(), deps=1, persistence=history))


def missing_edge() -> Any:
    class Lost(BaseNode):
        async def run(self, ctx: Any) -> Nowhere:  # type: ignore  # noqa: F821
            return Nowhere()  # type: ignore  # noqa: F821

    return [Lost]


@pytest.mark.parametrize(
    ('nodes', 'words'),
    [
        ([Up], "'Test' may follow 'Up'"),
        ([Test, Test], "'Test' belongs to both"),
        ([int], 'int'),
        ([Up(), Test], 'Up'),
        (['Up'], "'Up'"),
        (missing_edge(), 'Nowhere'),
    ],
)
def test_a_graph_that_cannot_be_says_why(nodes: Any, words: str):
    with pytest.raises(GraphSetupError, match=words):
        Graph(nodes=nodes)


def test_nodes_of_a_function_find_each_other():
    class There(BaseNode):
        async def run(self, ctx: Any) -> Here | End[None]:
            return End(None)

    class Here(BaseNode):
        async def run(self, ctx: Any) -> There:
            return There()

    local = Graph(nodes=[There, Here])
    assert list(local.node_defs['There'].next_node_edges) == ['Here']
    assert local.name is None
    asyncio.run(local.run(Here()))
    local.run_sync(Here())
    assert local.name == 'local'


def test_a_label_over_a_union_labels_each_edge():
    definition = Odd.get_node_def(None)
    assert definition.next_node_edges == {'Odd': Edge('either')} and definition.end_edge == Edge('either')


def test_a_run_needs_no_manager():
    run = GraphRun(
        graph=graph,
        start_node=Up(),
        persistence=SimpleStatePersistence(),
        state=Count(),
        deps=1,
        traceparent='00-a-b-01',
    )
    assert asyncio.run(run.next()) == Test()
    assert run._traceparent() == '00-a-b-01'


def test_a_span_given_to_a_run_is_around_it():
    seen: list[str] = []

    class Span:
        def __enter__(self):
            seen.append('in')

        def __exit__(self, *error: Any):
            seen.append('out')

    async def main():
        async with graph.iter(Up(), state=Count(), deps=1, span=Span()) as run:  # pyright: ignore
            await run.next()
            seen.append('step')

    asyncio.run(main())
    assert seen == ['in', 'step', 'out']


def test_importing_nodes_is_cheap():
    heavy = ['httpx', 'pydantic', 'opentelemetry', 'griffe', 'logfire', 'anyio']
    code = f'import stead.graph, sys; print([name for name in {heavy} if name in sys.modules])'
    process = run_program(code)
    assert (process.stdout.strip(), process.stderr) == ('[]', '')
