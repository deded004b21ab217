"""`RunsHeld`: the runs that a journal has leased in this process.

A journal takes the lease of a run and holds the run in the same step, so that no other task of the process takes it, too. A log
records one run in one task. Another task that continues the run has another queue of messages, and finds no log.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Literal, TypeVar

from pydantic_core import to_json
from typing_extensions import TypeAlias

from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from ._checks import check_run_id, check_text
from ._encode import usage_json
from ._errors import JournalError, LeaseLost, RecordUnreadable, RunInUse, RunNotFound, naming
from ._fold import RecordedRun, fold, missing
from ._holders import new_holder
from ._log import RunLog
from ._orders import Order, as_message, orders_in
from ._redact import Redact
from ._signals import cancel_call
from ._store import Entry, Record, RunInfo, Store
from ._stored import history_of, remove_reserved
from ._writer import Writer, clocks

T = TypeVar('T')

Durability: TypeAlias = Literal['sync', 'async', 'exit']
"""When records are written.

`'sync'`: before a tool runs that may change something, the record that it was started is on the disk; a response is written
before its calls run. `'async'`: records are written in order, a few milliseconds behind. `'exit'`: they are written when the run
ends or waits.
"""
_ASKED_FOR_A_LEASE = 3
"""How many times a run asks for its lease before something is done: it may end again while the answer is on its way."""


class RunsHeld:
    """The runs of a journal in this process."""

    def __init__(
        self,
        store: Store,
        durability: Durability,
        lease_seconds: float,
        conversations: Literal['wait', 'refuse'] | None,
        redact: Redact | None = None,
    ) -> None:
        self.store: Store = store
        self.conversations: Literal['wait', 'refuse'] | None = conversations
        self.durability: Durability = durability
        self.lease_seconds: float = lease_seconds
        self.holder: str = new_holder()
        self.writer: Writer = Writer(store, lease_seconds, redact)
        self._logs: dict[str, RunLog] = {}
        journal = weakref.ref(self)  # the thread that writes has the writer, and must not keep the journal
        self.writer.forget = lambda: held.forget() if (held := journal()) is not None else None
        self.writer.carry_out_orders = lambda: held.carry_out_orders() if (held := journal()) is not None else None
        # Nothing more can be recorded of runs that were left when it is thrown away, so others may continue them.
        weakref.finalize(self, self.writer.throw_away).atexit = False
        self._held_back: dict[str, list[Entry]] = {}
        self._turns: dict[str, RunInfo] = {}  # of runs that are about to begin in a conversation
        self._elsewhere: dict[
            str, object
        ] = {}  # the queues of runs that are recorded by another journal, or have ended

    def forget(self) -> None:
        """Forget all runs: this process is the fork of another one, which has them."""
        for known in (self._logs, self._held_back, self._turns, self._elsewhere):
            known.clear()
        self.holder = new_holder()

    async def call(self, function: Callable[[], T]) -> T:
        """Call a function of the store in its thread."""
        return await asyncio.wrap_future(self.writer.call(function))

    async def call_or_undo(self, function: Callable[[], T], undo: Callable[[T], None]) -> T:
        """Call a function of the store, and undo what it did if this is cancelled meanwhile: it is still done."""
        outcomes: list[T] = []

        def note() -> T:
            outcomes.append(function())
            return outcomes[0]

        try:
            return await self.call(note)
        except asyncio.CancelledError:
            self.writer.call(lambda: [undo(outcome) for outcome in outcomes])
            raise

    async def take(self, run_id: str, *, by_force: bool = False) -> tuple[RunInfo, RecordedRun, int]:
        """Take the lease of a run, and return the run, its state and the lease.

        Raises:
            RunNotFound: The store has no such run.
            RunInUse: Another process is running it, or this one.
            RecordUnreadable: Its records cannot be read.
        """

        def take() -> tuple[RunInfo | None, int | None, list[Record]]:
            if self.runs_here(run_id):
                # Its lease may have ended, as it does when the clock jumps: two of them here would be two holders.
                raise RunInUse(f'Run {run_id!r} is under way in this process.')
            self.writer.give_back_owed()
            now = time.time()
            since = clocks()
            info = self.store.get(run_id)
            if info is not None and by_force:
                now = max(now, info.lease_until)
            token = self.store.acquire(run_id, f'{self.holder}-{uuid7_str()}', now, self.lease_seconds)
            if token is None:
                return self.store.get(run_id), None, []
            self.writer.hold(run_id, token, since)
            try:
                return self.store.get(run_id), token, self.history(run_id)
            except BaseException:
                self.writer.release(run_id, token)
                raise

        def give_back(taken: tuple[RunInfo | None, int | None, list[Record]]) -> None:
            if (token := taken[1]) is not None:
                self.writer.release(run_id, token)

        check_run_id(run_id)
        info, token, records = await self.call_or_undo(take, give_back)
        if info is None:
            raise RunNotFound(f'The journal has no run {short_repr(run_id)}.')
        if token is None:
            seconds = info.lease_until - time.time()
            raise RunInUse(f'Run {run_id!r} is under way: {info.holder} has it for another {seconds:.0f} seconds.')
        try:
            with naming(run_id):
                if info.last_seq > (last := records[-1].seq if records else 0):
                    raise RecordUnreadable(missing(last + 1))
                return info, fold(records, RecordedRun(run_id=run_id)), token
        except RecordUnreadable:
            await self.writer.give_back(run_id, token)
            raise

    def runs_here(self, run_id: str) -> bool:
        """Return whether a run is under way in this process."""
        return run_id in self._logs or run_id in self.writer.leases

    def history(self, run_id: str) -> list[Record]:
        """Return the records of a run, see `history_of`; call it in the thread."""
        return history_of(self.store, run_id)

    def log_of(self, run_id: str) -> RunLog | None:
        """Return the log of a run that is under way."""
        return self._logs.get(run_id)

    async def when_sure(self, log: RunLog, written: Awaitable[None] | None) -> None:
        """Wait for a record, and until it is sure that the run has its lease: something is done for it next.

        Raises:
            LeaseLost: It has not, or this process is so slow that it cannot know.
            StoreError: The store failed.
        """
        if written is not None:
            await written
        for _ in range(_ASKED_FOR_A_LEASE):
            if not self.writer.may_be_lost(log.run_id):
                return
            await self.call(lambda: self.writer.renew_now(log.run_id, log.token))
        if self.writer.may_be_lost(log.run_id):
            raise LeaseLost(
                f'The lease of run {log.run_id!r} lasts for {self.lease_seconds} seconds, and this process takes longer than '
                'that to renew it. What it would do next is not done. Give the journal more `lease_seconds`.'
            )

    def new_run(
        self, run_id: str, agent: str | None, conversation_id: str | None = None, key: str | None = None
    ) -> RunInfo:
        """Return a run that begins now, with the first lease.

        Raises:
            UserError: A name cannot be stored.
        """
        check_text(agent or '', 'The name of an agent with a journal')
        check_text(conversation_id or '', 'The `conversation_id` of a run with a journal')
        now = time.time()
        return RunInfo(
            run_id=run_id,
            agent=agent,
            key=key,
            conversation_id=conversation_id,
            begun_at=now,
            updated_at=now,
            token=1,
            holder=self.holder,
            lease_until=now + self.lease_seconds,
        )

    def _append(self, log: RunLog, entry: Entry, *, wait: bool = False, durable: bool = True) -> Awaitable[None] | None:
        """Append an entry to a run, and return what to wait for, if that is wanted."""
        if self.durability == 'async' and not wait:  # as most records are
            self.writer.append(entry)
            return None
        written = self._put(log, entry, wait=wait, durable=durable)
        return None if written is None else asyncio.wrap_future(written)

    def _put(
        self, log: RunLog, entry: Entry, *, wait: bool = False, durable: bool = True, last: bool = False
    ) -> Future[None] | None:
        if self.durability == 'exit':
            held_back = self._held_back.setdefault(log.run_id, [])
            held_back.append(entry)
            if not last and entry.status != 'waiting':
                return None
            entry = entry._replace(records=[record for one in held_back for record in one.records])
            held_back.clear()
        is_durable = wait and durable and self.durability != 'async'
        return self.writer.append(entry, durable=is_durable, wait=wait, at_once=self.durability == 'sync')

    async def write(self, entry: Entry, *, durable: bool, wait: bool, at_once: bool = True) -> None:
        """Give an entry to the writer, and wait until it is written if that is wanted; see `Writer.append`."""
        if (written := self.writer.append(entry, durable=durable, wait=wait, at_once=at_once)) is not None:
            await asyncio.wrap_future(written)

    async def end_left(self, run_id: str, kind: str, reason: str) -> None:
        """End a run as failed that waits or was left: no process continues it by itself. What it did stays recorded.

        Args:
            run_id: The run.
            kind: The type of the error that stands for it.
            reason: Why.

        Raises:
            RunInUse: It is under way.
        """
        info, state, token = await self.take(run_id)
        try:
            if info.status in ('done', 'failed'):
                return
            body = {'how': 'failed', 'error': {'type': kind, 'message': reason}}
            usage = b',"usage":' + usage_json(state.usage)
            record = Record(info.last_seq + 1, 'ended', time.time(), to_json(body)[:-1] + usage + b'}')
            await self.write(Entry(run_id, token, [record], 'failed', info.steps), durable=True, wait=True)
        finally:
            await self.writer.give_back(run_id, token)

    # What other processes ask for

    def carry_out_orders(self) -> None:
        """Carry out the orders for the runs here; call it in the thread."""
        paused: set[str] = set()
        for order in orders_in(self.store) if self._logs else ():
            log = self._logs.get(order.run_id)
            if log is None or log.loop is None:
                continue
            if order.kind == 'pause':
                paused.add(order.run_id)
            elif order.entry_id not in log.orders:
                log.orders.add(order.entry_id)
                with suppress(RuntimeError):  # the loop was closed
                    log.loop.call_soon_threadsafe(self._carry_out, log, order, order.data(self.store))
        for log in [*self._logs.values()]:
            if log.loop is not None and (log.run_id in paused) is (log.paused is None):
                with suppress(RuntimeError):
                    log.loop.call_soon_threadsafe(log.pause, log.run_id in paused)

    def _carry_out(self, log: RunLog, order: Order, data: JsonObject) -> None:
        if self._logs.get(log.run_id) is not log:
            return
        if order.kind == 'steer':
            assert log.queue is not None, 'the run has started'
            if all(one.enqueue_id != order.entry_id for one in log.queue):  # an earlier process may have recorded it
                log.queue.append(as_message(order, data))
            with suppress(JournalError):
                self._append(log, log.steered(log.queue))
        elif data.get('call') is None:  # the order is deleted when the run has ended
            log.cancelled_by.append(order.entry_id)
            if log.stopper is not None and (stopper := log.stopper()) is not None:
                stopper.cancel(data.get('reason'))
            return
        elif (call := log.calls_here.get(data['call'])) is not None:
            cancel_call(call, data.get('reason'))
        self.writer.call(lambda: self.store.delete([order.entry_id]))

    async def leave(self, log: RunLog) -> None:
        """Give the lease of a run back, wherever the run is; others may continue it when this returns."""
        if not (log.is_recorded or log.has_records):  # it has not started, so nothing of it is to be found
            self.writer.call(lambda: remove_reserved(self.store, log.run_id, log.token))
        with suppress(JournalError):
            await asyncio.wrap_future(self._forget(log))

    def _forget(self, log: RunLog) -> Future[None]:
        run_id = log.run_id
        if self._logs.get(run_id) is log:
            del self._logs[run_id]
            self._held_back.pop(run_id, None)
            if log.cancelled_by:
                self.writer.call(lambda: self.store.delete(log.cancelled_by))
        return self.writer.call(lambda: self.writer.release(run_id, log.token))
