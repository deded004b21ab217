"""Forks: several ways from one node, a task for every item, forks inside forks, and what they are called."""

import asyncio
from typing import Any

from _graphs import attempt, run, show, show_graph, step, trace
from pydantic_graph import Fork, GraphBuilder, reduce_list_append


def graph_of(wire, validate=True):
    builder = GraphBuilder(input_type=Any, output_type=Any)
    join = builder.join(reduce_list_append, initial_factory=list)
    nodes = [step(builder, name) for name in 'abcd']
    wire(builder, join, *nodes)
    builder.add(builder.edge_from(join).to(builder.end_node))
    return builder.build(validate)


def several_destinations(builder, join, a, b, c, d):
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).label('out').to(b, c),
        builder.edge_from(b, c).to(join),
    )


def several_edges(builder, join, a, b, c, d):
    builder.add(
        builder.edge_from(builder.start_node).to(a), builder.edge_from(a).label('one').to(b), builder.edge_from(a).to(c)
    )
    builder.add(builder.edge_from(b, c).to(join))


def broadcast(builder, join, a, b, c, d):
    builder.add(
        builder.edge_from(builder.start_node).broadcast(
            lambda way: [way.label('x').to(b), way.transform(lambda ctx: ctx.inputs * 100).to(c), way.to(b)],
            fork_id='F',
        ),
        builder.edge_from(b, c).to(join),
    )


def same_edge_twice(builder, join, a, b, c, d):
    builder.add(
        builder.edge_from(builder.start_node).to(a), builder.edge_from(a).to(join), builder.edge_from(a).to(join)
    )


def mapping(builder, join, a, b, c, d):
    builder.add(builder.edge_from(builder.start_node).transform(lambda ctx: range(ctx.inputs)).to(a))
    builder.add_mapping_edge(a, b, pre_map_label='pre', post_map_label='post')
    builder.add(builder.edge_from(b).to(join))


def map_named(builder, join, a, b, c, d):
    builder.add(
        builder.edge_from(builder.start_node).transform(lambda ctx: range(ctx.inputs)).map(fork_id='every').to(a)
    )
    builder.add(builder.edge_from(a).to(join))


def map_of_maps(builder, join, a, b, c, d):
    builder.add(
        builder.edge_from(builder.start_node)
        .transform(lambda ctx: [[1, 2], [ctx.inputs]])
        .map()
        .label('outer')
        .map()
        .label('inner')
        .to(a, b),
        builder.edge_from(a, b).to(join),
    )


def two_maps(builder, join, a, b, c, d):
    builder.add(builder.edge_from(builder.start_node).transform(lambda ctx: [ctx.inputs, 0]).to(a, b))
    builder.add_mapping_edge(a, c)
    builder.add_mapping_edge(b, c)
    builder.add(builder.edge_from(c).to(join))


def nested(builder, join, a, b, c, d):
    builder.add(
        builder.edge_from(builder.start_node).broadcast(
            lambda way: [
                way.label('L1').to(a),
                way.transform(lambda ctx: [ctx.inputs, 0]).map(fork_id='mm').to(b, c),
                way.transform(lambda ctx: ['t']).to(d),
            ]
        ),
        builder.edge_from(a, b, c, d).to(join),
    )


for wire in (
    several_destinations,
    several_edges,
    broadcast,
    same_edge_twice,
    mapping,
    map_named,
    map_of_maps,
    two_maps,
    nested,
):
    print('==', wire.__name__)
    graph = graph_of(wire)
    show_graph(graph)
    show(
        {
            node_id: [node.is_map, node.downstream_join_id]
            for node_id, node in graph.nodes.items()
            if isinstance(node, Fork)
        }
    )
    show(run(graph, inputs=3))
    asyncio.run(trace(graph, inputs=3))


def mapped(value):
    builder = GraphBuilder(input_type=Any, output_type=Any)
    give, take = step(builder, 'give', lambda _: value()), step(builder, 'take')
    join = builder.join(reduce_list_append, initial_factory=list)
    builder.add(builder.edge_from(builder.start_node).to(give), builder.edge_from(give).map().to(take))
    builder.add(builder.edge_from(take).to(join), builder.edge_from(join).to(builder.end_node))
    return run(builder.build())


def generator():
    yield 1
    yield 2


def broken():
    yield 1
    raise ZeroDivisionError


for label, value in {
    'tuple': lambda: (1, 2),
    'set': lambda: {1},
    'dict': lambda: {'a': 1},
    'str': lambda: 'ab',
    'generator': generator,
    'int': lambda: 5,
    'None': lambda: None,
    'nothing': lambda: [],
    'broken': broken,
}.items():
    attempt(label, lambda: mapped(value))


async def waits(ctx):
    await asyncio.sleep(ctx.inputs / 50)
    return ctx.inputs


builder = GraphBuilder(input_type=list, output_type=list)
slow = builder.step(waits)
join = builder.join(reduce_list_append, initial_factory=list)
builder.add_mapping_edge(builder.start_node, slow)
builder.add(builder.edge_from(slow).to(join), builder.edge_from(join).to(builder.end_node))
show(run(builder.build(), inputs=[3, 1, 2]))
