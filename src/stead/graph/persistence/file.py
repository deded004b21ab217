"""Snapshots kept in a JSON file, so that another process can continue with the run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from ..._kit.aio import run_in_executor
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
    find_node,
)

__all__ = ('FileStatePersistence',)

T = TypeVar('T')

_LOCK_TIMEOUT = 10.0
"""Seconds to wait for other processes that are changing the file; a change takes milliseconds, but on a busy machine longer."""
_turns: WeakValueDictionary[str, _Turn] = WeakValueDictionary()
"""Locks of the files for the threads of this process, which wait for each other however long that takes."""
_turns_lock = Lock()


class _Turn:
    """The lock of one file for the threads of this process."""

    def __init__(self) -> None:
        self.lock = Lock()


def _turn(path: Path) -> _Turn:
    with _turns_lock:
        return _turns.setdefault(os.path.realpath(path), _Turn())


def _forget_turns() -> None:
    """Forget, in a forked process, the locks that threads of the parent hold."""
    global _turns_lock
    _turns_lock = Lock()
    _turns.clear()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_forget_turns)


@dataclass
class FileStatePersistence(BaseStatePersistence[StateT, RunEndT]):
    """Persistence of all snapshots of a run in a JSON file.

    Every change reads the file and writes it again, in a thread and under a lock on a file beside it, which is
    released if the process dies.
    """

    json_file: Path
    """The file; it is created when the first snapshot is stored."""
    _snapshots_type_adapter: SnapshotListAdapter | None = field(default=None, init=False, repr=False)

    async def snapshot_node(self, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]) -> None:
        """Store a node that will run next."""
        snapshot = NodeSnapshot(state=state, node=next_node)
        await self._change(lambda snapshots: snapshots.append(snapshot))

    async def snapshot_node_if_new(
        self, snapshot_id: str, state: StateT, next_node: BaseNode[StateT, Any, RunEndT]
    ) -> None:
        """Store a node that will run next, unless it is stored already."""
        snapshot = NodeSnapshot(state=state, node=next_node)

        def change(snapshots: list[Snapshot[StateT, RunEndT]]) -> None:
            if not any(stored.id == snapshot_id for stored in snapshots):
                snapshots.append(snapshot)

        await self._change(change)

    async def snapshot_end(self, state: StateT, end: End[RunEndT]) -> None:
        """Store the end of the run."""
        snapshot = EndSnapshot(state=state, result=end)
        await self._change(lambda snapshots: snapshots.append(snapshot))

    def record_run(self, snapshot_id: str) -> AbstractAsyncContextManager[None]:
        """Record the run of a node."""
        return _FileRecording(self._change, snapshot_id)

    async def load_next(self) -> NodeSnapshot[StateT, RunEndT] | None:
        """Return the first node that has yet to run, and mark it as pending."""

        def take(snapshots: list[Snapshot[StateT, RunEndT]]) -> NodeSnapshot[StateT, RunEndT] | None:
            for snapshot in snapshots:
                if isinstance(snapshot, NodeSnapshot) and snapshot.status == 'created':
                    snapshot.status = 'pending'
                    return snapshot
            return None

        return await self._change(take)

    async def load_all(self) -> list[Snapshot[StateT, RunEndT]]:
        """Return all snapshots, oldest first."""
        return await run_in_executor(self._read, self._require_types())

    def should_set_types(self) -> bool:
        """Return whether the types are not known yet."""
        return self._snapshots_type_adapter is None

    def set_types(self, state_type: type[StateT], run_end_type: type[Any]) -> None:
        """Set the types of state and result, which determine how the file is written and read."""
        self._snapshots_type_adapter = build_snapshot_list_type_adapter(state_type, run_end_type)

    def _require_types(self) -> SnapshotListAdapter:
        if self._snapshots_type_adapter is None:
            raise AssertionError(
                'FileStatePersistence needs the types of the graph: call `set_graph_types(graph)` first.'
            )
        return self._snapshots_type_adapter

    def _read(self, adapter: SnapshotListAdapter) -> list[Snapshot[StateT, RunEndT]]:
        if not self.json_file.exists():
            return []
        return adapter.validate_json(self.json_file.read_bytes())

    async def _change(self, change: Callable[[list[Snapshot[StateT, RunEndT]]], T]) -> T:
        adapter = self._require_types()

        def work() -> T:
            turn = _turn(self.json_file)
            with turn.lock, self._lock():
                snapshots = self._read(adapter)
                outcome = change(snapshots)
                content = adapter.dump_json(snapshots, indent=2)
                # Written beside it and moved there, so that the file is never half written.
                draft = self.json_file.with_name(f'{self.json_file.name}.{os.getpid()}.tmp')
                draft.write_bytes(content)
                draft.replace(self.json_file)
                return outcome

        return await run_in_executor(work)

    @contextmanager
    def _lock(self) -> Generator[None, None, None]:
        """Hold the lock of the file for all processes, which the system releases if this one dies."""
        lock = self.json_file.with_name(f'{self.json_file.name}.lock')
        deadline = time.monotonic() + _LOCK_TIMEOUT
        while (descriptor := _locked(lock)) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f'Another process has held {lock} for {_LOCK_TIMEOUT} s, to write {self.json_file}. A change takes '
                    'milliseconds: look for a process that hangs.'
                )
            time.sleep(0.005)
        try:
            yield
        finally:
            _unlock(lock, descriptor)


if sys.platform == 'win32':
    import msvcrt

    def _locked(lock: Path) -> int | None:
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(descriptor)
            return None
        return descriptor

    def _unlock(lock: Path, descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        os.close(descriptor)
        with suppress(OSError):  # another process has it open
            lock.unlink()

else:
    import fcntl

    def _locked(lock: Path) -> int | None:
        """Return the descriptor of a file that is locked now, or `None` if another process has locked it."""
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), os.stat(lock)):
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            pass
        # Another process has it, or had it and deleted the file, so that a third one may have locked a new file.
        os.close(descriptor)
        return None

    def _unlock(lock: Path, descriptor: int) -> None:
        lock.unlink(missing_ok=True)  # before the lock is released, so that no one else has it
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # children that were forked meanwhile have the descriptor too
        os.close(descriptor)


class _FileRecording(AbstractAsyncContextManager[None]):
    """A recording of how a node runs, written to the file."""

    def __init__(
        self,
        change: Callable[[Callable[[list[Snapshot[StateT, RunEndT]]], Recording | None]], Coroutine[Any, Any, Any]],
        snapshot_id: str,
    ):
        self._change = change
        self._snapshot_id = snapshot_id

    async def __aenter__(self) -> None:
        def begin(snapshots: list[Snapshot[StateT, RunEndT]]) -> Recording:
            recording = Recording(snapshots, self._snapshot_id)
            recording.begin()
            return recording

        self._recording = await self._change(begin)

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._recording.end(error)
        recorded = self._recording.snapshot

        def end(snapshots: list[Snapshot[StateT, RunEndT]]) -> None:
            snapshot = find_node(snapshots, self._snapshot_id)
            snapshot.status, snapshot.duration = recorded.status, recorded.duration

        if recorded.status != 'running':
            await self._change(end)
