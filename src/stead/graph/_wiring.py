"""Edges of builder graphs: paths from node to node, decisions, and which node may stand where.

These refer to each other, so they share this file. Their public modules are `paths`, `decision` and `node_types`.
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


# The parts of a path.


class TransformFunction(Protocol[StateT, DepsT, InputT, OutputT]):
    """A function that takes a `StepContext` and returns the value to continue with."""

    def __call__(self, ctx: StepContext[StateT, DepsT, InputT]) -> OutputT:
        """Return the value to continue with."""
        ...


@dataclass
class TransformMarker:
    """A function that changes the value on a path."""

    transform: TransformFunction[Any, Any, Any, Any]
    """The function."""


@dataclass
class MapMarker:
    """A fork with one branch for each item of the value on a path."""

    fork_id: ForkID
    """The id of the fork."""
    downstream_join_id: JoinID | None
    """The join that continues with its initial value if there are no items."""


@dataclass
class BroadcastMarker:
    """A fork into several paths."""

    paths: Sequence[Path]
    """The paths."""
    fork_id: ForkID
    """The id of the fork."""


@dataclass
class LabelMarker:
    """A label of a path in diagrams."""

    label: str
    """The label."""


@dataclass
class DestinationMarker:
    """The node that a path ends at."""

    destination_id: NodeID
    """The node."""


PathItem = TypeAliasType('PathItem', Union[TransformMarker, MapMarker, BroadcastMarker, LabelMarker, DestinationMarker])
"""A part of a path."""


@dataclass
class Path:
    """A path from a node to others."""

    items: list[PathItem]
    """The parts of the path, in order."""

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
    """A builder of paths; each method returns another builder or the finished path."""

    working_items: Sequence[PathItem]
    """The items so far."""

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
            fork_id: The id of the fork, if there are several nodes.
        """
        if not extra_destinations:
            return Path([*self.working_items, DestinationMarker(destination.id)])
        ends = [Path([DestinationMarker(node.id)]) for node in (destination, *extra_destinations)]
        return self.broadcast(ends, fork_id=fork_id)

    def broadcast(self, forks: Sequence[Path], /, *, fork_id: str | None = None) -> Path:
        """Fork into several paths, which run at the same time.

        Args:
            forks: The paths.
            fork_id: The id of the fork.
        """
        name = NodeID(fork_id or generate_placeholder_node_id('broadcast'))
        return Path([*self.working_items, BroadcastMarker(paths=forks, fork_id=name)])

    def transform(self, func: TransformFunction[StateT, DepsT, OutputT, T], /) -> PathBuilder[StateT, DepsT, T]:
        """Apply a function to the value on the path.

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
        """Fork into a branch for every item of the value on the path; the branches run at the same time.

        Args:
            fork_id: The id of the fork.
            downstream_join_id: The join that continues with its initial value if there are no items.
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
    """An edge from some nodes to others; `GraphBuilder.add` puts it into the graph.

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
    """A builder of edges; each method returns another builder or the finished edge.

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
            fork_id: The id of the fork, if there are several nodes.

        Raises:
            GraphSetupError: An edge cannot lead to one of the destinations.
        """
        nodes = [as_destination(node) for node in (destination, *extra_destinations)]
        return EdgePath(self.sources, self._path_builder.to(*nodes, fork_id=fork_id), nodes)

    def broadcast(
        self, get_forks: Callable[[Self], Sequence[EdgePath[StateT, DepsT]]], /, *, fork_id: str | None = None
    ) -> EdgePath[StateT, DepsT]:
        """Fork into several paths, which run at the same time.

        Args:
            get_forks: A function that takes a builder of paths from the fork, and returns these paths.
            fork_id: The id of the fork.

        Raises:
            GraphBuildingError: `get_forks` returned no paths.
            GraphSetupError: `get_forks` returned something else.
        """
        forks = _checked_paths(get_forks, get_forks(type(self)(self.sources, PathBuilder([]))), EdgePath)
        path = self._path_builder.broadcast([fork.path for fork in forks], fork_id=fork_id)
        return EdgePath(self.sources, path, [node for fork in forks for node in fork.destinations])

    def map(
        self: EdgePathBuilder[StateT, DepsT, Iterable[T]] | EdgePathBuilder[StateT, DepsT, AsyncIterable[T]],
        *,
        fork_id: str | None = None,
        downstream_join_id: JoinID | None = None,
    ) -> EdgePathBuilder[StateT, DepsT, T]:
        """Fork into a branch for every item of the value on the edge; the branches run at the same time.

        Args:
            fork_id: The id of the fork.
            downstream_join_id: The join that continues with its initial value if there are no items.
        """
        path: PathBuilder[StateT, DepsT, T] = self._path_builder.map(
            fork_id=fork_id, downstream_join_id=downstream_join_id
        )
        return EdgePathBuilder(self.sources, path)

    def transform(self, func: TransformFunction[StateT, DepsT, OutputT, T], /) -> EdgePathBuilder[StateT, DepsT, T]:
        """Apply a function to the value on the edge.

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
    """A node that continues along the first branch that matches its input."""

    id: NodeID
    """The id of the node."""
    branches: list[DecisionBranch[Any]]
    """The branches, in the order in which they are tried."""
    note: str | None
    """A note shown in diagrams."""

    def branch(self, branch: DecisionBranch[T]) -> Decision[StateT, DepsT, HandledT | T]:
        """Return this decision with one more branch.

        Args:
            branch: The branch, made by `GraphBuilder.match`.
        """
        return Decision(id=self.id, branches=[*self.branches, branch], note=self.note)

    # Type checkers infer variance from methods: a decision accepts any type that it has a branch for.
    def _takes(self, inputs: HandledT) -> Never:
        raise NotImplementedError


@dataclass
class DecisionBranch(Generic[SourceT]):
    """A branch of a decision."""

    source: TypeOrTypeExpression[SourceT]
    """The type of the values that the branch matches."""
    matches: Callable[[Any], bool] | None
    """Returns whether the branch matches a value, instead of the type."""
    path: Path
    """The path."""
    destinations: list[Any]
    """The nodes it leads to."""


@dataclass(init=False)
class DecisionBranchBuilder(Generic[StateT, DepsT, OutputT, SourceT, HandledT]):
    """A builder of branches of a decision; each method returns another builder or the finished branch.

    Args:
        decision: The decision it is for.
        source: The type of the values that the branch matches.
        matches: Returns whether the branch matches a value, instead of the type.
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
            fork_id: The id of the fork, if there are several nodes.

        Raises:
            GraphSetupError: An edge cannot lead to one of the destinations.
        """
        nodes = [as_destination(node) for node in (destination, *extra_destinations)]
        return DecisionBranch(self._source, self._matches, self._path_builder.to(*nodes, fork_id=fork_id), nodes)

    def broadcast(
        self, get_forks: Callable[[Self], Sequence[DecisionBranch[SourceT]]], /, *, fork_id: str | None = None
    ) -> DecisionBranch[SourceT]:
        """Fork into several paths, which run at the same time.

        Args:
            get_forks: A function that takes a builder of paths from the fork, and returns these paths.
            fork_id: The id of the fork.

        Raises:
            GraphBuildingError: `get_forks` returned no paths.
            GraphSetupError: `get_forks` returned something else.
        """
        forks = _checked_paths(get_forks, get_forks(self._with(PathBuilder([]))), DecisionBranch)
        path = self._path_builder.broadcast([fork.path for fork in forks], fork_id=fork_id)
        return DecisionBranch(self._source, self._matches, path, [node for fork in forks for node in fork.destinations])

    def transform(
        self, func: TransformFunction[StateT, DepsT, OutputT, NewOutputT], /
    ) -> DecisionBranchBuilder[StateT, DepsT, NewOutputT, SourceT, HandledT]:
        """Apply a function to the value on the branch.

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
        """Fork into a branch for every item of the value on this one; the branches run at the same time.

        Args:
            fork_id: The id of the fork.
            downstream_join_id: The join that continues with its initial value if there are no items.
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


# The nodes at the ends of edges.


MiddleNode = TypeAliasType(
    'MiddleNode',
    Union[Step[StateT, DepsT, InputT, OutputT], Join[StateT, DepsT, InputT, OutputT], Fork[InputT, OutputT]],
    type_params=(StateT, DepsT, InputT, OutputT),
)
"""A node with an input and an output."""

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
    """Return the node that an edge leads to; a `BaseNode` class is wrapped in a `NodeStep`."""
    if isinstance(node, StartNode):
        raise GraphSetupError(
            'An edge cannot lead to the start node. To begin again, lead it to the first step of the loop.'
        )
    is_node = isinstance(node, (EndNode, Step, Join, Fork, Decision))
    return cast(Any, node) if is_node else NodeStep(node)


def _checked_paths(get_forks: object, paths: Any, kind: type[Any]) -> list[Any]:
    """Check what the function passed to `broadcast` returned."""
    listed: list[Any] = [paths] if not isinstance(paths, Iterable) else [*paths]  # pyright: ignore[reportUnknownVariableType]
    for path in listed:
        if not isinstance(path, kind) or isinstance(paths, kind):
            raise GraphSetupError(
                f'The paths of a broadcast have to be a list of what `to` returns, but {get_forks!r} returned {paths!r}.'
            )
    if not listed:
        raise GraphBuildingError(f'A broadcast needs at least one path, but {get_forks!r} returned none.')
    return listed
