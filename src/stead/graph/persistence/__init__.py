"""Snapshots of graph runs, and the base class of storage for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timezone
from time import perf_counter
from typing import Annotated, Any, Generic, Literal, Protocol, Union, cast

from typing_extensions import TypeVar

from ..._kit.lazy import lazy_modules
from ..basenode import AnyBaseNode, BaseNode, End, RunEndT
from ..exceptions import GraphNodeStatusError

__all__ = (
    'BaseStatePersistence',
    'EndSnapshot',
    'NodeSnapshot',
    'RunEndT',
    'Snapshot',
    'SnapshotStatus',
    'StateT',
    'build_snapshot_list_type_adapter',
)

StateT = TypeVar('StateT', default=Any)
UNSET_SNAPSHOT_ID = '__unset__'

SnapshotStatus = Literal['created', 'pending', 'running', 'success', 'error']
"""The status of a node: stored, loaded in order to run, running, or over."""

_nodes_in_context: ContextVar[Sequence[type[AnyBaseNode]]] = ContextVar('stead_graph_nodes')


@contextmanager
def set_nodes_type_context(nodes: Sequence[type[AnyBaseNode]]) -> Generator[None, None, None]:
    """Set the node classes that the schemas built inside the block can store.

    Args:
        nodes: The classes.
    """
    token = _nodes_in_context.set(nodes)
    try:
        yield
    finally:
        _nodes_in_context.reset(token)


class _NodeSchema:
    """A pydantic schema that stores a node as its fields and `node_id`, and reads it back by that id."""

    def __get_pydantic_core_schema__(self, _source: object, handler: Any) -> Any:
        from pydantic_core import core_schema

        try:
            nodes = _nodes_in_context.get()
        except LookupError:
            raise RuntimeError(
                'Snapshots can only be stored once their node classes are known: call `set_graph_types(graph)`.'
            ) from None
        return core_schema.tagged_union_schema(
            {node.get_node_id(): handler.generate_schema(node) for node in nodes},
            discriminator=_stored_node_id,
            serialization=core_schema.wrap_serializer_function_ser_schema(_store_node),
        )


def _stored_node_id(stored: object) -> object:
    if isinstance(stored, BaseNode):
        return cast('AnyBaseNode', stored).get_node_id()
    return cast('dict[str, object]', stored).get('node_id') if isinstance(stored, dict) else None


def _store_node(node: AnyBaseNode, write: Callable[[object], dict[str, object]]) -> dict[str, object]:
    return {**write(node), 'node_id': node.get_node_id()}


@dataclass(kw_only=True)
class NodeSnapshot(Generic[StateT, RunEndT]):
    """A node and the state before it ran."""

    state: StateT
    """The state before the node ran."""
    node: Annotated[BaseNode[StateT, Any, RunEndT], _NodeSchema()]
    """The node."""
    start_ts: datetime | None = None
    """When it started to run."""
    duration: float | None = None
    """How long it ran, in seconds."""
    status: SnapshotStatus = 'created'
    """The status of the node."""
    kind: Literal['node'] = 'node'
    id: str = UNSET_SNAPSHOT_ID
    """The id of this run of the node; by default the snapshot id of the node."""

    def __post_init__(self) -> None:
        if self.id == UNSET_SNAPSHOT_ID:
            self.id = self.node.get_snapshot_id()


@dataclass(kw_only=True)
class EndSnapshot(Generic[StateT, RunEndT]):
    """The end of a run and the state at that time."""

    state: StateT
    """The state at the end."""
    result: End[RunEndT]
    """The end."""
    ts: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    """When the run ended."""
    kind: Literal['end'] = 'end'
    id: str = UNSET_SNAPSHOT_ID
    """The id of the end; by default its snapshot id."""

    def __post_init__(self) -> None:
        if self.id == UNSET_SNAPSHOT_ID:
            self.id = self.result.get_snapshot_id()

    @property
    def node(self) -> End[RunEndT]:
        """Return the end, as a snapshot of a node returns its node."""
        return self.result


Snapshot = Union[NodeSnapshot[StateT, RunEndT], EndSnapshot[StateT, RunEndT]]
"""A point of a run: before one of its nodes, or at its end."""


class SnapshotListAdapter(Protocol):
    """The part of a pydantic `TypeAdapter` that stores and reads snapshots; pydantic is imported on first use."""

    def validate_json(self, data: str | bytes | bytearray, /) -> list[Snapshot[Any, Any]]:
        """Read snapshots."""
        ...

    def dump_json(self, instance: list[Snapshot[Any, Any]], /, *, indent: int | None = None) -> bytes:
        """Return snapshots as JSON."""
        ...


class _TypedGraph(Protocol):
    """The part of a graph that names its types; the graph itself is in a module above this one."""

    @property
    def inferred_types(self) -> tuple[Any, Any]: ...

    def get_nodes(self) -> Sequence[type[AnyBaseNode]]: ...


class BaseStatePersistence(ABC, Generic[StateT, RunEndT]):
    """Base class of storage for the snapshots of one run of a graph; subclass it to store them elsewhere.

    An instance serves one run. A method that is cancelled must not leave anything half written.
    """

    @abstractmethod
    async def snapshot_node(self, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]) -> None:
        """Store a node that will run next.

        Args:
            state: The state before it.
            next_node: The node.
        """

    @abstractmethod
    async def snapshot_node_if_new(
        self, snapshot_id: str, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]
    ) -> None:
        """Store a node that will run next, unless it is stored already.

        Args:
            snapshot_id: The id of its snapshot.
            state: The state before it.
            next_node: The node.
        """

    @abstractmethod
    async def snapshot_end(self, state: StateT, end: End[RunEndT]) -> None:
        """Store the end of the run.

        Args:
            state: The state then.
            end: The end.
        """

    @abstractmethod
    def record_run(self, snapshot_id: str) -> AbstractAsyncContextManager[None]:
        """Record the run of a node: its start on entering the block, its status and duration on leaving it.

        Args:
            snapshot_id: The id of its snapshot.

        Raises:
            GraphNodeStatusError: On entering, if the node has run already.
            LookupError: On entering, if there is no such snapshot.
        """

    @abstractmethod
    async def load_next(self) -> NodeSnapshot[StateT, RunEndT] | None:
        """Return the first node that has yet to run and mark it as pending, or return None if there is none."""

    @abstractmethod
    async def load_all(self) -> list[Snapshot[StateT, RunEndT]]:
        """Return all snapshots, oldest first."""

    def set_graph_types(self, graph: _TypedGraph) -> None:
        """Set the types of state, nodes and result from a graph, unless they are known.

        Args:
            graph: The graph.
        """
        if self.should_set_types():
            with set_nodes_type_context(graph.get_nodes()):
                self.set_types(*graph.inferred_types)

    def should_set_types(self) -> bool:
        """Return whether the types are needed and not known yet."""
        return False

    def set_types(self, state_type: type[StateT], run_end_type: type[Any]) -> None:
        """Set the types of state and result; called inside `set_nodes_type_context`.

        Args:
            state_type: The type of the state.
            run_end_type: The type of the result.
        """


def build_snapshot_list_type_adapter(state_t: Any, run_end_t: Any) -> SnapshotListAdapter:
    """Return the pydantic `TypeAdapter` that stores and reads the snapshots of a run.

    Args:
        state_t: The type of the state.
        run_end_t: The type of the result.

    Raises:
        RuntimeError: Not inside `set_nodes_type_context`.
    """
    from pydantic import Discriminator, TypeAdapter

    either: Any = Union[NodeSnapshot[state_t, run_end_t], EndSnapshot[state_t, run_end_t]]
    snapshots: Any = list[Annotated[either, Discriminator('kind')]]  # pyright: ignore[reportInvalidTypeForm]
    return TypeAdapter(snapshots)


class Recording:
    """A recording, in a snapshot, of how its node runs.

    Args:
        snapshots: The snapshots, one of which is of the node; it is changed in place.
        snapshot_id: Its id.
    """

    snapshot: NodeSnapshot[Any, Any]

    def __init__(self, snapshots: Sequence[Snapshot[Any, Any] | None], snapshot_id: str):
        self._snapshots = snapshots
        self._snapshot_id = snapshot_id

    def begin(self) -> None:
        """Record that the node starts.

        Raises:
            GraphNodeStatusError: The node has run already.
            LookupError: There is no such snapshot.
        """
        self.snapshot = find_node(self._snapshots, self._snapshot_id)
        GraphNodeStatusError.check(self.snapshot.status)
        self.snapshot.status = 'running'
        self.snapshot.start_ts = datetime.now(timezone.utc)
        self._start = perf_counter()

    def end(self, error: BaseException | None) -> None:
        """Record that the node is over. A cancelled one stays 'running': how much of its work was done is unknown.

        Args:
            error: The error that it raised.
        """
        if error is None or isinstance(error, Exception):
            self.snapshot.duration = perf_counter() - self._start
            self.snapshot.status = 'error' if error else 'success'

    async def __aenter__(self) -> None:
        self.begin()

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self.end(error)


def find_node(snapshots: Sequence[Snapshot[Any, Any] | None], snapshot_id: str) -> NodeSnapshot[Any, Any]:
    """Return the snapshot of a node.

    Args:
        snapshots: Where to look.
        snapshot_id: Its id.

    Raises:
        LookupError: It is not among them.
    """
    for snapshot in snapshots:
        if snapshot is not None and snapshot.id == snapshot_id and snapshot.kind == 'node':
            return cast('NodeSnapshot[Any, Any]', snapshot)
    raise LookupError(f'No snapshot found with id={snapshot_id!r}; store the node with `snapshot_node` first.')


lazy_modules(__name__)
