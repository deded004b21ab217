"""`Writer`: the one thread that uses a store.

It appends records in order, many at a time. It collects them while the store is busy, or for a moment when no one waits, and
appends them as one. Records are written in order or not at all: when the store refuses or fails, the writer marks the run as
broken, and writes no more of it.

It is also the one place where records are redacted: all that is stored passes `append` or `create`.

The thread starts with the first job. It ends after a while without jobs and open runs, so that a journal needs no closing.

A forked process has no such thread, and must not use the connections, leases and records of its parent: see `_before_fork`.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from weakref import WeakSet, WeakValueDictionary

from ._errors import JournalError, LeaseLost, StoreError
from ._redact import Redact, redacted
from ._store import Entry, Record, RunInfo, Store

T = TypeVar('T')

GATHERING = 0.005
"""How long records that no one waits for are collected, in seconds."""
LINGERING = 0.5
"""How long the thread stays without anything to do, in seconds."""
LOOKING = 0.5
"""How often to look for what other processes ask of the open runs, in seconds."""
LAST = 5.0
"""How long a process that ends waits for what is still to be written, in seconds."""
_LONGEST = 3600.0
"""How long the thread waits at a time at most, in seconds: there is a limit to what systems can wait."""


class Clocks(NamedTuple):
    """What the clocks of this process say, in seconds."""

    steady: float
    """The clock that no one sets."""
    calendar: float
    """The time since 1970, by which all processes know when a lease ends."""


def clocks() -> Clocks:
    """Return what the clocks say now."""
    return Clocks(time.monotonic(), time.time())


@dataclass(slots=True)
class _Job:
    """Something to do: records to append, or a function to call."""

    entry: Entry | None
    """The run, and how it stands after the records."""
    records: list[Record]
    function: Callable[[], Any] | None
    durable: bool
    future: Future[Any] | None
    lease: tuple[str, int] | None = None
    """The run and the token of the records."""


class _Shared:
    """A store object that several journals may use: one of them at a time, and it is closed when none does."""

    def __init__(self, store: Store) -> None:
        self.store = store  # so that no other object gets its id
        self.lock = threading.RLock()
        self.users = 0
        self.is_open = False

    def open(self) -> None:
        """Open the store, if it is not; call it with the lock."""
        if not self.is_open:
            self.store.open()
            self.is_open = True

    def close(self) -> None:
        """Close the store, if it is open; call it with the lock."""
        if self.is_open:
            self.is_open = False
            with suppress(Exception):  # what was written is written, and the store is opened again when it is used next
                self.store.close()


_shared: WeakValueDictionary[int, _Shared] = WeakValueDictionary()
"""By `id` of the store, which need not be hashable."""
_shared_lock = threading.Lock()
_writers: WeakSet[Writer] = WeakSet()


class Writer:
    """Uses a store in a thread of its own."""

    def __init__(self, store: Store, lease_seconds: float, redact: Redact | None = None) -> None:
        self.store: Store = store
        self.redact: Redact | None = redact
        kept = store.kept_by()
        with _shared_lock:
            self._shared: _Shared = _shared.setdefault(id(kept), _Shared(kept))
            _writers.add(self)
        self.lease_seconds: float = lease_seconds
        self.leases: dict[str, int] = {}
        """The leases to renew: the token of each open run."""
        self.broken: dict[str, JournalError] = {}
        """Runs of which something could not be written, and why."""
        self._renewed: dict[str, Clocks] = {}
        """What the clocks said when the lease of each open run was taken or renewed."""
        self._owed: dict[tuple[str, int], float] = {}
        """The leases that the store could not take back, and when they end by themselves, by the clock that no one sets."""
        self._is_thrown_away: bool = False
        """Whether there is no journal any longer that could record something."""
        self.carry_out_orders: Callable[[], None] | None = None
        """Looks for what other processes ask of the runs here, in the thread."""
        self.forget: Callable[[], None] | None = None
        """What else is forgotten in a process that is forked."""
        self.lock: threading.Lock = threading.Lock()
        self.begin_anew()

    def begin_anew(self) -> None:
        """Begin with nothing to write, and without leases and a thread."""
        if self.forget is not None:
            self.forget()
        self.leases.clear()
        self.broken.clear()
        self._renewed.clear()
        self._owed.clear()
        self._not_renewed: JournalError | None = None
        """Why leases could not be renewed, until the store can be used again."""
        self._queue: deque[_Job] = deque()
        self._growing: _Job | None = None
        """The last job of the queue, if more records of its run may go with it: no one waits for it."""
        self._urgent: bool = False
        self._changed: threading.Condition = threading.Condition(self.lock)
        self._thread: threading.Thread | None = None

    def append(
        self, entry: Entry, *, durable: bool = False, wait: bool = False, at_once: bool = False
    ) -> Future[None] | None:
        """Append records to a run.

        Args:
            entry: The records.
            durable: Whether they must survive a loss of power.
            wait: Whether to return a future that is done when they are written.
            at_once: Whether to write them without collecting others first.

        Raises:
            JournalError: Something of the run could not be written before.
        """
        if (error := self.broken.get(entry.run_id)) is not None:
            raise error
        if not (wait or at_once or durable):
            with self.lock:
                job = self._growing
                if job is not None and job.lease == (entry.run_id, entry.token):
                    job.records += entry.records
                    job.entry = entry
                    return None
        future: Future[None] | None = Future() if wait else None
        self._put(_Job(entry, [*entry.records], None, durable, future, (entry.run_id, entry.token)), at_once or wait)
        return future

    @property
    def is_writing(self) -> bool:
        """Whether there may be something to write."""
        return self._thread is not None and self._thread.is_alive()

    def call(self, function: Callable[[], T]) -> Future[T]:
        """Call a function of the store, after everything that was handed in before."""
        future: Future[T] = Future()
        self._put(_Job(None, [], function, False, future), at_once=True)
        return future

    def create(self, run: RunInfo, records: Sequence[Record] = (), since: Clocks | None = None) -> RunInfo:
        """Add a run to the store, and return it, or the one that was there; call it in the thread.

        Args:
            run: The run.
            records: Its first records.
            since: What the clocks said when its lease was taken, if it is to be held.

        Raises:
            RedactionError: A record could not be redacted.
            StoreError: The store failed.
        """
        to_store = self._to_store(run.run_id, records)
        try:
            created = self.store.create(run, to_store)
        except BaseException as error:
            raise _as_store_error(error) from error
        if since is not None and created.run_id == run.run_id:
            self.hold(run.run_id, run.token, since)
        return created

    def release(self, run_id: str, token: int) -> None:
        """Give a lease back; call it in the thread. If the store fails, this is tried again until the lease ends by itself."""
        try:
            self.store.release(run_id, token)
        except BaseException:  # what was done is done
            self._owed[run_id, token] = time.monotonic() + self.lease_seconds
        # Not before: what is still to be written may fail, which would be noted for good.
        self.let_go(run_id, token)

    def give_back_owed(self) -> None:
        """Give back the leases that an earlier failure of the store has left, if it can be used now; call it in the thread."""
        while self._owed:
            (run_id, token), until = next(iter(self._owed.items()))
            try:
                if time.monotonic() < until:
                    self.store.release(run_id, token)
            except BaseException:
                return
            del self._owed[run_id, token]

    async def give_back(self, run_id: str, token: int) -> None:
        """Give a lease back, after everything that was handed in before; see `release`."""
        with suppress(JournalError):
            await asyncio.wrap_future(self.call(lambda: self.release(run_id, token)))

    def _to_store(self, run_id: str, records: Sequence[Record]) -> Sequence[Record]:
        if self.redact is None:
            return records
        return [redacted(run_id, record, self.redact) for record in records]

    def _put(self, item: _Job, at_once: bool) -> None:
        if not self.store.needs_thread:
            with self._shared.lock:
                if self._open([item]):
                    self._do([item])
            return
        with self.lock:
            self._queue.append(item)
            # If one record cannot be redacted, those before it are still written.
            self._growing = item if item.future is None and self.redact is None else None
            if not at_once and len(self._queue) > 1:
                return  # the first of them has told the thread
            self._urgent = self._urgent or at_once
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name='stead-journal', daemon=True)
                self._thread.start()
            else:
                self._changed.notify()

    def hold(self, run_id: str, token: int, since: Clocks) -> None:
        """Renew the lease of a run until `let_go`.

        Args:
            run_id: The run.
            token: Its lease.
            since: What the clocks said before the lease was taken.
        """
        with self.lock:
            self.leases[run_id], self._renewed[run_id] = token, since
            self.broken.pop(run_id, None)

    def may_be_lost(self, run_id: str) -> bool:
        """Return whether the lease of an open run was not renewed in time: this process was paused, or the clock jumped.

        A third of the lease is left as a margin: what is done next takes a while to reach others.
        """
        if (since := self._renewed.get(run_id)) is None:
            return True
        lease = self.lease_seconds
        passed, by_calendar = time.monotonic() - since.steady, time.time() - since.calendar
        return max(passed, by_calendar) > lease * 2 / 3 or by_calendar < passed - lease / 3

    def renew_now(self, run_id: str, token: int) -> None:
        """Renew the lease of a run; call it in the thread.

        Raises:
            LeaseLost: Another process has taken it.
            StoreError: The store failed.
        """
        if (error := self.broken.get(run_id)) is not None:
            raise error
        since = clocks()
        try:
            is_lost = bool(self.store.renew([(run_id, token)], since.calendar + self.lease_seconds))
        except BaseException as error:
            raise _as_store_error(error) from error
        with self.lock:
            if is_lost:
                raise self.broken.setdefault(run_id, LeaseLost(_lost(run_id)))
            if self.leases.get(run_id) == token:
                self._renewed[run_id] = since

    def throw_away(self) -> None:
        """Give all leases back soon: nothing records the runs any longer. No lock is taken: Python may call this anywhere."""
        self._is_thrown_away = True

    def let_go(self, run_id: str, token: int) -> None:
        """Renew the lease of a run no longer, and forget what was wrong with it, unless it was taken again meanwhile."""
        with self.lock:
            if self.leases.get(run_id, token) == token:
                self.leases.pop(run_id, None)
                self._renewed.pop(run_id, None)
                self.broken.pop(run_id, None)

    # In the thread

    def _work(self) -> None:
        renewed = looked = idle_since = time.monotonic()
        with self._shared.lock:
            self._shared.users += 1
        while True:
            now = time.monotonic()
            with self.lock:
                if not self._queue:
                    if not (self.leases or self._owed) and now - idle_since >= LINGERING:
                        self._thread = None
                        break
                    pause = LINGERING if self._owed or not self.leases else _LONGEST
                    self._changed.wait(min(self.lease_seconds / 3, pause, LOOKING) if self.leases else pause)
                if self._queue and not self._urgent:
                    self._changed.wait(GATHERING)
                items = list(self._queue)
                self._queue.clear()
                self._growing = None
                self._urgent = False
            if items:
                idle_since = time.monotonic()
                self._start(items)
                with self._shared.lock:
                    if self._open(items):
                        self._do(items)
                items.clear()  # the next ones may be long in coming, and records may be large
            if self.leases and time.monotonic() - renewed >= self.lease_seconds / 3:
                renewed = time.monotonic()
                with self._shared.lock:
                    if self._open([]):
                        self._renew()
            if self._owed or (self.leases and time.monotonic() - looked >= LOOKING):
                looked = time.monotonic()
                with self._shared.lock:
                    if self._open([]):
                        self.give_back_owed()
                        self._carry_out_orders()
        with self._shared.lock:
            self._shared.users -= 1
            if not self._shared.users:
                self._shared.close()

    @staticmethod
    def _start(items: list[_Job]) -> None:
        """Let no caller that is cancelled cancel a future from here on: what it asked for is still done."""
        for item in items:
            if item.future is not None and not item.future.set_running_or_notify_cancel():
                item.future = None

    def _open(self, items: list[_Job]) -> bool:
        try:
            self._shared.open()
        except BaseException as error:
            for item in items:
                self._fail(item, _as_store_error(error))
            return False
        return True

    def _do(self, items: list[_Job]) -> None:
        batch: list[_Job] = []
        for item in items:
            if item.entry is not None:
                batch.append(item)
                continue
            self._append(batch)
            batch = []
            assert item.function is not None, 'a job is an entry or a function'
            try:
                outcome = item.function()
            except BaseException as error:
                if item.future is not None:
                    item.future.set_exception(error)
            else:
                if item.future is not None:
                    item.future.set_result(outcome)
        self._append(batch)

    def _append(self, items: list[_Job]) -> None:
        items = [item for item in items if not self._fails_already(item) and self._is_redacted(item)]
        if not items:
            return
        # Whatever a store raises or returns: the thread continues, or all who wait for it would wait forever.
        try:
            refused = set(self.store.append(_merged(items), durable=any(item.durable for item in items)))
        except BaseException as error:
            for item in items:
                self._fail(item, _as_store_error(error))
            return
        for item in items:
            assert item.entry is not None
            if item.entry.run_id in refused:
                self._fail(item, self._not_renewed or LeaseLost(_lost(item.entry.run_id)))
            elif item.future is not None:
                item.future.set_result(None)
        self._not_renewed = None

    def _fails_already(self, item: _Job) -> bool:
        assert item.entry is not None
        error = self.broken.get(item.entry.run_id)
        if error is not None:
            self._fail(item, error)
        return error is not None

    def _is_redacted(self, item: _Job) -> bool:
        """Redact the records of an item, and return whether that was possible."""
        assert item.entry is not None
        if self.redact is None:
            return True
        try:
            item.records = [*self._to_store(item.entry.run_id, item.records)]
        except JournalError as error:
            self._fail(item, error)
            return False
        return True

    def _fail(self, item: _Job, error: JournalError) -> None:
        if item.entry is not None:
            with self.lock:
                self.broken.setdefault(item.entry.run_id, error)
        if item.future is not None:
            item.future.set_exception(error)

    def _carry_out_orders(self) -> None:
        if self.carry_out_orders is None or self._is_thrown_away:
            return
        try:
            self.carry_out_orders()
        except BaseException as error:  # what is written next fails, too, or the store was opened again
            self._not_renewed = _as_store_error(error)

    def _renew(self) -> None:
        leases = list(self.leases.items())
        if self._is_thrown_away:
            for run_id, token in leases:
                self.release(run_id, token)
            return
        since = clocks()
        try:
            lost = set(self.store.renew(leases, since.calendar + self.lease_seconds))
        except BaseException as error:
            # Until the next append, the leases last. What was wrong may be gone by then, as when a file was taken away and
            # the store has a new one, without the runs.
            self._not_renewed = _as_store_error(error)
            return
        with self.lock:
            for run_id, token in leases:
                if self.leases.get(run_id) != token:
                    continue  # it was let go meanwhile
                if run_id in lost:
                    del self.leases[run_id]
                    self._renewed.pop(run_id, None)
                    self.broken.setdefault(run_id, self._not_renewed or LeaseLost(_lost(run_id)))
                else:
                    self._renewed[run_id] = since
            self._not_renewed = None


def _merged(items: list[_Job]) -> list[Entry]:
    """Return the entries with one for each run and lease, which is what a store is quickest with."""
    records: dict[tuple[str, int], list[Record]] = {}
    last: dict[tuple[str, int], Entry] = {}
    for item in items:
        entry, lease = item.entry, item.lease
        assert entry is not None and lease is not None
        records.setdefault(lease, []).extend(item.records)
        last[lease] = entry
    return [entry._replace(records=records[lease]) for lease, entry in last.items()]


def _lost(run_id: str) -> str:
    return (
        f'Run {run_id!r} was taken over by another process, because this one did not renew its lease in time, or the run was '
        'deleted. What this process would do next is not done.'
    )


def _as_store_error(error: BaseException) -> JournalError:
    return error if isinstance(error, JournalError) else StoreError(f'The store of the journal failed: {error!r}.')


# Processes that end


@atexit.register
def _write_last() -> None:
    """Write what no one waited for, such as how a run ended that Ctrl+C has cancelled; its lease is given back after it."""
    until = time.monotonic() + LAST
    for writer in list(_writers):
        with suppress(RuntimeError):  # its thread has just ended, and no new one can be started
            if writer.is_writing:
                wait([writer.call(lambda: None)], max(0.0, until - time.monotonic()))


# Processes that are forked

_forking = ExitStack()


def _before_fork() -> None:
    """Close all stores, and let no thread use one until the process is forked.

    SQLite, for one, must not continue with the connection of another process, not even to close it; and a child that has the
    leases of its parent would renew them after the parent has died.
    """
    _forking.enter_context(_shared_lock)
    for shared in list(_shared.values()):
        _forking.enter_context(shared.lock)
        shared.close()
    for writer in list(_writers):
        _forking.enter_context(writer.lock)


def _after_fork_in_child() -> None:
    _forking.close()
    for shared in list(_shared.values()):
        shared.users = 0
    for writer in list(_writers):
        writer.begin_anew()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(before=_before_fork, after_in_parent=_forking.close, after_in_child=_after_fork_in_child)
