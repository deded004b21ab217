"""Snapshots of graph runs, and where they are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timezone
from time import perf_counter
from typing import Annotated, Any, Generic, Literal, Union, cast

from typing_extensions import TypeVar

from ..basenode import BaseNode, End, RunEndT
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
"""How far a node has come: stored, loaded to be run, running, or over."""

_nodes_in_context: ContextVar[Sequence[type[BaseNode[Any, Any, Any]]]] = ContextVar('stead_graph_nodes')


@contextmanager
def set_nodes_type_context(nodes: Sequence[type[BaseNode[Any, Any, Any]]]) -> Generator[None, None, None]:
    """Say which node classes stored nodes may be of, for the schemas built inside the block.

    Args:
        nodes: The classes.
    """
    token = _nodes_in_context.set(nodes)
    try:
        yield
    finally:
        _nodes_in_context.reset(token)


class _NodeSchema:
    """Tell pydantic to store a node as its fields and `node_id`, and to read it back by that id."""

    def __get_pydantic_core_schema__(self, _source: Any, handler: Any) -> Any:
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


def _stored_node_id(stored: Any) -> Any:
    if isinstance(stored, BaseNode):
        return cast('BaseNode[Any, Any, Any]', stored).get_node_id()
    return cast('dict[str, Any]', stored).get('node_id') if isinstance(stored, dict) else None


def _store_node(node: Any, write: Callable[[Any], Any]) -> dict[str, Any]:
    return {**write(node), 'node_id': node.get_node_id()}


@dataclass(kw_only=True)
class NodeSnapshot(Generic[StateT, RunEndT]):
    """Hold a node and the state before it ran.

    Args:
        state: The state before the node ran.
        node: The node.
        start_ts: When it began to run.
        duration: How many seconds it ran.
        status: How far it has come.
        id: The id of this run of the node; the node's own by default.
    """

    state: StateT
    node: Annotated[BaseNode[StateT, Any, RunEndT], _NodeSchema()]
    start_ts: datetime | None = None
    duration: float | None = None
    status: SnapshotStatus = 'created'
    kind: Literal['node'] = 'node'
    id: str = UNSET_SNAPSHOT_ID

    def __post_init__(self) -> None:
        if self.id == UNSET_SNAPSHOT_ID:
            self.id = self.node.get_snapshot_id()


@dataclass(kw_only=True)
class EndSnapshot(Generic[StateT, RunEndT]):
    """Hold the end of a run and the state then.

    Args:
        state: The state at the end.
        result: The end.
        ts: When the run ended.
        id: The id of the end; its own by default.
    """

    state: StateT
    result: End[RunEndT]
    ts: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    kind: Literal['end'] = 'end'
    id: str = UNSET_SNAPSHOT_ID

    def __post_init__(self) -> None:
        if self.id == UNSET_SNAPSHOT_ID:
            self.id = self.result.get_snapshot_id()

    @property
    def node(self) -> End[RunEndT]:
        """Return the end, as a snapshot of a node returns its node."""
        return self.result


Snapshot = Union[NodeSnapshot[StateT, RunEndT], EndSnapshot[StateT, RunEndT]]
"""A point of a run: before one of its nodes, or at its end."""


class BaseStatePersistence(ABC, Generic[StateT, RunEndT]):
    """Keep the snapshots of one run of a graph; subclass it to keep them in a place of your own.

    One instance serves one run. Nothing may be left half written when a method is cancelled.
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
        """Note how the node runs: started on entering the block, over on leaving it, with its status and duration.

        Args:
            snapshot_id: The id of its snapshot.

        Raises:
            GraphNodeStatusError: On entering, if the node was run already.
            LookupError: On entering, if there is no such snapshot.
        """

    @abstractmethod
    async def load_next(self) -> NodeSnapshot[StateT, RunEndT] | None:
        """Return the first node that is still to be run and mark it as pending, or None if there is none."""

    @abstractmethod
    async def load_all(self) -> list[Snapshot[StateT, RunEndT]]:
        """Return all snapshots, oldest first."""

    def set_graph_types(self, graph: Any) -> None:
        """Take the types of state, nodes and end from a graph, unless they are known.

        Args:
            graph: The graph.
        """
        if self.should_set_types():
            with set_nodes_type_context(graph.get_nodes()):
                self.set_types(*graph.inferred_types)

    def should_set_types(self) -> bool:
        """Say whether the types are needed and not known yet."""
        return False

    def set_types(self, state_type: type[StateT], run_end_type: type[Any]) -> None:
        """Take the types of state and end; called inside `set_nodes_type_context`.

        Args:
            state_type: The type of the state.
            run_end_type: The type of what the run ends with.
        """


def build_snapshot_list_type_adapter(state_t: Any, run_end_t: Any) -> Any:
    """Return the pydantic `TypeAdapter` that stores and reads the snapshots of a run.

    Args:
        state_t: The type of the state.
        run_end_t: The type of what the run ends with.

    Raises:
        RuntimeError: Not inside `set_nodes_type_context`.
    """
    from pydantic import Discriminator, TypeAdapter

    either: Any = Union[NodeSnapshot[state_t, run_end_t], EndSnapshot[state_t, run_end_t]]
    snapshots: Any = list[Annotated[either, Discriminator('kind')]]  # pyright: ignore[reportInvalidTypeForm]
    return TypeAdapter[Any](snapshots)


class Recording:
    """Note in a snapshot how its node runs.

    Args:
        snapshots: Where the snapshot of the node is; it is changed in place.
        snapshot_id: Its id.
    """

    snapshot: NodeSnapshot[Any, Any]

    def __init__(self, snapshots: Sequence[Any], snapshot_id: str):
        self._snapshots = snapshots
        self._snapshot_id = snapshot_id

    def begin(self) -> None:
        """Note that the node starts.

        Raises:
            GraphNodeStatusError: It was run already.
            LookupError: There is no such snapshot.
        """
        self.snapshot = find_node(self._snapshots, self._snapshot_id)
        GraphNodeStatusError.check(self.snapshot.status)
        self.snapshot.status = 'running'
        self.snapshot.start_ts = datetime.now(timezone.utc)
        self._start = perf_counter()

    def end(self, error: BaseException | None) -> None:
        """Note that the node is over. A cancelled one stays 'running': nobody knows how much of its work was done.

        Args:
            error: What it raised.
        """
        if error is None or isinstance(error, Exception):
            self.snapshot.duration = perf_counter() - self._start
            self.snapshot.status = 'error' if error else 'success'

    async def __aenter__(self) -> None:
        self.begin()

    async def __aexit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        self.end(error)


def find_node(snapshots: Sequence[Any], snapshot_id: str) -> NodeSnapshot[Any, Any]:
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
