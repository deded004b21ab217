"""Edges of builder graphs: paths from node to node, decisions, and which node may stand where.

The three are told of each other, so they share this file. Their public homes are `paths`, `decision` and `node_types`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Union, cast

from typing_extensions import Never, Self, TypeAliasType, TypeIs, TypeVar

from .basenode import BaseNode
from .exceptions import GraphBuildingError, GraphSetupError
from .id_types import ForkID, JoinID, NodeID, generate_placeholder_node_id
from .join import Join
from .node import EndNode, Fork, StartNode
from .step import NodeStep, Step, StepContext
from .util import TypeOrTypeExpression

StateT = TypeVar('StateT', infer_variance=True)
DepsT = TypeVar('DepsT', infer_variance=True)
InputT = TypeVar('InputT', infer_variance=True)
OutputT = TypeVar('OutputT', infer_variance=True)
NewOutputT = TypeVar('NewOutputT', infer_variance=True)
SourceT = TypeVar('SourceT', infer_variance=True)
HandledT = TypeVar('HandledT', infer_variance=True)
T = TypeVar('T', infer_variance=True)


# What a path is made of.


class TransformFunction(Protocol[StateT, DepsT, InputT, OutputT]):
    """Be a function that takes a `StepContext` and returns what to go on with."""

    def __call__(self, ctx: StepContext[StateT, DepsT, InputT]) -> OutputT:
        """Return what to go on with."""
        ...


@dataclass
class TransformMarker:
    """Change what goes along a path.

    Args:
        transform: The function.
    """

    transform: TransformFunction[Any, Any, Any, Any]


@dataclass
class MapMarker:
    """Go on with every item of what goes along a path.

    Args:
        fork_id: The id of the fork.
        downstream_join_id: The join that gives its initial value if there are no items.
    """

    fork_id: ForkID
    downstream_join_id: JoinID | None


@dataclass
class BroadcastMarker:
    """Go on along several paths.

    Args:
        paths: The paths.
        fork_id: The id of the fork.
    """

    paths: Sequence[Path]
    fork_id: ForkID


@dataclass
class LabelMarker:
    """Label a path in diagrams.

    Args:
        label: The label.
    """

    label: str


@dataclass
class DestinationMarker:
    """End a path at a node.

    Args:
        destination_id: The node.
    """

    destination_id: NodeID


PathItem = TypeAliasType('PathItem', Union[TransformMarker, MapMarker, BroadcastMarker, LabelMarker, DestinationMarker])
"""What a path is made of."""


@dataclass
class Path:
    """Lead from a node to others.

    Args:
        items: What happens on the way, in order.
    """

    items: list[PathItem]

    @property
    def last_fork(self) -> BroadcastMarker | MapMarker | None:
        """Return the last fork on the way, if there is one."""
        return next((item for item in reversed(self.items) if isinstance(item, (BroadcastMarker, MapMarker))), None)

    @property
    def next_path(self) -> Path:
        """Return the path without its first item."""
        return Path(self.items[1:])


@dataclass
class PathBuilder(Generic[StateT, DepsT, OutputT]):
    """Build a path, item by item; each method returns another builder or the path.

    Args:
        working_items: The items so far.
    """

    working_items: Sequence[PathItem]

    def to(
        self,
        destination: DestinationNode[StateT, DepsT, OutputT],
        /,
        *extra_destinations: DestinationNode[StateT, DepsT, OutputT],
        fork_id: str | None = None,
    ) -> Path:
        """End the path at a node, or at several at the same time.

        Args:
            destination: The node.
            extra_destinations: Further nodes.
            fork_id: The id of the fork that several nodes need.
        """
        if not extra_destinations:
            return Path([*self.working_items, DestinationMarker(destination.id)])
        ends = [Path([DestinationMarker(node.id)]) for node in (destination, *extra_destinations)]
        return self.broadcast(ends, fork_id=fork_id)

    def broadcast(self, forks: Sequence[Path], /, *, fork_id: str | None = None) -> Path:
        """Go on along several paths at the same time.

        Args:
            forks: The paths.
            fork_id: The id of the fork.
        """
        name = NodeID(fork_id or generate_placeholder_node_id('broadcast'))
        return Path([*self.working_items, BroadcastMarker(paths=forks, fork_id=name)])

    def transform(self, func: TransformFunction[StateT, DepsT, OutputT, T], /) -> PathBuilder[StateT, DepsT, T]:
        """Change what goes along the path.

        Args:
            func: The function.
        """
        return PathBuilder([*self.working_items, TransformMarker(func)])

    def map(
        self: PathBuilder[StateT, DepsT, Iterable[T]] | PathBuilder[StateT, DepsT, AsyncIterable[T]],
        *,
        fork_id: str | None = None,
        downstream_join_id: str | None = None,
    ) -> PathBuilder[StateT, DepsT, T]:
        """Go on with every item of what goes along the path, at the same time.

        Args:
            fork_id: The id of the fork.
            downstream_join_id: The join that gives its initial value if there are no items.
        """
        name = NodeID(fork_id or generate_placeholder_node_id('map'))
        join = None if downstream_join_id is None else NodeID(downstream_join_id)
        return PathBuilder([*self.working_items, MapMarker(fork_id=name, downstream_join_id=join)])

    def label(self, label: str, /) -> PathBuilder[StateT, DepsT, OutputT]:
        """Label the path in diagrams.

        Args:
            label: The label.
        """
        return PathBuilder([*self.working_items, LabelMarker(label)])


@dataclass(init=False)
class EdgePath(Generic[StateT, DepsT]):
    """Lead from some nodes to others; `GraphBuilder.add` puts it into the graph.

    Args:
        sources: The nodes it begins at.
        path: The path.
        destinations: The nodes it leads to.
    """

    _sources: Sequence[SourceNode[StateT, DepsT, Any]]
    path: Path
    destinations: list[AnyDestinationNode]

    def __init__(
        self,
        sources: Sequence[SourceNode[StateT, DepsT, Any]],
        path: Path,
        destinations: list[AnyDestinationNode],
    ):
        self._sources = sources
        self.path = path
        self.destinations = destinations

    @property
    def sources(self) -> Sequence[SourceNode[StateT, DepsT, Any]]:
        """Return the nodes it begins at."""
        return self._sources


class EdgePathBuilder(Generic[StateT, DepsT, OutputT]):
    """Build an edge, item by item; each method returns another builder or the edge.

    Args:
        sources: The nodes the edge begins at.
        path_builder: The path so far.
    """

    def __init__(
        self, sources: Sequence[SourceNode[StateT, DepsT, Any]], path_builder: PathBuilder[StateT, DepsT, OutputT]
    ):
        self.sources = sources
        self._path_builder = path_builder

    def to(
        self,
        destination: DestinationNode[StateT, DepsT, OutputT] | type[BaseNode[StateT, DepsT, Any]],
        /,
        *extra_destinations: DestinationNode[StateT, DepsT, OutputT] | type[BaseNode[StateT, DepsT, Any]],
        fork_id: str | None = None,
    ) -> EdgePath[StateT, DepsT]:
        """End the edge at a node, or at several at the same time.

        Args:
            destination: The node; for a `BaseNode`, its class.
            extra_destinations: Further nodes.
            fork_id: The id of the fork that several nodes need.

        Raises:
            GraphSetupError: A destination is nothing that an edge can lead to.
        """
        nodes = [as_destination(node) for node in (destination, *extra_destinations)]
        return EdgePath(self.sources, self._path_builder.to(*nodes, fork_id=fork_id), nodes)

    def broadcast(
        self, get_forks: Callable[[Self], Sequence[EdgePath[StateT, DepsT]]], /, *, fork_id: str | None = None
    ) -> EdgePath[StateT, DepsT]:
        """Go on along several ways at the same time.

        Args:
            get_forks: Is given a builder for the ways, each of which begins at the fork, and returns them.
            fork_id: The id of the fork.

        Raises:
            GraphBuildingError: `get_forks` returned no ways.
            GraphSetupError: `get_forks` returned something else.
        """
        forks = _ways(get_forks, get_forks(type(self)(self.sources, PathBuilder([]))), EdgePath)
        path = self._path_builder.broadcast([fork.path for fork in forks], fork_id=fork_id)
        return EdgePath(self.sources, path, [node for fork in forks for node in fork.destinations])

    def map(
        self: EdgePathBuilder[StateT, DepsT, Iterable[T]] | EdgePathBuilder[StateT, DepsT, AsyncIterable[T]],
        *,
        fork_id: str | None = None,
        downstream_join_id: JoinID | None = None,
    ) -> EdgePathBuilder[StateT, DepsT, T]:
        """Go on with every item of what goes along the edge, at the same time.

        Args:
            fork_id: The id of the fork.
            downstream_join_id: The join that gives its initial value if there are no items.
        """
        path: PathBuilder[StateT, DepsT, T] = self._path_builder.map(
            fork_id=fork_id, downstream_join_id=downstream_join_id
        )
        return EdgePathBuilder(self.sources, path)

    def transform(self, func: TransformFunction[StateT, DepsT, OutputT, T], /) -> EdgePathBuilder[StateT, DepsT, T]:
        """Change what goes along the edge.

        Args:
            func: The function.
        """
        return EdgePathBuilder(self.sources, self._path_builder.transform(func))

    def label(self, label: str) -> EdgePathBuilder[StateT, DepsT, OutputT]:
        """Label the edge in diagrams.

        Args:
            label: The label.
        """
        return EdgePathBuilder(self.sources, self._path_builder.label(label))


# Decisions.


@dataclass(kw_only=True)
class Decision(Generic[StateT, DepsT, HandledT]):
    """Go on along the first branch that fits what comes in.

    Args:
        id: The id of the node.
        branches: The branches, in the order in which they are tried.
        note: A note shown in diagrams.
    """

    id: NodeID
    branches: list[DecisionBranch[Any]]
    note: str | None

    def branch(self, branch: DecisionBranch[T]) -> Decision[StateT, DepsT, HandledT | T]:
        """Return this decision with one more branch.

        Args:
            branch: The branch, made by `GraphBuilder.match`.
        """
        return Decision(id=self.id, branches=[*self.branches, branch], note=self.note)

    # Type checkers take variance from methods: a decision may be led to by whatever it has branches for.
    def _takes(self, inputs: HandledT) -> Never:
        raise NotImplementedError


@dataclass
class DecisionBranch(Generic[SourceT]):
    """Be one way on from a decision.

    Args:
        source: The type of what the branch is for.
        matches: Says whether the branch is for a value, instead of the type.
        path: The path.
        destinations: The nodes it leads to.
    """

    source: TypeOrTypeExpression[SourceT]
    matches: Callable[[Any], bool] | None
    path: Path
    destinations: list[Any]


@dataclass(init=False)
class DecisionBranchBuilder(Generic[StateT, DepsT, OutputT, SourceT, HandledT]):
    """Build a branch of a decision, item by item; each method returns another builder or the branch.

    Args:
        decision: The decision it is for.
        source: The type of what the branch is for.
        matches: Says whether the branch is for a value, instead of the type.
        path_builder: The path so far.
    """

    _decision: Decision[StateT, DepsT, HandledT]
    _source: TypeOrTypeExpression[SourceT]
    _matches: Callable[[Any], bool] | None
    _path_builder: PathBuilder[StateT, DepsT, OutputT]

    def __init__(
        self,
        *,
        decision: Decision[StateT, DepsT, HandledT],
        source: TypeOrTypeExpression[SourceT],
        matches: Callable[[Any], bool] | None,
        path_builder: PathBuilder[StateT, DepsT, OutputT],
    ):
        self._decision = decision
        self._source = source
        self._matches = matches
        self._path_builder = path_builder

    def to(
        self,
        destination: DestinationNode[StateT, DepsT, OutputT] | type[BaseNode[StateT, DepsT, Any]],
        /,
        *extra_destinations: DestinationNode[StateT, DepsT, OutputT] | type[BaseNode[StateT, DepsT, Any]],
        fork_id: str | None = None,
    ) -> DecisionBranch[SourceT]:
        """End the branch at a node, or at several at the same time.

        Args:
            destination: The node; for a `BaseNode`, its class.
            extra_destinations: Further nodes.
            fork_id: The id of the fork that several nodes need.

        Raises:
            GraphSetupError: A destination is nothing that an edge can lead to.
        """
        nodes = [as_destination(node) for node in (destination, *extra_destinations)]
        return DecisionBranch(self._source, self._matches, self._path_builder.to(*nodes, fork_id=fork_id), nodes)

    def broadcast(
        self, get_forks: Callable[[Self], Sequence[DecisionBranch[SourceT]]], /, *, fork_id: str | None = None
    ) -> DecisionBranch[SourceT]:
        """Go on along several ways at the same time.

        Args:
            get_forks: Is given a builder for the ways, each of which begins at the fork, and returns them.
            fork_id: The id of the fork.

        Raises:
            GraphBuildingError: `get_forks` returned no ways.
            GraphSetupError: `get_forks` returned something else.
        """
        forks = _ways(get_forks, get_forks(self._with(PathBuilder([]))), DecisionBranch)
        path = self._path_builder.broadcast([fork.path for fork in forks], fork_id=fork_id)
        return DecisionBranch(self._source, self._matches, path, [node for fork in forks for node in fork.destinations])

    def transform(
        self, func: TransformFunction[StateT, DepsT, OutputT, NewOutputT], /
    ) -> DecisionBranchBuilder[StateT, DepsT, NewOutputT, SourceT, HandledT]:
        """Change what goes along the branch.

        Args:
            func: The function.
        """
        return self._with(self._path_builder.transform(func))

    def map(
        self: DecisionBranchBuilder[StateT, DepsT, Iterable[T], SourceT, HandledT]
        | DecisionBranchBuilder[StateT, DepsT, AsyncIterable[T], SourceT, HandledT],
        *,
        fork_id: str | None = None,
        downstream_join_id: str | None = None,
    ) -> DecisionBranchBuilder[StateT, DepsT, T, SourceT, HandledT]:
        """Go on with every item of what goes along the branch, at the same time.

        Args:
            fork_id: The id of the fork.
            downstream_join_id: The join that gives its initial value if there are no items.
        """
        path: PathBuilder[StateT, DepsT, T] = self._path_builder.map(
            fork_id=fork_id, downstream_join_id=downstream_join_id
        )
        return self._with(path)

    def label(self, label: str) -> DecisionBranchBuilder[StateT, DepsT, OutputT, SourceT, HandledT]:
        """Label the branch in diagrams.

        Args:
            label: The label.
        """
        return self._with(self._path_builder.label(label))

    def _with(self, path_builder: PathBuilder[StateT, DepsT, Any]) -> Any:
        return type(self)(
            decision=self._decision, source=self._source, matches=self._matches, path_builder=path_builder
        )


# Which node may stand where.


MiddleNode = TypeAliasType(
    'MiddleNode',
    Union[Step[StateT, DepsT, InputT, OutputT], Join[StateT, DepsT, InputT, OutputT], Fork[InputT, OutputT]],
    type_params=(StateT, DepsT, InputT, OutputT),
)
"""A node that something comes into and goes out of."""

SourceNode = TypeAliasType(
    'SourceNode',
    Union[MiddleNode[StateT, DepsT, Any, OutputT], StartNode[OutputT]],
    type_params=(StateT, DepsT, OutputT),
)
"""A node that an edge may begin at."""

DestinationNode = TypeAliasType(
    'DestinationNode',
    Union[MiddleNode[StateT, DepsT, InputT, Any], Decision[StateT, DepsT, InputT], EndNode[InputT]],
    type_params=(StateT, DepsT, InputT),
)
"""A node that an edge may lead to."""

AnySourceNode = TypeAliasType('AnySourceNode', SourceNode[Any, Any, Any])
AnyDestinationNode = TypeAliasType('AnyDestinationNode', DestinationNode[Any, Any, Any])
AnyNode = TypeAliasType('AnyNode', Union[AnySourceNode, AnyDestinationNode])


def is_source(node: AnyNode) -> TypeIs[AnySourceNode]:
    """Return whether a node is one that edges begin at. Forks are not: edges make them.

    Args:
        node: The node.
    """
    return isinstance(node, (StartNode, Step, Join))


def is_destination(node: AnyNode) -> TypeIs[AnyDestinationNode]:
    """Return whether a node is one that edges lead to. Forks are not: edges make them.

    Args:
        node: The node.
    """
    return isinstance(node, (EndNode, Step, Join, Decision))


def as_destination(node: Any) -> Any:
    """Return the node that an edge leads to, made of a `BaseNode` class where it is one."""
    if isinstance(node, StartNode):
        raise GraphSetupError(
            'An edge cannot lead to the start node. To begin again, lead it to the first step of the loop.'
        )
    stands = isinstance(node, (EndNode, Step, Join, Fork, Decision))
    return cast(Any, node) if stands else NodeStep(node)


def _ways(get_forks: Any, found: Any, kind: type[Any]) -> list[Any]:
    """Check what a function that makes the ways of a broadcast has returned."""
    ways: list[Any] = [found] if not isinstance(found, Iterable) else [*found]  # pyright: ignore[reportUnknownVariableType]
    for way in ways:
        if not isinstance(way, kind) or isinstance(found, kind):
            raise GraphSetupError(
                f'The ways of a broadcast have to be a list of what `to` returns, but {get_forks!r} returned {found!r}.'
            )
    if not ways:
        raise GraphBuildingError(f'A broadcast needs at least one way on, but {get_forks!r} returned none.')
    return ways
