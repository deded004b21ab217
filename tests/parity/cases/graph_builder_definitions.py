"""What builder graphs are made of, taken by itself: ids, markers, paths, edges, branches."""

import dataclasses
import inspect
import re

import pydantic_graph
from _graphs import attempt, show, step
from pydantic_graph import GraphBuilder, decision, graph_builder, id_types, join, node, node_types, paths
from pydantic_graph.id_types import ForkStackItem, generate_placeholder_node_id, replace_placeholder_id
from pydantic_graph.paths import EdgePath, EdgePathBuilder, Path, PathBuilder

PLACEHOLDER = re.compile(r'__placeholder__:(\w+):[0-9a-f-]{36}')
ADDRESS = re.compile(r'<(function|bound method) [^>]*>')


def plain(value):
    return ADDRESS.sub('<function>', PLACEHOLDER.sub(r'<\1>', repr(value)))


for name in ('Decision', 'EndNode', 'Fork', 'GraphBuilder', 'Join', 'JoinNode', 'StartNode', 'Step', 'StepNode'):
    show(name, sorted(vars(getattr(pydantic_graph, name)).get('__dataclass_fields__', ())))
for module, names in {
    graph_builder: ('EndMarker', 'ErrorMarker', 'Graph', 'GraphTask', 'GraphTaskRequest', 'JoinItem', 'MermaidGraph'),
    paths: (
        'BroadcastMarker',
        'DestinationMarker',
        'LabelMarker',
        'MapMarker',
        'Path',
        'PathBuilder',
        'TransformMarker',
    ),
    decision: ('Decision', 'DecisionBranch', 'DecisionBranchBuilder'),
    join: ('Join', 'JoinNode', 'JoinState', 'ReducerContext'),
    node: ('Fork',),
    id_types: ('ForkStackItem',),
}.items():
    for name in names:
        cls = getattr(module, name)
        show(name, list(inspect.signature(cls).parameters), [field.name for field in dataclasses.fields(cls)])
for name in (
    'add_edge',
    'add_mapping_edge',
    'build',
    'decision',
    'join',
    'match',
    'match_node',
    'node',
    'step',
    'stream',
):
    parameters = inspect.signature(getattr(GraphBuilder, name)).parameters.values()
    show(name, [[parameter.name, parameter.kind.name] for parameter in parameters])

placeholder = generate_placeholder_node_id('label')
show(plain(placeholder), placeholder == generate_placeholder_node_id('label'), replace_placeholder_id(placeholder))
show(replace_placeholder_id('own'), replace_placeholder_id(''), replace_placeholder_id('a:b:c'))
item = ForkStackItem('f', 'r', 0)
show(repr(item), item == ForkStackItem('f', 'r', 0), len({item, ForkStackItem('f', 'r', 0)}))
attempt('frozen', lambda: setattr(item, 'thread_index', 1))

builder = GraphBuilder()
x, y = step(builder, 'x'), step(builder, 'y')
edge = builder.edge_from(x, y)
show(type(edge) is EdgePathBuilder, [source.id for source in edge.sources])
for build in (
    edge.to(y),
    edge.to(x, y),
    edge.to(x, y, fork_id='F'),
    edge.label('l').transform(len).to(y),
    edge.broadcast(lambda way: [way.to(x), way.label('l').to(y)], fork_id='B'),
):
    show(type(build) is EdgePath, plain(build.path), [target.id for target in build.destinations], len(build.sources))
    show(plain(build.path.last_fork), plain(build.path.next_path))
edge = builder.edge_from(x)
for build in (edge.map().to(y), edge.map(fork_id='M', downstream_join_id='J').label('l').to(y)):
    show(plain(build.path), plain(build.path.last_fork), plain(build.path.next_path))
path = PathBuilder(working_items=[])
for build in (
    path.to(x),
    path.to(x, y, fork_id='i'),
    path.label('a'),
    path.map(fork_id='f'),
    path.transform(len),
    path.broadcast([path.to(x), Path([])], fork_id='p'),
    path.broadcast([]),
    path,
):
    show(plain(build))
branch = builder.match(int)
for build in (
    branch.to(x),
    branch.to(x, y, fork_id='fk'),
    branch.label('l').transform(len).map(fork_id='f', downstream_join_id='d').to(y),
    branch.broadcast(lambda way: [way.to(x)], fork_id='u'),
    builder.match(str, matches=callable).to(x),
):
    show(
        type(build).__name__,
        repr(build.source),
        build.matches,
        plain(build.path),
        [target.id for target in build.destinations],
    )
show(plain(builder.decision()), plain(builder.decision(note='n', node_id='d')))
show(plain(builder.join(lambda current, inputs: 1, initial=0, node_id='j').id))
nodes = [builder.start_node, builder.end_node, builder.decision(), x, builder.join(join.reduce_sum, initial=0)]
show([node_types.is_source(one) for one in nodes], [node_types.is_destination(one) for one in nodes])
fork = node.Fork(id='f', is_map=True, downstream_join_id=None)
show(node_types.is_source(fork), node_types.is_destination(fork), repr(fork), fork == node.Fork('f', True, None))
