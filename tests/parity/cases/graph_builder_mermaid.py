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


def names(g):
    nodes = [step(g, name) for name in ('B1', 'a', 'Z', '_u', '9')]
    g.add(g.edge_from(g.start_node).to(*nodes), g.edge_from(*nodes).to(g.end_node))


def distances(g):
    x, y, z, w = (step(g, name) for name in 'xyzw')
    g.add(
        g.edge_from(g.start_node).to(x, y), g.edge_from(x).to(z), g.edge_from(y).to(w), g.edge_from(z, w).to(g.end_node)
    )


def labels(g):
    x, y, z, w = (step(g, name) for name in 'xyzw')
    g.add(
        g.edge_from(g.start_node).label('x: y "z"').to(x, y),
        g.edge_from(x).label('B').to(z),
        g.edge_from(x).label('A').to(z),
        g.edge_from(x).to(z),
        g.edge_from(y).label('one').label('two').transform(lambda ctx: 1).label('three').to(z),
        g.edge_from(z).to(g.end_node),
        g.edge_from(w).to(z),
    )


def loops(g):
    a, b = step(g, 'a', label='The "first" <step>'), step(g, 'my step')
    decision = g.decision(note='Again?').branch(g.match(int).label('yes').to(a)).branch(g.match(str).to(g.end_node))
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(a).to(b), g.edge_from(b).to(decision), g.edge_from(b).to(b))


def notes(g):
    one = g.decision(node_id='one', note='first line\nsecond line').branch(g.match(int).to(g.end_node))
    two = g.decision(note='').branch(g.match(TypeExpression[Any]).to(one))
    g.add(g.edge_from(g.start_node).to(two))


def joins(g):
    a, b = step(g, 'a'), step(g, 'b')
    total, dropped = g.join(reduce_sum, initial=0), g.join(reduce_null, initial=None, node_id='dropped')
    g.add(g.edge_from(g.start_node).to(a, b, fork_id='both'), g.edge_from(a).to(total), g.edge_from(b).to(dropped))
    g.add(g.edge_from(total, dropped).to(g.end_node))


def straight(g):
    g.add(g.edge_from(g.start_node).label('straight').to(g.end_node))


def dead_end(g):
    a, b = step(g, 'a'), step(g, 'b')
    g.add(g.edge_from(g.start_node).to(a), g.edge_from(b).to(a))


def nothing(g):
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
made = MermaidGraph(
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
print(made.render())
print(made.render(title='T', direction='RL', edge_labels=False))
