"""Runs of graphs made by a builder: stepping, replacing, failing, cancelling, and what is left behind: nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stead.graph import GraphBuilder, GraphRuntimeError, ReduceFirstValue, StepContext, reduce_list_append
from stead.graph.graph_builder import EndMarker, ErrorMarker, Graph, GraphRun, GraphTaskRequest
from tests.waiting import run_in_virtual_time, until

Change = Callable[[Any], Any]


class Scene:
    """A builder whose steps write down what happens to them."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.builder: GraphBuilder[Any, Any, Any, Any] = GraphBuilder(input_type=object, output_type=object)

    def step(self, name: str, change: Change = lambda value: value, seconds: float = 0) -> Any:
        async def call(ctx: StepContext[Any, Any, Any]) -> Any:
            self.log.append(f'{name} begins')
            try:
                await asyncio.sleep(seconds)
                value = change(ctx.inputs)
            except BaseException as error:
                self.log.append(f'{name}: {type(error).__name__}')
                raise
            self.log.append(f'{name} ends')
            return value

        call.__name__ = name
        return self.builder.step(call)

    def line(self, *steps: Any) -> Graph[Any, Any, Any, Any]:
        g = self.builder
        for source, target in zip((g.start_node, *steps), (*steps, g.end_node)):
            g.add_edge(source, target)
        return g.build()

    def fan(self, *steps: Any) -> Graph[Any, Any, Any, Any]:
        g = self.builder
        join = g.join(reduce_list_append, initial_factory=list)
        g.add(g.edge_from(g.start_node).to(*steps), g.edge_from(*steps).to(join), g.edge_from(join).to(g.end_node))
        return g.build()


@pytest.fixture
def scene() -> Scene:
    return Scene()


def fails(value: Any) -> Any:
    raise ValueError(f'cannot do {value}')


def main(scene: Callable[[], Awaitable[Any]]) -> Any:
    """Run a coroutine, and check that it leaves no tasks."""

    async def checked() -> Any:
        found = await scene()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return found

    return run_in_virtual_time(checked())


def nodes_of(found: Any) -> Any:
    return found.value if isinstance(found, EndMarker) else [task.node_id for task in found]


def test_iteration_visits_every_task(scene: Scene):
    graph = scene.fan(scene.step('a'), scene.step('b'))

    async def go():
        async with graph.iter(inputs=1) as run:
            return [nodes_of(found) async for found in run], run.output

    visited, output = main(go)
    assert visited == [
        ['broadcast'],
        ['b', 'a'],
        ['reduce_list_append'],
        ['reduce_list_append'],
        ['__end__'],
        [1, 1],
    ]
    assert output == [1, 1]


def test_an_error_cancels_what_runs_beside(scene: Scene):
    graph = scene.fan(scene.step('slow', seconds=60), scene.step('bad', fails, 0.01))

    async def go():
        with pytest.raises(ValueError, match='cannot do 1'):
            await graph.run(inputs=1)

    main(go)
    assert sorted(scene.log) == ['bad begins', 'bad: ValueError', 'slow begins', 'slow: CancelledError']


def test_cancelling_a_run_cancels_its_steps(scene: Scene):
    graph = scene.fan(scene.step('a', seconds=60), scene.step('b', seconds=60))

    async def go():
        task = asyncio.ensure_future(graph.run(inputs=1))
        await until(lambda: {'a begins', 'b begins'} <= {*scene.log})
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    main(go)
    assert scene.log.count('a: CancelledError') == scene.log.count('b: CancelledError') == 1


def test_leaving_the_block_cancels_what_still_runs(scene: Scene):
    graph = scene.fan(scene.step('slow', seconds=60), scene.step('quick', seconds=0.01))

    async def go():
        async with graph.iter(inputs=1) as run:
            while nodes_of(await run.next()) != ['reduce_list_append']:
                pass

    main(go)
    assert scene.log[-1] == 'slow: CancelledError'


def test_the_first_to_get_to_the_end_wins(scene: Scene):
    slow, quick = scene.step('slow', seconds=60), scene.step('quick', lambda value: 'quick', 0.01)
    g = scene.builder
    g.add(g.edge_from(g.start_node).to(slow, quick), g.edge_from(slow, quick).to(g.end_node))
    assert main(lambda: g.build().run(inputs=1)) == 'quick'
    assert scene.log[-1] == 'slow: CancelledError'


def test_the_first_value_of_a_join_cancels_its_siblings(scene: Scene):
    g, wait = scene.builder, scene.step('wait')

    @g.step
    async def sleep(ctx: StepContext[Any, Any, float]) -> float:
        try:
            await asyncio.sleep(ctx.inputs)
        except asyncio.CancelledError:
            scene.log.append(f'cancelled {ctx.inputs}')
            raise
        return ctx.inputs

    join = g.join(ReduceFirstValue[float]())
    g.add_mapping_edge(g.start_node, sleep)
    g.add(g.edge_from(sleep).to(join), g.edge_from(join).to(wait), g.edge_from(wait).to(g.end_node))
    assert main(lambda: g.build().run(inputs=[60, 0.01, 61])) == 0.01
    assert sorted(scene.log) == ['cancelled 60', 'cancelled 61', 'wait begins', 'wait ends']


def test_siblings_are_those_of_the_fork_of_the_join(scene: Scene):
    g, other = scene.builder, scene.step('other', lambda value: 'other', 0.05)
    each = scene.step('each')
    first = g.join(ReduceFirstValue[int](), parent_fork_id='M')
    both = g.join(reduce_list_append, initial_factory=list)
    g.add(g.edge_from(g.start_node).broadcast(lambda way: [way.map(fork_id='M').to(each), way.to(other)]))
    g.add(g.edge_from(each).to(first), g.edge_from(first, other).to(both), g.edge_from(both).to(g.end_node))
    assert main(lambda: g.build().run(inputs=[1, 2, 3])) == [1, 'other']


def test_what_is_next_can_be_replaced(scene: Scene):
    graph = scene.line(scene.step('a', lambda value: value + 1), scene.step('b', lambda value: value * 10))

    async def go():
        async with graph.iter(inputs=1) as run:
            tasks = await run.next()
            assert nodes_of(tasks) == ['b'] and run.next_task is tasks
            again = await run.next([GraphTaskRequest(graph.nodes['a'].id, 4, tasks[0].fork_stack)])  # type: ignore
            assert nodes_of(again) == ['b']
            assert nodes_of(await run.next()) == ['__end__']
            assert await run.next(EndMarker('mine')) == EndMarker('mine')
            with pytest.raises(StopAsyncIteration):
                await run.next()
            return run.output

    assert main(go) == 'mine'
    assert scene.log == ['a begins', 'a ends', 'a begins', 'a ends', 'b begins', 'b ends']


def test_a_join_waits_for_what_replaces_a_task(scene: Scene):
    graph = scene.fan(scene.step('a'), scene.step('b'))

    async def go():
        async with graph.iter(inputs=1) as run:
            async for found in run:
                if nodes_of(found) == ['b', 'a']:
                    run.override_next([GraphTaskRequest(found[1].node_id, 7, found[1].fork_stack)])  # type: ignore
            return run.output

    assert main(go) == [7]


def test_a_run_goes_on_after_an_error_if_it_is_told_how(scene: Scene):
    tries: list[int] = []

    def flaky(value: int) -> int:
        tries.append(value)
        return fails(value) if len(tries) == 1 else value

    graph = scene.fan(scene.step('steady', seconds=0.02), scene.step('flaky', flaky))

    async def go():
        async with graph.iter(inputs=1) as run:
            tasks = await run.next()
            with pytest.raises(ValueError, match='cannot do 1') as caught:
                await run.next()
            assert run.next_task == ErrorMarker(caught.value)
            with pytest.raises(ValueError, match='cannot do 1'):
                await run.next()
            failed = [task for task in tasks if task.node_id == 'flaky']  # type: ignore
            await run.next(failed)
            return [nodes_of(found) async for found in run][-1]

    assert main(go) == [1, 1]
    assert tries == [1, 1] and scene.log.count('steady begins') == 1


def test_a_call_that_is_given_up_can_be_made_again(scene: Scene):
    graph = scene.fan(scene.step('a', seconds=0.05), scene.step('b', seconds=0.05))

    async def go():
        async with graph.iter(inputs=1) as run:
            await run.next()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(run.next(), 0.01)
            with pytest.raises(GraphRuntimeError, match='was cancelled while it waited'):
                await run.next()
            run.override_next([])
            return [nodes_of(found) async for found in run][-1]

    assert main(go) == [1, 1]


def test_a_run_can_be_taken_up_after_its_end(scene: Scene):
    graph = scene.line(scene.step('a'))

    async def go():
        async with graph.iter(inputs=1) as run:
            first = run.next_task
            assert [nodes_of(found) async for found in run][-1] == 1
            run.override_next([GraphTaskRequest(first[0].node_id, 2, first[0].fork_stack)])  # type: ignore
            return [nodes_of(found) async for found in run][-1]

    assert main(go) == 2


@pytest.mark.parametrize(
    ('value', 'error', 'words'),
    [
        (5, TypeError, 'continue with 5'),
        ('ab', TypeError, "continue with 'ab'"),
        (['a'], TypeError, "'a': each task"),
        ([GraphTaskRequest('zz', 1, ())], GraphRuntimeError, r"no node 'zz'; its nodes are '__start__', 'a'"),  # type: ignore
        ([], GraphRuntimeError, 'no task is left'),
    ],
)
def test_what_a_run_cannot_go_on_with_is_refused(scene: Scene, value: Any, error: type[Exception], words: str):
    graph = scene.line(scene.step('a'))

    async def go():
        async with graph.iter(inputs=1) as run:
            with pytest.raises(error, match=words):
                await run.next(value)

    main(go)


def test_a_run_that_is_not_open_starts_nothing(scene: Scene):
    run = GraphRun(scene.line(scene.step('a')), state=None, deps=None, inputs=1, traceparent='00-a-b-01')
    with pytest.raises(GraphRuntimeError, match='async with'):
        asyncio.run(run.next())
    assert (run._traceparent(), scene.log) == ('00-a-b-01', [])


def test_a_stream_is_closed_when_its_run_is_over(scene: Scene):
    g = scene.builder

    @g.stream
    async def endless(ctx: Any):
        try:
            while True:
                await asyncio.sleep(0)
                yield 1
        finally:
            scene.log.append('closed')

    join = g.join(ReduceFirstValue[int]())
    g.add(g.edge_from(g.start_node).to(endless), g.edge_from(endless).map().to(join), g.edge_from(join).to(g.end_node))
    assert main(lambda: g.build().run()) == 1
    assert scene.log == ['closed']


def test_a_stream_waits_until_its_items_are_taken(scene: Scene):
    g = scene.builder

    @g.stream
    async def numbers(ctx: Any):
        for number in range(1000):
            scene.log.append('given')
            yield number

    g.add(g.edge_from(g.start_node).to(numbers), g.edge_from(numbers).map().to(g.end_node))
    assert main(lambda: g.build().run()) == 0
    assert len(scene.log) < 10


def test_runs_of_one_graph_do_not_meet(scene: Scene):
    graph = scene.fan(scene.step('a', seconds=0.01), scene.step('b'))

    async def go():
        return await asyncio.gather(*(graph.run(inputs=number) for number in range(5)))

    assert main(go) == [[number] * 2 for number in range(5)]


def test_a_span_is_around_the_run(scene: Scene):
    class Span:
        def __enter__(self) -> None:
            scene.log.append('in')

        def __exit__(self, *error: Any) -> None:
            scene.log.append('out')

    main(lambda: scene.line(scene.step('a')).run(inputs=1, span=Span()))  # type: ignore
    assert scene.log == ['in', 'a begins', 'a ends', 'out']


def test_a_graph_is_named_after_its_variable(scene: Scene):
    mine = scene.line(scene.step('a'))

    async def go():
        async with mine.iter(infer_name=False):
            assert mine.name is None
        await mine.run()
        return mine.name

    assert main(go) == 'mine'


def test_long_loops_and_wide_maps_do_not_pile_up(scene: Scene):
    g = scene.builder
    count = scene.builder.step(count_up)
    again = g.decision().branch(g.match(int, matches=lambda value: value < 5000).to(count))
    g.add(g.edge_from(g.start_node).to(count), g.edge_from(count).to(again.branch(g.match(int).to(g.end_node))))
    assert main(lambda: g.build().run(inputs=0)) == 5000
    g = GraphBuilder[Any, Any, Any, Any]()
    count = g.step(count_up)
    join = g.join(reduce_list_append, initial_factory=list)
    g.add_mapping_edge(g.start_node, count)
    g.add(g.edge_from(count).to(join), g.edge_from(join).to(g.end_node))
    assert main(lambda: g.build().run(inputs=range(5000))) == [*range(1, 5001)]


async def count_up(ctx: StepContext[Any, Any, int]) -> int:
    return ctx.inputs + 1
