"""Graphs made by a builder: what they are made of, where values go, and how they are drawn."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional, Union

import pytest

from stead.graph import (
    BaseNode,
    End,
    GraphBuilder,
    JoinNode,
    ReduceFirstValue,
    Step,
    StepContext,
    StepNode,
    TypeExpression,
    reduce_dict_update,
    reduce_list_append,
    reduce_list_extend,
    reduce_null,
    reduce_sum,
)
from stead.graph.graph_builder import MermaidGraph
from tests.loading import run_program
from tests.waiting import until


def step(
    builder: Any, name: str, change: Callable[[Any], Any] | None = None, **options: Any
) -> Step[Any, Any, Any, Any]:
    async def call(ctx: StepContext[Any, Any, Any]) -> Any:
        return change(ctx.inputs) if change else ctx.inputs

    call.__name__ = name
    return builder.step(call, **options)


def new() -> GraphBuilder[Any, Any, Any, Any]:
    return GraphBuilder(input_type=object, output_type=object)


def run(graph: Any, inputs: Any = None, **options: Any) -> Any:
    return asyncio.run(graph.run(inputs=inputs, **options))


def joined(reducer: Any, **options: Any) -> Any:
    """A graph that maps over its input, and joins the items."""
    g = new()
    each, join = step(g, 'each'), g.join(reducer, **options)
    g.add_mapping_edge(g.start_node, each)
    g.add(g.edge_from(each).to(join), g.edge_from(join).to(g.end_node))
    return g.build()


def test_values_go_from_step_to_step():
    g = GraphBuilder(state_type=list[str], deps_type=str, input_type=int, output_type=str)

    @g.step
    async def double(ctx: StepContext[list[str], str, int]) -> int:
        ctx.state.append(ctx.deps)
        return ctx.inputs * 2

    @g.step(node_id='text', label='as text')
    async def to_text(ctx: StepContext[list[str], str, int]) -> str:
        return f'{ctx.deps}{ctx.inputs}'

    g.add(g.edge_from(g.start_node).to(double))
    g.add(g.edge_from(double).label('then').transform(lambda ctx: ctx.inputs + 1).to(to_text))
    g.add_edge(to_text, g.end_node, label='done')
    graph = g.build()
    state: list[str] = []
    assert run(graph, 3, state=state, deps='d') == 'd7'
    assert state == ['d']
    assert str(graph).splitlines() == [
        'stateDiagram-v2',
        '  double',
        '  text: as text',
        '',
        '  [*] --> double',
        '  double --> text: then',
        '  text --> [*]: done',
    ]
    assert repr(graph).endswith(f'\n{graph}\n>')


class Callable_:
    async def __call__(self, ctx: Any) -> str:
        return 'object'


async def with_argument(argument: str, ctx: Any) -> str:
    return argument


@pytest.mark.parametrize(
    ('function', 'name', 'output'),
    [(Callable_(), 'Callable_', 'object'), (functools.partial(with_argument, 'x'), 'with_argument', 'x')],
)
def test_whatever_can_be_called_can_be_a_step(function: Any, name: str, output: str):
    g = new()
    only = g.step(function)
    g.add(g.edge_from(g.start_node).to(only), g.edge_from(only).to(g.end_node))
    assert (only.id, run(g.build())) == (name, output)


@pytest.mark.parametrize(
    ('reducer', 'options', 'values', 'output'),
    [
        (reduce_list_append, {'initial_factory': list}, [1, 2], [1, 2]),
        (reduce_list_extend, {'initial': [0]}, [[1], (2, 3)], [0, 1, 2, 3]),
        (reduce_dict_update, {'initial': {}}, [{'a': 1}, {'a': 2, 'b': 3}], {'a': 2, 'b': 3}),
        (reduce_sum, {'initial': 10}, [1, 2], 13),
        (reduce_null, {'initial': None}, [1, 2], None),
        (ReduceFirstValue(), {}, [5, 6], 5),
        (max, {'initial': 0}, [5, 6, 2], 6),
        (lambda current, inputs, *, by=2: current + inputs * by, {'initial': 0}, [1, 2], 6),
        (lambda ctx, current, inputs: (ctx.state, ctx.deps), {'initial': 0}, [1], ('s', 'd')),
    ],
)
def test_joins_reduce(reducer: Any, options: Any, values: Any, output: Any):
    assert run(joined(reducer, **options), values, state='s', deps='d') == output


def test_an_initial_value_is_not_carried_from_run_to_run():
    initial: list[int] = []
    graph = joined(reduce_list_append, initial=initial)
    assert [run(graph, [1, 2]), run(graph, [3]), initial] == [[1, 2], [3], []]


def test_branches_run_at_the_same_time_and_join_as_they_arrive():
    g = new()
    turns = [asyncio.Event() for _ in range(5)]
    turns[1].set()

    @g.step
    async def wait(ctx: StepContext[Any, Any, int]) -> int:
        await turns[ctx.inputs].wait()
        turns[ctx.inputs + 1].set()
        return ctx.inputs

    join = g.join(reduce_list_append, initial_factory=list[Any])
    g.add_mapping_edge(g.start_node, wait)
    g.add(g.edge_from(wait).to(join), g.edge_from(join).to(g.end_node))
    assert run(g.build(), [3, 1, 2]) == [1, 2, 3]


def test_what_is_before_a_broadcast_happens_once():
    g = new()
    a, b, join = step(g, 'a'), step(g, 'b'), g.join(reduce_list_append, initial_factory=list)
    doubled = g.edge_from(g.start_node).label('first').transform(lambda ctx: ctx.inputs * 2)
    g.add(doubled.broadcast(lambda way: [way.to(a), way.label('second').transform(lambda ctx: ctx.inputs + 1).to(b)]))
    g.add(g.edge_from(a, b).to(join), g.edge_from(join).to(g.end_node))
    graph = g.build()
    assert sorted(run(graph, 5)) == [10, 11]
    assert [
        line.strip() for line in graph.render().splitlines() if 'broadcast -->' in line or '--> broadcast' in line
    ] == [
        '[*] --> broadcast: first',
        'broadcast --> a',
        'broadcast --> b: second',
    ]


def test_a_map_may_be_followed_by_a_broadcast():
    g = new()
    a, b, join = step(g, 'a'), step(g, 'b'), g.join(reduce_list_append, initial_factory=list)
    g.add(g.edge_from(g.start_node).map().broadcast(lambda way: [way.to(a), way.to(b)]))
    g.add(g.edge_from(a, b).to(join), g.edge_from(join).to(g.end_node))
    assert sorted(run(g.build(), [1, 2])) == [1, 1, 2, 2]


@pytest.mark.parametrize('kind', ['map', 'broadcast'])
def test_a_fork_of_several_sources_is_one_fork(kind: str):
    g = new()
    a, b, c, join = step(g, 'a'), step(g, 'b'), step(g, 'c'), g.join(reduce_list_append, initial_factory=list)
    edge = g.edge_from(a, b)
    g.add(g.edge_from(g.start_node).to(a, b))
    g.add(edge.map().to(c) if kind == 'map' else edge.to(c, join))
    g.add(g.edge_from(c).to(join), g.edge_from(join).to(g.end_node))
    output = run(g.build(), [1, 2])
    assert sorted(output) == [1, 1, 2, 2] if kind == 'map' else output == [[1, 2]] * 4


def test_names_that_are_taken_are_not_given_to_forks():
    g = new()
    first, second = step(g, 'map'), step(g, 'map_broadcast_fork')
    join = g.join(reduce_list_append, initial_factory=list, node_id='map_2')
    g.add(g.edge_from(g.start_node).to(first), g.edge_from(first).map().to(second), g.edge_from(first).map().to(join))
    g.add(g.edge_from(second).to(join), g.edge_from(join).to(g.end_node))
    graph = g.build()
    assert {'map', 'map_2', 'map_3', 'map_4', 'map_broadcast_fork', 'map_broadcast_fork_2'} < {*graph.nodes}
    assert sorted(run(graph, [1, 2])) == [1, 1, 2, 2]


@pytest.mark.parametrize('values', [[], [1, 2]])
@pytest.mark.parametrize('fork', ['farthest', 'closest'])
def test_a_join_below_an_empty_map_gives_its_initial_value(values: list[int], fork: Literal['farthest', 'closest']):
    g = new()
    each = step(g, 'each')
    join = g.join(reduce_list_append, initial_factory=list, preferred_parent_fork=fork)
    g.add_mapping_edge(g.start_node, each, downstream_join_id=join.id)
    g.add(g.edge_from(each).to(join), g.edge_from(join).to(g.end_node))
    assert run(g.build(), values) == values


def test_maps_in_maps_join_row_by_row():
    g = new()
    row, cell, total = step(g, 'row'), step(g, 'cell'), step(g, 'total')
    cells = g.join(reduce_sum, initial=0, node_id='cells', preferred_parent_fork='closest')
    rows = g.join(reduce_list_append, initial_factory=list, node_id='rows')
    g.add_mapping_edge(g.start_node, row)
    g.add_mapping_edge(row, cell, downstream_join_id=cells.id)
    g.add(g.edge_from(cell).to(cells), g.edge_from(cells).to(total), g.edge_from(total).to(rows))
    g.add(g.edge_from(rows).to(g.end_node))
    graph = g.build()
    assert sorted(run(graph, [[1, 2], [], [3]])) == [0, 3, 3]
    assert (graph.is_final_join(rows.id), graph.is_final_join(cells.id)) == (True, False)
    assert graph.get_parent_fork(cells.id).fork_id == 'map_2'


def test_a_join_waits_only_for_what_can_still_reach_it():
    g = new()
    even, odd, join = g.decision(), step(g, 'odd'), g.join(reduce_list_append, initial_factory=list)
    even = even.branch(g.match(int, matches=lambda value: value % 2 == 0).to(join)).branch(g.match(int).to(odd))
    g.add(g.edge_from(g.start_node).map().to(even), g.edge_from(join).to(g.end_node))
    assert run(g.build(validate_graph_structure=False), [1, 2, 3, 4]) == [2, 4]


@pytest.mark.parametrize(
    ('value', 'source', 'fits'),
    [
        (1, int, True),
        ('1', int, False),
        ('a', TypeExpression[Literal['a', 'b']], True),
        ('c', TypeExpression[Literal['a', 'b']], False),
        (None, TypeExpression[Optional[int]], True),
        ('a', TypeExpression[Union[int, Literal['a']]], True),
        ('b', TypeExpression[Union[int, Literal['a']]], False),
        ([1], Any, True),
        ([1], object, True),
    ],
)
def test_decisions_go_by_type(value: Any, source: Any, fits: bool):
    g = new()
    decision = g.decision().branch(g.match(source).transform(lambda ctx: True).to(g.end_node))
    decision = decision.branch(g.match(object).transform(lambda ctx: False).to(g.end_node))
    g.add(g.edge_from(g.start_node).to(decision))
    assert run(g.build(), value) is fits


def test_streams_are_mapped_while_they_run():
    g, log = new(), list[str]()

    @g.stream
    async def numbers(ctx: Any):
        for number in range(2):
            log.append(f'give {number}')
            yield number
            await until(lambda: f'take {number}' in log)

    take = step(g, 'take', lambda value: log.append(f'take {value}') or value)
    join = g.join(reduce_list_append, initial_factory=list, preferred_parent_fork='closest')
    g.add(g.edge_from(g.start_node).to(numbers), g.edge_from(numbers).map().to(take), g.edge_from(take).to(join))
    g.add(g.edge_from(join).to(g.end_node))
    assert run(g.build()) == [0, 1]
    assert log == ['give 0', 'take 0', 'give 1', 'take 1']


# Node classes among steps.


@dataclass
class Halve(BaseNode[Any, Any, int]):
    value: int

    async def run(self, ctx: Any) -> Halve | Odd | End[int]:
        if self.value == 0:
            return End(0)
        return Odd(self.value) if self.value % 2 else Halve(self.value // 2)


@dataclass
class Odd(BaseNode[Any, Any, int]):
    value: int

    async def run(self, ctx: Any) -> End[int]:
        return End(self.value)


@pytest.mark.parametrize('explicit', [True, False])
def test_the_return_annotation_of_a_step_is_its_edge(explicit: bool):
    g, begun = new(), list[int]()

    @g.step
    async def begin(ctx: StepContext[Any, Any, int]) -> Halve | End[str]:
        begun.append(ctx.inputs)
        return Halve(ctx.inputs) if ctx.inputs >= 0 else End('negative')

    g.add(g.node(Halve), g.node(Odd), g.edge_from(g.start_node).to(begin))
    graph = g.build()
    assert (run(graph, 12), run(graph, 0), run(graph, -1)) == (3, 0, 'negative')
    assert begun == [12, 0, -1]


def test_an_edge_that_an_annotation_says_too_is_one_edge():
    g, ran = new(), list[str]()

    class Only(BaseNode[Any, Any, None]):
        async def run(self, ctx: Any) -> End[None]:
            ran.append('Only')
            return End(None)

    @g.step
    async def begin(ctx: Any) -> Only:
        return Only()

    g.add(g.node(Only), g.node(Only), g.edge_from(g.start_node).to(begin), g.edge_from(begin).to(Only))
    run(g.build())
    assert ran == ['Only']


def test_nodes_go_on_with_steps_and_joins():
    g = new()
    finish, join = step(g, 'finish', sum), g.join(reduce_list_append, initial_factory=list)

    class Item(BaseNode[Any, Any, Any]):
        async def run(self, ctx: Any) -> Annotated[JoinNode[Any, Any], join]:
            return join.as_node(2)

    class Last(BaseNode[Any, Any, Any]):
        async def run(self, ctx: Any) -> Annotated[StepNode[Any, Any], finish]:
            return finish.as_node([2, 3])

    g.add(g.edge_from(g.start_node).map().transform(lambda ctx: Item()).to(Item), g.node(Item), g.node(Last))
    g.add(g.edge_from(join).transform(lambda ctx: Last()).to(Last), g.edge_from(finish).to(g.end_node))
    assert run(g.build(), 'abc') == 5


def test_steps_may_return_steps_of_their_annotation():
    g = new()
    yes, no = step(g, 'yes', lambda value: ('yes', value)), step(g, 'no', lambda value: ('no', value))

    @g.step
    async def choose(ctx: Any) -> Annotated[StepNode[Any, Any], yes] | Annotated[StepNode[Any, Any], no]:
        return (yes if ctx.inputs else no).as_node(ctx.inputs)

    g.add(g.edge_from(g.start_node).to(choose), g.edge_from(yes, no).to(g.end_node))
    graph = g.build()
    assert (run(graph, 1), run(graph, 0)) == (('yes', 1), ('no', 0))


def test_a_diagram_keeps_its_own_title_and_direction():
    diagram = MermaidGraph([], [], title='Mine', direction='LR')
    assert 'title: Mine' in diagram.render() and 'direction LR' in diagram.render()
    assert 'title: Other' in diagram.render(title='Other', direction='TB')


def test_the_older_path_has_the_same_modules():
    code = (
        'import stead.dropin; stead.dropin.install()\n'
        'from pydantic_graph.beta import Graph, GraphBuilder\n'
        'from pydantic_graph.beta.step import StepContext\n'
        'from stead.graph.beta.join import Join\n'
        'import stead.graph.beta.graph, stead.graph as g\n'
        'print(GraphBuilder is g.GraphBuilder, StepContext is g.StepContext, Join is g.Join, Graph is g.Graph)\n'
        'print(stead.graph.beta.graph.Graph is stead.graph.beta.mermaid.Graph is Graph)'
    )
    process = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == ['True', 'True', 'True', 'False', 'True']


def test_the_builder_loads_on_first_use():
    code = (
        'import sys, stead.graph; before = "stead.graph.graph_builder" in sys.modules; stead.graph.GraphBuilder;'
        'heavy = [name for name in ("httpx", "pydantic", "opentelemetry", "logfire", "anyio") if name in sys.modules];'
        'print(before, "stead.graph.graph_builder" in sys.modules, heavy)'
    )
    process = run_program(code)
    assert (process.stdout.strip(), process.stderr) == ('False True []', '')
