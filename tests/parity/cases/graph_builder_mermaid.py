"""Builder graphs drawn: the order of nodes and edges, labels, notes, titles, and diagrams made by hand."""

from typing import Any

from _graphs import show, step
from pydantic_graph import GraphBuilder, TypeExpression, reduce_null, reduce_sum
from pydantic_graph.graph_builder import (
    DEFAULT_HIGHLIGHT_CSS,
    MermaidEdge,
    MermaidGraph,
    MermaidNode,
    build_mermaid_graph,
)


def drawn(wire, validate=True, **options):
    print('==', wire.__name__)
    builder = GraphBuilder(input_type=Any, output_type=Any, name='named')
    wire(builder)
    graph = builder.build(validate)
    print(graph.render(**options))
    return graph


def names(builder):
    nodes = [step(builder, name) for name in ('B1', 'a', 'Z', '_u', '9')]
    builder.add(builder.edge_from(builder.start_node).to(*nodes), builder.edge_from(*nodes).to(builder.end_node))


def distances(builder):
    x, y, z, w = (step(builder, name) for name in 'xyzw')
    builder.add(
        builder.edge_from(builder.start_node).to(x, y),
        builder.edge_from(x).to(z),
        builder.edge_from(y).to(w),
        builder.edge_from(z, w).to(builder.end_node),
    )


def labels(builder):
    x, y, z, w = (step(builder, name) for name in 'xyzw')
    builder.add(
        builder.edge_from(builder.start_node).label('x: y "z"').to(x, y),
        builder.edge_from(x).label('B').to(z),
        builder.edge_from(x).label('A').to(z),
        builder.edge_from(x).to(z),
        builder.edge_from(y).label('one').label('two').transform(lambda ctx: 1).label('three').to(z),
        builder.edge_from(z).to(builder.end_node),
        builder.edge_from(w).to(z),
    )


def loops(builder):
    a, b = step(builder, 'a', label='The "first" <step>'), step(builder, 'my step')
    decision = (
        builder.decision(note='Again?')
        .branch(builder.match(int).label('yes').to(a))
        .branch(builder.match(str).to(builder.end_node))
    )
    builder.add(
        builder.edge_from(builder.start_node).to(a),
        builder.edge_from(a).to(b),
        builder.edge_from(b).to(decision),
        builder.edge_from(b).to(b),
    )


def notes(builder):
    one = builder.decision(node_id='one', note='first line\nsecond line').branch(
        builder.match(int).to(builder.end_node)
    )
    two = builder.decision(note='').branch(builder.match(TypeExpression[Any]).to(one))
    builder.add(builder.edge_from(builder.start_node).to(two))


def joins(builder):
    a, b = step(builder, 'a'), step(builder, 'b')
    total, dropped = builder.join(reduce_sum, initial=0), builder.join(reduce_null, initial=None, node_id='dropped')
    builder.add(
        builder.edge_from(builder.start_node).to(a, b, fork_id='both'),
        builder.edge_from(a).to(total),
        builder.edge_from(b).to(dropped),
    )
    builder.add(builder.edge_from(total, dropped).to(builder.end_node))


def straight(builder):
    builder.add(builder.edge_from(builder.start_node).label('straight').to(builder.end_node))


def dead_end(builder):
    a, b = step(builder, 'a'), step(builder, 'b')
    builder.add(builder.edge_from(builder.start_node).to(a), builder.edge_from(b).to(a))


def nothing(builder):
    pass


for wire in (names, distances, loops, notes, joins, straight):
    drawn(wire)
for wire in (labels, dead_end, nothing):
    drawn(wire, validate=False)
for options in ({'title': 'A title'}, {'title': ''}, {'direction': 'LR'}, {'title': 'T', 'direction': 'BT'}):
    drawn(distances, **options)
graph = drawn(loops)
diagram = build_mermaid_graph(graph.nodes, graph.edges_by_source)
for node in diagram.nodes:
    show(repr(node))
for edge in sorted(diagram.edges, key=repr):
    show(repr(edge))
show(diagram.title, diagram.direction, DEFAULT_HIGHLIGHT_CSS)
drawing = MermaidGraph(
    nodes=[
        MermaidNode('z', 'step', 'Z', 'a note'),
        MermaidNode('a', 'broadcast', 'a label', None),
        MermaidNode('__start__', 'start', 'st', 'a note'),
        MermaidNode('e', 'end', None, None),
        MermaidNode('d', 'decision', 'a label', 'a note'),
        MermaidNode('j', 'join', 'a label', 'a note'),
        MermaidNode('m', 'map', None, 'a note'),
    ],
    edges=[
        MermaidEdge('z', 'a', 'l'),
        MermaidEdge('__start__', 'z', None),
        MermaidEdge('a', '__end__', ''),
        MermaidEdge('d', 'j', 'k'),
    ],
)
print(drawing.render())
print(drawing.render(title='T', direction='RL', edge_labels=False))
