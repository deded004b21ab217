"""`MemoryStore`: the records of a process, for tests and for runs that need not outlive it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from ._store import Entry, Record, RunFilter, RunInfo, Store


class MemoryStore(Store):
    """Keeps records in memory. Several journals may share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, RunInfo] = {}
        self._records: dict[str, list[Record]] = {}
        self._keys: dict[str, str] = {}
        self._turns: dict[str, str] = {}

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
            self._runs[run.run_id] = replace(run)
            self._records[run.run_id] = list(records)
            if run.key is not None:
                self._keys[run.key] = run.run_id
            if run.turn is not None:
                self._turns[run.turn] = run.run_id
            return replace(run)

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        with self._lock:
            for entry in entries:
                run = self._runs.get(entry.run_id)
                follows = run is not None and all(
                    record.seq == run.last_seq + place for place, record in enumerate(entry.records, 1)
                )
                if run is None or run.token != entry.token or not follows or entry.run_id in refused:
                    refused.add(entry.run_id)
                    continue
                self._records[entry.run_id].extend(entry.records)
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
        deleted = 0
        with self._lock:
            for run_id in run_ids:
                run = self._runs.pop(run_id, None)
                if run is not None:
                    del self._records[run_id]
                    if run.key is not None:
                        del self._keys[run.key]
                    if run.turn is not None:
                        del self._turns[run.turn]
                    deleted += 1
        return deleted


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
