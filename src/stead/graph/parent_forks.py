"""The fork whose branches a join waits for, determined by the shape of the graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from typing_extensions import TypeVar

from .exceptions import GraphBuildingError

__all__ = 'ParentFork', 'ParentForkFinder'

T = TypeVar('T', bound=Hashable, infer_variance=True, default=str)


@dataclass
class ParentFork(Generic[T]):
    """The fork that a join waits for."""

    fork_id: T
    """The fork."""
    intermediate_nodes: set[T]
    """The nodes between the two. The join is complete once no task of the fork is at one of them."""


@dataclass
class ParentForkFinder(Generic[T]):
    """A finder of the parent forks of joins.

    A parent fork of a join lies on every way from the start to the join, and on every way from the join back to it.
    """

    nodes: set[T]
    """The nodes."""
    start_ids: set[T]
    """The nodes that runs begin with."""
    fork_ids: set[T]
    """The nodes that are forks."""
    edges: dict[T, list[T]]
    """The nodes that may follow each node."""

    def find_parent_fork(
        self, join_id: T, *, parent_fork_id: T | None = None, prefer_closest: bool = False
    ) -> ParentFork[T] | None:
        """Find the parent fork of a join, or return None if it has none.

        Args:
            join_id: The join.
            parent_fork_id: The fork to take; it is not checked that every way leads through it.
            prefer_closest: Take the fork closest to the join instead of the farthest.

        Raises:
            KeyError: There is no such join.
            GraphBuildingError: A way leads from the join back to itself without passing `parent_fork_id`.
        """
        if join_id not in self.nodes:
            raise KeyError(join_id)
        if parent_fork_id is not None:
            between = self._between(parent_fork_id, join_id)
            if between is None:
                raise GraphBuildingError(
                    f'The join {join_id!r} cannot wait for the fork {parent_fork_id!r}: a way from the join back to '
                    'itself does not pass this fork, so the join would never be complete. Lead that way '
                    'through the fork, or choose another fork with `parent_fork_id`.'
                )
            return ParentFork(parent_fork_id, between)
        forks = self._forks_before(join_id)
        for fork_id in reversed(forks) if prefer_closest else forks:
            between = self._between(fork_id, join_id)
            if between is not None:
                return ParentFork(fork_id, between)
        return None

    @cached_property
    def _predecessors(self) -> dict[T, list[T]]:
        predecessors: dict[T, list[T]] = {}
        for source, targets in self.edges.items():
            for target in targets:
                predecessors.setdefault(target, []).append(source)
        return predecessors

    def _forks_before(self, join_id: T) -> list[T]:
        """Return the forks that every way from the start to a join leads through, farthest first."""
        # A fork on every way is on the shortest one too, and in the same order on all of them.
        way = self._shortest_way(join_id, without=None)
        return [
            node
            for node in way or ()
            if node != join_id and node in self.fork_ids and self._shortest_way(join_id, without=node) is None
        ]

    def _shortest_way(self, target: T, without: T | None) -> list[T] | None:
        starts = [node for node in self.start_ids if node != without]
        came_from: dict[T, T | None] = dict.fromkeys(starts)
        queue = deque(starts)
        while queue:
            node = queue.popleft()
            if node == target:
                way: list[T] = []
                step: T | None = node
                while step is not None:
                    way.append(step)
                    step = came_from[step]
                return way[::-1]
            for after in self.edges.get(node, ()):
                if after != without and after not in came_from:
                    came_from[after] = node
                    queue.append(after)
        return None

    def _between(self, fork_id: T, join_id: T) -> set[T] | None:
        """Return the nodes that lead to a join without passing a fork, or None if the join is one of them."""
        between: set[T] = set()
        queue = [join_id]
        while queue:
            for before in self._predecessors.get(queue.pop(), ()):
                if before == join_id:
                    return None
                if before != fork_id and before not in between:
                    between.add(before)
                    queue.append(before)
        return between
