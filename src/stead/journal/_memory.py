"""`MemoryStore`: keeps records in memory, for tests and for runs that need not outlive their process."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ._errors import StoreError
from ._store import Entry, Record, RunFilter, RunInfo, Store

_RECORD_BYTES = 300
"""What a record takes apart from its data, in bytes."""


class MemoryStore(Store):
    """Keeps records in memory. Several journals may share one."""

    def __init__(self, *, max_bytes: int = 1_000_000_000, when_full: Literal['error', 'forget'] = 'error') -> None:
        """Keep nothing yet.

        Args:
            max_bytes: The most that is kept, in bytes of the records.
            when_full: What happens above that: a run fails with a `StoreError`; or the oldest conversations, and runs
                without one, are deleted, unless they are under way.
        """
        self.max_bytes: int = max_bytes
        self.when_full: Literal['error', 'forget'] = when_full
        self._bytes = 0
        self._lock = threading.RLock()
        self._runs: dict[str, RunInfo] = {}
        self._records: dict[str, list[Record]] = {}
        self._keys: dict[str, str] = {}
        self._turns: dict[str, str] = {}

    def __repr__(self) -> str:
        return f'MemoryStore(max_bytes={self.max_bytes}, when_full={self.when_full!r})'

    def open(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing: the records stay."""

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        with self._lock:
            ids = self._keys.get(run.key or ''), self._turns.get(run.turn or ''), run.run_id
            known = next((self._runs[run_id] for run_id in ids if run_id in self._runs), None)
            if known is not None:
                return replace(known)
            self._make_room(_size(records), run)
            self._runs[run.run_id] = replace(run)
            self._records[run.run_id] = list(records)
            self._bytes += _size(records)
            if run.key is not None:
                self._keys[run.key] = run.run_id
            if run.turn is not None:
                self._turns[run.turn] = run.run_id
            return replace(run)

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        with self._lock:
            self._make_room(sum(_size(entry.records) for entry in entries))
            for entry in entries:
                run = self._runs.get(entry.run_id)
                follows = run is not None and all(
                    record.seq == run.last_seq + place for place, record in enumerate(entry.records, 1)
                )
                if run is None or run.token != entry.token or not follows or entry.run_id in refused:
                    refused.add(entry.run_id)
                    continue
                self._records[entry.run_id].extend(entry.records)
                self._bytes += _size(entry.records)
                run.status, run.steps = entry.status, entry.steps
                if entry.records:
                    run.last_seq, run.updated_at = entry.records[-1].seq, entry.records[-1].at
        return refused

    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
        with self._lock:
            records = [record for record in self._records.get(run_id, ()) if record.seq > after]
        return records if limit is None else records[:limit]

    def get(self, run_id: str) -> RunInfo | None:
        with self._lock:
            run = self._runs.get(run_id)
            return None if run is None else replace(run)

    def find(self, wanted: RunFilter) -> list[RunInfo]:
        with self._lock:
            found = [replace(run) for run in self._runs.values() if _matches(run, wanted)]
        found.sort(key=lambda run: (run.begun_at, run.run_id), reverse=True)
        return found[: wanted.limit]

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        with self._lock:
            run = self._runs.get(run_id)
            if run is None or (run.holder not in (None, holder) and run.lease_until > now):
                return None
            run.token += 1
            run.holder, run.lease_until = holder, now + seconds
            return run.token

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        lost: set[str] = set()
        with self._lock:
            for run_id, token in leases:
                run = self._runs.get(run_id)
                if run is None or run.token != token or run.holder is None:
                    lost.add(run_id)
                else:
                    run.lease_until = until
        return lost

    def release(self, run_id: str, token: int) -> None:
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None and run.token == token:
                run.holder, run.lease_until = None, 0.0

    def delete(self, run_ids: Sequence[str]) -> int:
        with self._lock:
            return self._delete(run_ids)

    def delete_unused(self, trees: Sequence[Sequence[str]], now: float) -> int:
        with self._lock:
            return super().delete_unused(trees, now)

    def _delete(self, run_ids: Sequence[str]) -> int:
        deleted = 0
        for run_id in run_ids:
            run = self._runs.pop(run_id, None)
            if run is not None:
                self._bytes -= _size(self._records.pop(run_id))
                if run.key is not None:
                    del self._keys[run.key]
                if run.turn is not None:
                    del self._turns[run.turn]
                deleted += 1
        return deleted

    def _make_room(self, size: int, new: RunInfo | None = None) -> None:
        """Delete what is oldest, if that is wanted, until there is room.

        Args:
            size: How many bytes are to be added.
            new: A run that is to be added: what it continues from is kept.

        Raises:
            StoreError: There is no room.
        """
        if self._bytes + size <= self.max_bytes:
            return
        if self.when_full == 'forget':
            now, kept = time.time(), self._group(new) if new is not None else None
            groups: dict[str, list[RunInfo]] = {}
            for run in self._runs.values():
                groups.setdefault(self._group(run), []).append(run)
            groups.pop(kept or '', None)
            for runs in sorted(groups.values(), key=lambda runs: max(run.updated_at for run in runs)):
                if self._bytes + size <= self.max_bytes * 0.9:  # not at each run that follows
                    break
                if not any(run.holder is not None and run.lease_until > now for run in runs):
                    self._delete([run.run_id for run in runs])
        if self._bytes + size > self.max_bytes:
            raise StoreError(
                f'The journal in memory may hold {self.max_bytes} bytes (`MemoryStore(max_bytes=...)`), and is full. Delete runs '
                'with `prune`, or keep the journal in a file.'
            )

    def _group(self, run: RunInfo) -> str:
        """Return what a run is deleted with: its conversation, or the run that it is inside of or continues from."""
        known: set[str] = set()
        while (outer := self._runs.get(run.parent_id or run.base_id or '')) is not None and outer.run_id not in known:
            known.add(outer.run_id)
            run = outer
        return run.conversation_id or run.run_id


def _size(records: Sequence[Record]) -> int:
    return sum(len(record.body) + _RECORD_BYTES for record in records)


def _matches(run: RunInfo, wanted: RunFilter) -> bool:
    for name in ('status', 'agent', 'parent_id', 'conversation_id', 'key', 'base_id'):
        value = getattr(wanted, name)
        if value is not None and getattr(run, name) != value:
            return False
    return (
        (wanted.id_begins is None or run.run_id.startswith(wanted.id_begins))
        and (wanted.id_ends is None or run.run_id.endswith(wanted.id_ends))
        and (wanted.is_inner is None or wanted.is_inner is (run.parent_id is not None))
        and (wanted.updated_before is None or run.updated_at < wanted.updated_before)
        and (wanted.free_at is None or run.holder is None or run.lease_until <= wanted.free_at)
        and (wanted.before is None or (run.begun_at, run.run_id) < wanted.before)
    )
