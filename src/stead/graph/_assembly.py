"""Assemble what a `GraphBuilder` collected: forks become nodes, ids readable, and joins get their forks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from copy import copy
from dataclasses import replace
from itertools import count

from ._diagram import build_mermaid_graph, paths_from
from ._wiring import (
    AnyNode,
    BroadcastMarker,
    Decision,
    DestinationMarker,
    MapMarker,
    Path,
    PathItem,
)
from .exceptions import GraphBuildingError, GraphValidationError
from .id_types import ForkID, JoinID, NodeID, is_placeholder_id, replace_placeholder_id
from .join import Join
from .node import EndNode, Fork, StartNode
from .parent_forks import ParentFork, ParentForkFinder

Nodes = dict[NodeID, AnyNode]
Edges = dict[NodeID, list[Path]]
_START, _END = StartNode.id, EndNode.id


def assemble(nodes: Nodes, edges: Edges) -> tuple[Nodes, Edges, dict[NodeID, NodeID]]:
    """Return nodes and edges in which every fork is a node, and every other node has one path.

    The third value maps generated ids to the readable ones that replace them.

    Raises:
        GraphBuildingError: A fork or join that is named does not exist.
    """
    nodes, edges = _split_at_forks(nodes, edges)
    names = _readable_ids(nodes)
    nodes, edges = _renamed(nodes, edges, names)
    _check_names(nodes)
    return *_fork_where_paths_part(nodes, edges), names


def _split_at_forks(nodes: Nodes, edges: Edges) -> tuple[Nodes, Edges]:
    """Cut paths at their forks, into one path to the fork and those that begin at it."""
    flat: Edges = defaultdict(list)
    branches: dict[NodeID, list[Path]] = {}
    rest: list[tuple[NodeID, Path]] = []
    seen: set[ForkID] = set()

    def cut(path: Path) -> Path:
        for place, item in enumerate(path.items):
            if isinstance(item, (MapMarker, BroadcastMarker)):
                # A path may begin at several nodes; what follows its fork must be added only once.
                if item.fork_id not in seen:
                    seen.add(item.fork_id)
                    ways = [Path(path.items[place + 1 :])] if isinstance(item, MapMarker) else item.paths
                    rest.extend((item.fork_id, way) for way in ways)
                return Path([*path.items[:place], DestinationMarker(item.fork_id)])
        return path

    for node_id, node in nodes.items():
        if isinstance(node, Decision):
            branches[node_id] = [cut(branch.path) for branch in node.branches]
    rest[:0] = [(source, path) for source, paths in edges.items() for path in paths]
    # From the end: a fork starts its branches in the reverse of the order in which they were added.
    while rest:
        source, path = rest.pop()
        flat[source].append(cut(path))
    renewed: Nodes = {}
    for node_id, node in nodes.items():
        if isinstance(node, Decision):
            cut_branches = zip(node.branches, branches[node_id])
            node = replace(node, branches=[replace(branch, path=path) for branch, path in cut_branches])
        renewed[node_id] = node
    return renewed, dict(flat)


def _readable_ids(nodes: Nodes) -> dict[NodeID, NodeID]:
    """Return readable names for generated ids: `map`, `map_2`."""
    taken = {node_id for node_id in nodes if not is_placeholder_id(node_id)}
    names: dict[NodeID, NodeID] = {}
    for node_id in nodes:
        if is_placeholder_id(node_id):
            names[node_id] = _free(replace_placeholder_id(node_id), taken)
            taken.add(names[node_id])
    return names


def _renamed(nodes: Nodes, edges: Edges, names: dict[NodeID, NodeID]) -> tuple[Nodes, Edges]:
    def path_of(path: Path) -> Path:
        return Path([item_of(item) for item in path.items])

    def item_of(item: PathItem) -> PathItem:
        if isinstance(item, DestinationMarker) and item.destination_id in names:
            return DestinationMarker(names[item.destination_id])
        return item

    def node_of(node: AnyNode) -> AnyNode:
        if isinstance(node, Decision):
            branches = [replace(branch, path=path_of(branch.path)) for branch in node.branches]
            return replace(node, id=names.get(node.id, node.id), branches=branches)
        if isinstance(node, Fork):
            join_id = node.downstream_join_id and names.get(node.downstream_join_id, node.downstream_join_id)
            return replace(node, id=names.get(node.id, node.id), downstream_join_id=join_id)
        if isinstance(node, Join):
            node = copy(node)
            node.id = names.get(node.id, node.id)
            node.parent_fork_id = node.parent_fork_id and names.get(node.parent_fork_id, node.parent_fork_id)
        return node

    renamed = {names.get(node_id, node_id): node_of(node) for node_id, node in nodes.items()}
    return renamed, {names.get(source, source): [path_of(path) for path in paths] for source, paths in edges.items()}


def _free(label: str, taken: Container[NodeID]) -> NodeID:
    """Return a name, with a number if it is taken already."""
    names = (NodeID(label if number == 1 else f'{label}_{number}') for number in count(1))
    return next(name for name in names if name not in taken)


def _check_names(nodes: Nodes) -> None:
    for node in nodes.values():
        if isinstance(node, Fork) and node.downstream_join_id is not None:
            _check_name(
                node.downstream_join_id, nodes, Join, f'The `downstream_join_id` of the fork {node.id!r}', 'join'
            )
        if isinstance(node, Join) and node.parent_fork_id not in (None, _START):
            _check_name(node.parent_fork_id, nodes, Fork, f'The `parent_fork_id` of the join {node.id!r}', 'fork')


def _check_name(name: NodeID, nodes: Nodes, kind: type[AnyNode], what: str, kind_name: str) -> None:
    if not isinstance(nodes.get(name), kind):
        names = ', '.join(repr(node_id) for node_id, node in nodes.items() if isinstance(node, kind))
        raise GraphBuildingError(
            f'{what} is {name!r}, but the graph has no {kind_name} with this id. '
            + (f'It has {names}.' if names else f'It does not have any {kind_name}.')
        )


def _fork_where_paths_part(nodes: Nodes, edges: Edges) -> tuple[Nodes, Edges]:
    """Insert a fork where several paths begin at another kind of node."""
    nodes, forked = dict(nodes), dict[NodeID, list[Path]]()
    for source, paths in edges.items():
        node = nodes[source]
        if len(paths) > 1 and not (isinstance(node, Fork) and not node.is_map):
            fork_id = _free(f'{source}_broadcast_fork', nodes)
            nodes[fork_id] = Fork(id=fork_id, is_map=False, downstream_join_id=None)
            forked[source] = [Path([DestinationMarker(fork_id)])]
            forked[fork_id] = paths
        else:
            forked[source] = paths
    return nodes, forked


def targets(path: Path) -> Iterable[NodeID]:
    """Return the nodes that a path leads to."""
    return (item.destination_id for item in path.items if isinstance(item, DestinationMarker))


def check_structure(nodes: Nodes, edges: Edges) -> None:
    """Check that every node lies on a way from the start to the end.

    Raises:
        GraphValidationError: Nothing leads to the end, or to some node, or nothing follows one.
    """
    after = {
        node_id: {target for path in paths_from(node_id, nodes, edges) for target in targets(path)} for node_id in nodes
    }
    skip_check = 'Or pass `validate_graph_structure=False` to `build`, if this is intended.'
    if not after.get(_START):
        raise GraphValidationError(
            'Nothing follows the start node. Add `builder.edge_from(builder.start_node).to(...)` to the graph. '
            + skip_check
        )
    if not any(_END in following for following in after.values()):
        raise GraphValidationError(
            'Nothing leads to the end node, so that no run can end. Add `builder.edge_from(...).to(builder.end_node)` '
            'to the graph, and `builder.node(...)` for every node class whose `run` returns `End`. ' + skip_check
        )
    if stuck := [node_id for node_id in nodes if node_id != _END and not after[node_id]]:
        raise GraphValidationError(
            f'Nothing follows {_named(stuck)}. Add `builder.edge_from(...)` for each, `builder.node(...)` for a node '
            'class, or a branch for a decision. ' + skip_check
        )
    reached = {_START}
    queue = [_START]
    while queue:
        for target in after[queue.pop()] - reached:
            reached.add(target)
            queue.append(target)
    if lost := [node_id for node_id in nodes if node_id not in reached]:
        raise GraphValidationError(
            f'{_named(lost)} cannot be reached from the start node. Add an edge to each, or remove them. ' + skip_check
        )


def _named(node_ids: Iterable[NodeID]) -> str:
    return ', '.join(repr(node_id) for node_id in node_ids)


def find_parent_forks(nodes: Nodes, edges: Edges) -> dict[JoinID, ParentFork[NodeID]]:
    """Find the fork that each join waits for.

    Raises:
        GraphBuildingError: A join has none.
    """
    finder = ParentForkFinder[NodeID](
        nodes={*nodes},
        start_ids={_START},
        fork_ids={_START, *(node_id for node_id, node in nodes.items() if isinstance(node, Fork))},
        edges={
            node_id: [target for path in paths_from(node_id, nodes, edges) for target in targets(path)]
            for node_id in nodes
        },
    )
    parents: dict[JoinID, ParentFork[NodeID]] = {}
    for node_id, node in nodes.items():
        if isinstance(node, Join):
            parent = finder.find_parent_fork(
                node_id,
                parent_fork_id=node.parent_fork_id,
                prefer_closest=node.preferred_parent_fork == 'closest',
            )
            if parent is None:
                raise GraphBuildingError(
                    f'The join {node_id!r} has no fork to wait for, so it can never be known to be complete. Some fork '
                    '(or the start node) has to lie on every way from the start to the join, and on every way that '
                    'leads from the join back to itself. The graph is:\n\n' + build_mermaid_graph(nodes, edges).render()
                )
            parents[node_id] = parent
    return parents


def joins_between(parents: dict[JoinID, ParentFork[NodeID]]) -> dict[JoinID, set[JoinID]]:
    """Return for each join the joins that lie between it and its fork."""
    return {
        join_id: {node_id for node_id in parent.intermediate_nodes if node_id in parents}
        for join_id, parent in parents.items()
    }
