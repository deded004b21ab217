"""The routes of a builder graph: what follows each node, and what each branch of a decision tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from ._wiring import AnyNode, Decision, DecisionBranch, DestinationMarker, LabelMarker, Path, TransformMarker
from .exceptions import GraphRuntimeError
from .id_types import ForkID, JoinID, NodeID
from .parent_forks import ParentFork
from .util import unpack_type_expression


@dataclass
class Route:
    """A way on from a node, without forks."""

    transforms: tuple[Callable[[Any], Any], ...]
    """The functions applied to the value on the way."""
    destination: NodeID
    """The node it leads to."""


class Routes:
    """The routes of a graph, in the form that runs look them up in."""

    def __init__(
        self,
        nodes: Mapping[NodeID, AnyNode],
        edges: Mapping[NodeID, Iterable[Path]],
        parents: Mapping[JoinID, ParentFork[NodeID]],
        *,
        aliases: Mapping[NodeID, NodeID],
        instrument: bool,
    ):
        self.nodes = nodes
        self.aliases = aliases
        self.instrument = instrument
        self.after: dict[NodeID, list[Route]] = {
            node_id: [_route(node_id, path) for path in edges.get(node_id, ())] for node_id in nodes
        }
        self.branches: dict[NodeID, list[tuple[Callable[[Any], bool], Route]]] = {
            node_id: [(_test(node_id, branch), _route(node_id, branch.path)) for branch in node.branches]
            for node_id, node in nodes.items()
            if isinstance(node, Decision)
        }
        self.parents: dict[JoinID, ForkID] = {join_id: parent.fork_id for join_id, parent in parents.items()}
        self.before: dict[JoinID, frozenset[NodeID]] = {
            join_id: frozenset(parent.intermediate_nodes) for join_id, parent in parents.items()
        }
        """The nodes between each join and its fork."""
        self.waited_for = {join_id: nodes | {join_id} for join_id, nodes in self.before.items()}
        """The nodes that no task may be at for the join to be complete."""
        self.final = {join_id for join_id in parents if not any(join_id in nodes for nodes in self.before.values())}
        """The joins that do not lie between another join and its fork."""

    def described_branches(self, node_id: NodeID) -> str:
        """Describe the branches of a decision, for error messages."""
        node = self.nodes[node_id]
        branches = node.branches if isinstance(node, Decision) else []
        descriptions = [
            f'one where {branch.matches!r} says so'
            if branch.matches
            else f'one for {unpack_type_expression(branch.source)!r}'
            for branch in branches
        ]
        return ', '.join(descriptions) or 'none'


def _route(source: NodeID, path: Path) -> Route:
    transforms: list[Callable[[Any], Any]] = []
    for item in path.items:
        if isinstance(item, TransformMarker):
            transforms.append(item.transform)
        elif isinstance(item, DestinationMarker):
            return Route(tuple(transforms), item.destination_id)
        elif not isinstance(item, LabelMarker):
            break
    raise GraphRuntimeError(
        f'The path {path!r} from {source!r} does not lead to a node, or has a fork in it. Make graphs with '
        '`GraphBuilder.build`, which turns forks into nodes.'
    )


def _test(node_id: NodeID, branch: DecisionBranch[Any]) -> Callable[[Any], bool]:
    """Return a function that tests whether a branch matches a value."""
    if branch.matches is not None:
        return branch.matches
    source: Any = unpack_type_expression(branch.source)
    if source is Any or source is object:
        return _always
    if get_origin(source) is Literal:
        choices = get_args(source)
        return lambda value: value in choices
    if get_origin(source) in (Union, UnionType):
        tests = [_test(node_id, DecisionBranch(member, None, branch.path, [])) for member in get_args(source)]
        return lambda value: any(test(value) for test in tests)
    try:
        isinstance(None, source)
    except TypeError:
        # Only a run that gets to this branch fails, not one that takes an earlier branch.
        return _unsupported(node_id, source)
    return lambda value: isinstance(value, source)


def _always(value: object) -> bool:
    return True


def _unsupported(node_id: NodeID, source: object) -> Callable[[Any], bool]:
    def fail(value: object) -> bool:
        raise GraphRuntimeError(
            f'A branch of the decision {node_id!r} is for {source!r}, but values cannot be checked against that: it is not a '
            'class, `Literal` or union of these. Say which values it is for with `builder.match(..., matches=...)`.'
        )

    return fail
