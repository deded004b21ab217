"""Loops: steps that are run again, with and without forks and joins on the way."""

import asyncio
from typing import Any

from _graphs import run, show, show_graph, step, trace
from pydantic_graph import GraphBuilder, reduce_list_append, reduce_sum

builder = GraphBuilder(input_type=int, output_type=int)
count = step(builder, 'count', lambda value: value + 1)
again = builder.decision().branch(builder.match(int, matches=lambda value: value < 5).label('again').to(count))
again = again.branch(builder.match(int).to(builder.end_node))
builder.add(builder.edge_from(builder.start_node).to(count), builder.edge_from(count).to(again))
show_graph(builder.build())
show(run(builder.build(), inputs=0))
asyncio.run(trace(builder.build(), inputs=2))


def rounds(**options):
    builder = GraphBuilder(input_type=int, output_type=int)
    fan, each = step(builder, 'fan', lambda value: [value, value + 1]), step(builder, 'each')
    join = builder.join(reduce_sum, initial=0, node_id='join', **options)
    decision = builder.decision().branch(builder.match(int, matches=lambda value: value < 20).to(fan))
    decision = decision.branch(builder.match(int).to(builder.end_node))
    builder.add(
        builder.edge_from(builder.start_node).to(fan),
        builder.edge_from(fan).map(fork_id='M').to(each),
        builder.edge_from(each).to(join),
        builder.edge_from(join).to(decision),
    )
    return builder.build()


for options in ({}, {'preferred_parent_fork': 'closest'}, {'parent_fork_id': 'M'}):
    print('==', options)
    graph = rounds(**options)
    show_graph(graph)
    show(run(graph, inputs=1))
    asyncio.run(trace(graph, inputs=1))

print('== a loop inside a branch')
builder = GraphBuilder(input_type=Any, output_type=Any)
down = step(builder, 'down', lambda value: value - 1)
join = builder.join(reduce_list_append, initial_factory=list, node_id='join')
decision = builder.decision().branch(builder.match(int, matches=lambda value: value > 0).to(down))
decision = decision.branch(builder.match(int).to(join))
builder.add(builder.edge_from(builder.start_node).map().to(down), builder.edge_from(down).to(decision))
builder.add(builder.edge_from(join).to(builder.end_node))
graph = builder.build()
show_graph(graph)
asyncio.run(trace(graph, inputs=[3, 1, 2]))
