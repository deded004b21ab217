"""Joins: reducers, with and without a context, initial values, names; joins after joins, and which fork they wait for."""

import asyncio
import operator
from typing import Any

from _graphs import attempt, run, show, show_graph, step, trace
from pydantic_graph import (
    GraphBuilder,
    Join,
    ReduceFirstValue,
    ReducerContext,
    reduce_dict_update,
    reduce_list_append,
    reduce_list_extend,
    reduce_null,
    reduce_sum,
)
from pydantic_graph.id_types import replace_placeholder_id
from pydantic_graph.join import JoinState


def joined(reducer, **options):
    builder = GraphBuilder(input_type=Any, output_type=Any)
    each = step(builder, 'each')
    join = builder.join(reducer, **options)
    builder.add(builder.edge_from(builder.start_node).map().to(each), builder.edge_from(each).to(join))
    builder.add(builder.edge_from(join).to(builder.end_node))
    return builder.build()


class Plain:
    def __call__(self, current, inputs):
        return current + inputs

    def method(self, ctx, current, inputs):
        return current - inputs


def with_context(ctx, current, inputs):
    show('context', ctx.state, ctx.deps, current, inputs)
    return current + inputs


def fails(current, inputs):
    raise ZeroDivisionError


for label, reducer, initial, values in (
    ('append', reduce_list_append, None, [1, 2]),
    ('extend', reduce_list_extend, None, [[1], (2, 3)]),
    ('update', reduce_dict_update, {}, [{'a': 1}, {'b': 2, 'a': 3}]),
    ('sum', reduce_sum, 0, [1, 2.5]),
    ('sum of texts', reduce_sum, '', ['a', 'b']),
    ('null', reduce_null, None, [1, 2]),
    ('first', ReduceFirstValue(), None, [5, 6]),
    ('lambda', lambda current, inputs: [current, inputs], 0, [1, 2]),
    ('any number', lambda *values: len(values), 0, [1]),
    ('context', with_context, 0, [1, 2]),
    ('object', Plain(), 0, [1, 2]),
    ('method', Plain().method, 0, [1, 2]),
    ('operator', operator.mul, 3, [2, 5]),
    ('fails', fails, 0, [1]),
):
    options = {'initial_factory': list} if initial is None and 'list' in str(reducer) else {'initial': initial}
    attempt(label, lambda: run(joined(reducer, **options), inputs=values, state='S', deps='D'))
attempt('first needs nothing', lambda: run(joined(ReduceFirstValue()), inputs=[5, 6]))
attempt('factory wins', lambda: run(joined(reduce_sum, initial=1, initial_factory=lambda: 10), inputs=[5]))

items = []
show(reduce_list_append(items, 1) is items, reduce_list_extend(items, [2]) is items, items, reduce_null(5, 6))
state = JoinState(current=1, downstream_fork_stack=())
context = ReducerContext(state='s', deps='d', join_state=state)
show(repr(context), repr(state), context.state, context.deps)
context.cancel_sibling_tasks()
show(state.cancelled_sibling_tasks)
join = Join(id='J', reducer=reduce_sum, initial_factory=int)
show(join.reduce(context, 1, 2), join.reducer is reduce_sum, join.initial_factory(), join.preferred_parent_fork)
show(join.parent_fork_id, join.as_node(5).inputs, join.as_node().inputs, ReduceFirstValue() == ReduceFirstValue())
show(ReduceFirstValue()(context, 1, 2), repr(ReduceFirstValue()))
try:
    asyncio.run(join.as_node().run(None))
except NotImplementedError:
    show('a join is no node')
builder = GraphBuilder()
for reducer in (reduce_sum, Plain().method, fails, lambda current, inputs: 1, ReduceFirstValue()):
    show(
        replace_placeholder_id(builder.join(reducer, initial=0).id), builder.join(reducer, initial=0, node_id='own').id
    )


def rows(inner_fork, outer_fork, **options):
    """Rows of cells: a join for the cells and one for the rows."""
    builder = GraphBuilder(input_type=Any, output_type=Any)
    row, cell, total = step(builder, 'row'), step(builder, 'cell'), step(builder, 'total')
    inner = builder.join(reduce_list_append, initial_factory=list, node_id='inner', **inner_fork)
    outer = builder.join(reduce_list_append, initial_factory=list, node_id='outer', **outer_fork)
    builder.add_mapping_edge(builder.start_node, row, fork_id='rows')
    builder.add_mapping_edge(row, cell, fork_id='cells')
    builder.add(builder.edge_from(cell).to(inner), builder.edge_from(inner).to(total))
    builder.add(builder.edge_from(total).to(outer), builder.edge_from(outer).to(builder.end_node))
    return builder.build()


for inner_fork, outer_fork in (
    ({}, {}),
    ({'preferred_parent_fork': 'closest'}, {}),
    ({'preferred_parent_fork': 'closest'}, {'preferred_parent_fork': 'closest'}),
    ({}, {'preferred_parent_fork': 'closest'}),
    ({'parent_fork_id': 'cells'}, {'parent_fork_id': 'rows'}),
    ({'parent_fork_id': 'rows'}, {}),
):
    graph = rows(inner_fork, outer_fork)
    show(inner_fork, outer_fork, graph.is_final_join('inner'), graph.is_final_join('outer'))
    show_graph(graph)
    show(run(graph, inputs=[[1, 2], [3]]))
    asyncio.run(trace(graph, inputs=[[1, 2], [3]]))
    attempt('parent', lambda: graph.get_parent_fork('inner').fork_id)
    attempt('no parent', lambda: graph.get_parent_fork('row'))


def empty(with_join, **options):
    builder = GraphBuilder(input_type=Any, output_type=Any)
    each = step(builder, 'each')
    join = builder.join(reduce_list_append, initial=['initial'], node_id='join', **options)
    builder.add_mapping_edge(builder.start_node, each, downstream_join_id='join' if with_join else None)
    builder.add(builder.edge_from(each).to(join), builder.edge_from(join).to(builder.end_node))
    return builder.build()


attempt('nothing', lambda: run(empty(False), inputs=[]))
attempt('nothing, closest', lambda: run(empty(False, preferred_parent_fork='closest'), inputs=[]))
attempt('nothing, join named', lambda: run(empty(True), inputs=[]))
attempt('nothing, join named, closest', lambda: run(empty(True, preferred_parent_fork='closest'), inputs=[]))
attempt('something, join named, closest', lambda: run(empty(True, preferred_parent_fork='closest'), inputs=[1, 2]))
