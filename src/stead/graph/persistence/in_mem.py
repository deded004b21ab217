"""Snapshots kept in memory: the last one, or all of them."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from ..basenode import BaseNode, End, RunEndT
from . import (
    BaseStatePersistence,
    EndSnapshot,
    NodeSnapshot,
    Recording,
    Snapshot,
    SnapshotListAdapter,
    StateT,
    build_snapshot_list_type_adapter,
)

__all__ = 'FullStatePersistence', 'SimpleStatePersistence'


@dataclass
class SimpleStatePersistence(BaseStatePersistence[StateT, RunEndT]):
    """Persistence of the last snapshot in memory, sharing state and nodes with the run. The default."""

    last_snapshot: Snapshot[StateT, RunEndT] | None = None
    """The last snapshot."""

    async def snapshot_node(self, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]) -> None:
        """Keep a node that will run next."""
        self.last_snapshot = NodeSnapshot(state=state, node=next_node)

    async def snapshot_node_if_new(
        self, snapshot_id: str, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]
    ) -> None:
        """Keep a node that will run next, unless it is kept already."""
        if self.last_snapshot is None or self.last_snapshot.id != snapshot_id:
            await self.snapshot_node(state, next_node)

    async def snapshot_end(self, state: StateT, end: End[RunEndT]) -> None:
        """Keep the end of the run."""
        self.last_snapshot = EndSnapshot(state=state, result=end)

    def record_run(self, snapshot_id: str) -> Recording:
        """Record the run of a node."""
        return Recording([self.last_snapshot], snapshot_id)

    async def load_next(self) -> NodeSnapshot[StateT, RunEndT] | None:
        """Return the node if it has yet to run, and mark it as pending."""
        snapshot = self.last_snapshot
        if isinstance(snapshot, NodeSnapshot) and snapshot.status == 'created':
            snapshot.status = 'pending'
            return copy.deepcopy(snapshot)
        return None

    async def load_all(self) -> list[Snapshot[StateT, RunEndT]]:
        """Refuse: only the last snapshot is kept.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            'SimpleStatePersistence keeps only the last snapshot; use FullStatePersistence to load all of them.'
        )


@dataclass
class FullStatePersistence(BaseStatePersistence[StateT, RunEndT]):
    """Persistence of all snapshots in memory."""

    deep_copy: bool = True
    """Copy state and nodes into the snapshots, so that later changes do not affect them."""
    history: list[Snapshot[StateT, RunEndT]] = field(default_factory=list[Any])
    """The snapshots, oldest first."""
    _snapshots_type_adapter: SnapshotListAdapter | None = field(default=None, init=False, repr=False)

    async def snapshot_node(self, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]) -> None:
        """Keep a node that will run next."""
        node = next_node.deep_copy() if self.deep_copy else next_node
        self.history.append(NodeSnapshot(state=self._copied(state), node=node))

    async def snapshot_node_if_new(
        self, snapshot_id: str, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]
    ) -> None:
        """Keep a node that will run next, unless it is kept already."""
        if not any(snapshot.id == snapshot_id for snapshot in self.history):
            await self.snapshot_node(state, next_node)

    async def snapshot_end(self, state: StateT, end: End[RunEndT]) -> None:
        """Keep the end of the run."""
        result = end.deep_copy_data() if self.deep_copy else end
        self.history.append(EndSnapshot(state=self._copied(state), result=result))

    def record_run(self, snapshot_id: str) -> Recording:
        """Record the run of a node."""
        return Recording(self.history, snapshot_id)

    async def load_next(self) -> NodeSnapshot[StateT, RunEndT] | None:
        """Return the first node that has yet to run, and mark it as pending."""
        for snapshot in self.history:
            if isinstance(snapshot, NodeSnapshot) and snapshot.status == 'created':
                snapshot.status = 'pending'
                return copy.deepcopy(snapshot)
        return None

    async def load_all(self) -> list[Snapshot[StateT, RunEndT]]:
        """Return a copy of all snapshots, oldest first."""
        return copy.deepcopy(self.history)

    def should_set_types(self) -> bool:
        """Return whether the types are not known yet."""
        return self._snapshots_type_adapter is None

    def set_types(self, state_type: type[StateT], run_end_type: type[Any]) -> None:
        """Set the types of state and result, for `dump_json` and `load_json`."""
        self._snapshots_type_adapter = build_snapshot_list_type_adapter(state_type, run_end_type)

    def dump_json(self, *, indent: int | None = None) -> bytes:
        """Return the snapshots as JSON.

        Args:
            indent: How many spaces to indent by; None writes one line.

        Raises:
            AssertionError: The types are not known; run a graph first, or call `set_graph_types`.
        """
        return self._adapter('dump_json').dump_json(self.history, indent=indent)

    def load_json(self, json_data: str | bytes | bytearray) -> None:
        """Replace the snapshots by those in JSON.

        Args:
            json_data: The output of `dump_json`.

        Raises:
            AssertionError: The types are not known; call `set_graph_types` first.
            pydantic.ValidationError: The JSON does not match the graph.
        """
        self.history = self._adapter('load_json').validate_json(json_data)

    def _adapter(self, purpose: str) -> SnapshotListAdapter:
        if self._snapshots_type_adapter is None:
            raise AssertionError(
                f'FullStatePersistence.{purpose}() needs the types of the graph: call `set_graph_types(graph)` first.'
            )
        return self._snapshots_type_adapter

    def _copied(self, state: StateT) -> StateT:
        return copy.deepcopy(state) if self.deep_copy else state
