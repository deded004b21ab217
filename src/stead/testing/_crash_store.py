"""A store that is cut off, or that kills its process, at one record."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence

from ..journal import Entry, Record, RunFilter, RunInfo, Store, StoreError


class ProcessDied(StoreError):
    """The process of the run is dead, as far as its store can tell."""


class DyingStore(Store):
    """A store that fails for good before or after the nth record.

    Each record is appended by itself, since a process may die between any two of them.
    """

    def __init__(
        self,
        inner: Store,
        place: int | None = None,
        *,
        after: bool = False,
        before_death: Callable[[], None] = lambda: None,
        kills: bool = False,
    ) -> None:
        """Wrap a store.

        Args:
            inner: The store.
            place: How many records come before the one at which it dies; `None` for never.
            after: Whether it dies after that record; otherwise before it.
            before_death: Called in the thread of the store just before.
            kills: Whether it kills the process; otherwise it only fails from then on.
        """
        self.inner = inner
        self.place = place
        self.after = after
        self.before_death = before_death
        self.kills = kills
        self.appended = 0
        """How many records were appended."""
        self.is_dead = False

    def _alive(self) -> Store:
        if self.is_dead:
            raise ProcessDied('The process of the run is dead.')
        return self.inner

    def _boundary(self, *, after: bool) -> None:
        """Die, if this is the place."""
        if self.place == self.appended and self.after is after and not self.is_dead:
            self.before_death()
            if self.kills:
                os.kill(os.getpid(), getattr(signal, 'SIGKILL', signal.SIGTERM))  # on Windows, SIGTERM is as sudden
            self.is_dead = True
        self._alive()

    def open(self) -> None:
        self.inner.open()

    def close(self) -> None:
        """Do nothing: the store stays open for the next process, until the story has ended."""

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        self._boundary(after=False)
        created = self._alive().create(run, records)
        self._boundary(after=True)
        self.appended += 1
        return created

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        for entry in entries:
            for record in entry.records:
                self._boundary(after=False)
                status = entry.status if record is entry.records[-1] else 'running'
                part = entry._replace(records=[record], status=status)
                refused |= self._alive().append([part], durable=durable)
                self._boundary(after=True)
                self.appended += 1
        return refused

    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
        return self._alive().read(run_id, after, limit)

    def get(self, run_id: str) -> RunInfo | None:
        return self._alive().get(run_id)

    def find(self, wanted: RunFilter) -> list[RunInfo]:
        return self._alive().find(wanted)

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        return self._alive().acquire(run_id, holder, now, seconds)

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        return self._alive().renew(leases, until)

    def release(self, run_id: str, token: int) -> None:
        self._alive().release(run_id, token)

    def delete(self, run_ids: Sequence[str]) -> int:
        return self._alive().delete(run_ids)

    def delete_unused(self, trees: Sequence[Sequence[str]], now: float) -> int:
        return self._alive().delete_unused(trees, now)


class Heir(DyingStore):
    """The store as later processes see it: the leases of the dead one have ended."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self._taken: set[str] = set()

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        if run_id not in self._taken and (run := self.inner.get(run_id)) is not None:
            self._taken.add(run_id)
            self.inner.release(run_id, run.token)
        return super().acquire(run_id, holder, now, seconds)
