"""`Recorder`: the part of a journal that listens to runs.

A run that a tool begins belongs to the call of that tool. When the call is made again, because the process died, or because
the inner run had to wait for a decision, the inner run is found by the outer call and its number in it, and goes on where it
stood; it is not begun a second time. Calls that a tool makes itself are found in the same way. So a tool that does nothing but
run agents and call tools can be run again without doing anything twice.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from typing_extensions import TypeAlias

from .._contracts.call_policy import Done, NotDone
from .._contracts.facts import (
    CallAnswered,
    CallAsked,
    CallProgressed,
    CallReturned,
    CallsDecided,
    CallStarting,
    CallsWait,
    RequestReady,
    ResponseTaken,
    RunBegan,
    RunEnded,
    RunFact,
    RunResumption,
)
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from ..exceptions import SkipToolExecution
from ..messages import ModelRequest
from ..tools import DeferredToolResults, ToolApproved
from ..usage import RunUsage
from ._account import Account
from ._digest import agent_digest
from ._encode import as_json
from ._errors import ContentRedacted, JournalError, RecordUnreadable, RunInUse, RunNotFound
from ._fold import AskedCall, CallPlace, InnerCall, RecordedRun, StartedCall, fold
from ._log import RunLog
from ._redact import Redact
from ._signals import CallInDoubt, InnerCallWaits, InnerRunWaits, recorded_answers, what_is_in_doubt
from ._store import Entry, Record, RunFilter, RunInfo, Store
from ._stored import history_of, last_of
from ._writer import Writer

T = TypeVar('T')

Durability: TypeAlias = Literal['sync', 'async', 'exit']
"""When records are written.

`'sync'`: before a tool runs that may change something, the record that it was started is on the disk; a response is written
before its calls run. `'async'`: records are
written in order, a few milliseconds behind. `'exit'`: they are written when the run ends or waits.
"""


@dataclass
class Resuming:
    """A run that is about to go on; the first run that begins in the context takes it."""

    recorder: Recorder[Any]
    log: RunLog
    state: RecordedRun
    is_over: bool
    """Whether the run has its result, which is only to be returned."""
    taken: bool = False


@dataclass(slots=True)
class _Place:
    """The call whose tool is running, and how many calls and runs it has begun."""

    recorder: Recorder[Any]
    run_id: str
    call_id: str
    """Its id; that of a call which a tool makes may be another one each time."""
    top: str
    """The call of the model that it is inside of, or is."""
    numbers: tuple[int, ...] = ()
    """Which call of the tool of that it is, and which call of that one's tool, and so on; empty for a call of the model."""
    step: int = 0
    """The step of the call of the model, if an earlier one of the run has the same id."""
    calls: int = 0
    runs: int = 0
    begun: dict[str, CallPlace] = field(default_factory=lambda: {})
    """Where the calls stand that its tool has begun, by their ids."""
    asked: dict[str, CallPlace] = field(default_factory=lambda: {})
    """Where the calls stand that its tool would make, and that were asked about."""

    @property
    def place(self) -> CallPlace:
        """Where the call stands in its run."""
        return self.top, *self.numbers

    @property
    def key(self) -> str:
        """What the call is known by, wherever its run goes on. Ids of runs have no `#`, `@` or `/`; those of calls may."""
        step = f'#{self.step}' if self.step else ''
        within = '@' + '.'.join(map(str, self.numbers)) if self.numbers else ''
        return f'{self.run_id}{step}{within}/{self.top}'

    def next(self) -> CallPlace:
        """Return where the next call of its tool stands."""
        self.calls += 1
        return *self.place, self.calls


@dataclass(slots=True, kw_only=True)
class _NewRun(RunResumption):
    """A run that is about to begin inside of a tool, or in a conversation."""

    recorder: Recorder[Any]
    place: _Place | None = None
    """The call that it is inside of."""
    key: str | None = None
    """What it is found by when the call is made again."""
    base: RunInfo | None = None
    """The run before it in the conversation."""


resuming_run: ContextVar[Resuming | None] = ContextVar('stead_resuming_run', default=None)
_HANDED_ON: dict[type[RunFact], Callable[..., Entry]] = {
    RequestReady: RunLog.request,
    CallProgressed: RunLog.progressed,
    CallsDecided: RunLog.decided,
}
"""Facts that are recorded as they are, and that nothing waits for."""
_place: ContextVar[_Place | None] = ContextVar('stead_recorded_call', default=None)


class Recorder(Generic[AgentDepsT]):
    """Records the runs of a process in a store, and finds out where a run goes on."""

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
        self.holder: str = f'{os.getpid()}-{uuid7_str()}'
        self.writer: Writer = Writer(store, lease_seconds, redact)
        self._logs: dict[str, RunLog] = {}
        self._held_back: dict[str, list[Entry]] = {}
        self._beginning: dict[str, float] = {}  # conversations with a run that is about to begin here, and since when

    async def call(self, function: Callable[[], T]) -> T:
        """Call a function of the store in its thread."""
        return await asyncio.wrap_future(self.writer.call(function))

    async def call_or_undo(self, function: Callable[[], T], undo: Callable[[T], None]) -> T:
        """Call a function of the store, and undo what it did if this is cancelled meanwhile: it is done all the same."""
        outcomes: list[T] = []

        def note() -> T:
            outcomes.append(function())
            return outcomes[0]

        try:
            return await self.call(note)
        except asyncio.CancelledError:
            self.writer.call(lambda: [undo(outcome) for outcome in outcomes])
            raise

    # Where a run goes on

    async def restore(self, ctx: RunContext[AgentDepsT]) -> RunResumption | None:
        """Return where the run that is about to begin goes on, if it was begun before."""
        resuming = resuming_run.get()
        if resuming is not None and resuming.recorder is self and not resuming.taken:
            return self._resumption(resuming)
        place = _place.get()
        if place is None and self.conversations and ctx.conversation_id is not None and not ctx.messages:
            return await self._conversation(ctx.conversation_id)
        if place is None or place.recorder.store is not self.store or ctx.run_id is None:
            return None
        place.runs += 1
        key = f'{place.key}/{place.runs}'
        found = await self.call(lambda: self.store.find(RunFilter(key=key, limit=1)))
        if not found:
            return _NewRun(messages=list(ctx.messages), recorder=self, place=place, key=key)
        # The process that began it has lost the outer run to this one, or is this one.
        info, state, token = await self.take(found[0].run_id, by_force=True)
        log = RunLog(info.run_id, token, info.last_seq, state)
        resuming = Resuming(self, log, state, info.status == 'done')
        try:
            await self.check_arguments(resuming)
        except ContentRedacted as error:
            await self.leave(log)
            raise InnerRunWaits(metadata={'kind': 'run', 'run_id': info.run_id}) from error
        return self._resumption(resuming)

    async def _conversation(self, conversation_id: str) -> RunResumption | None:
        """Return what was said in a conversation; `None` if it begins."""
        pause = 0.02
        while True:
            try:
                base, state = await self.call(lambda: last_of(self.store, conversation_id))
                if time.monotonic() - self._beginning.get(conversation_id, -math.inf) < self.lease_seconds:
                    raise RunInUse(f'A run of conversation {conversation_id!r} is about to begin in this process.')
                self._beginning[conversation_id] = time.monotonic()
                break
            except RunInUse:
                if self.conversations == 'refuse':
                    raise
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, 1.0)
        if base is None:
            return None
        return _NewRun(messages=list(state.messages), conversation_id=conversation_id, recorder=self, base=base)

    def _resumption(self, resuming: Resuming) -> RunResumption:
        resuming.taken = True
        log = resuming.log
        resumption = resuming.state.resumption(log.run_id)
        if not resuming.is_over:
            self._logs[log.run_id] = log
        elif isinstance(last := resumption.messages[-1], ModelRequest):
            resumption.messages.pop()  # the answers beside the output, which come again with it
            resumption.decisions = recorded_answers(last)
        return resumption

    async def take(self, run_id: str, *, by_force: bool = False) -> tuple[RunInfo, RecordedRun, int]:
        """Take the lease of a run, and return the run, its state and the lease.

        Raises:
            RunNotFound: The store has no such run.
            RunInUse: Another process is running it, or this one.
            RecordUnreadable: Its records cannot be read.
        """

        def take() -> tuple[RunInfo | None, int | None, list[Record]]:
            now = time.time()
            info = self.store.get(run_id)
            if info is not None and by_force:
                now = max(now, info.lease_until)
            token = self.store.acquire(run_id, f'{self.holder}-{uuid7_str()}', now, self.lease_seconds)
            if token is None:
                return self.store.get(run_id), None, []
            try:
                return self.store.get(run_id), token, self.history(run_id)
            except BaseException:
                self.store.release(run_id, token)
                raise

        def give_back(taken: tuple[RunInfo | None, int | None, list[Record]]) -> None:
            if (token := taken[1]) is not None:
                self.store.release(run_id, token)

        if self.runs_here(run_id):
            # Its lease may have ended, as it does when the clock jumps. Two of them here would share what is known of the run.
            raise RunInUse(f'Run {run_id!r} is under way in this process.')
        info, token, records = await self.call_or_undo(take, give_back)
        if info is None:
            raise RunNotFound(f'The journal has no run {run_id!r}.')
        if token is None:
            seconds = info.lease_until - time.time()
            raise RunInUse(f'Run {run_id!r} is under way: {info.holder} has it for another {seconds:.0f} seconds.')
        try:
            return info, fold(records), token
        except RecordUnreadable as error:
            await self.call(lambda: self.store.release(run_id, token))
            raise RecordUnreadable(f'Run {run_id!r} cannot be read. {error}') from error

    async def check_arguments(self, resuming: Resuming) -> None:
        """Let a run wait that would make a call whose arguments were redacted.

        Raises:
            ContentRedacted: It does; the run waits for a decision about the call.
        """
        log, state = resuming.log, resuming.state
        calls = state.lacking_arguments()
        if resuming.is_over or not calls:
            return
        waiting: JsonObject = state.waiting or {}
        undecided = set(state.undecided())
        metadata = {call_id: data for call_id, data in waiting.get('metadata', {}).items() if call_id in undecided}
        for call in calls:
            metadata[call.tool_call_id] = {
                'kind': 'redacted',
                'message': f'The arguments of this call of {call.tool_name!r} were redacted: pass others, or its result.',
                **({'started_at': started.at} if (started := state.started.get(call.tool_call_id)) is not None else {}),
            }
        approvals = [call_id for call_id in waiting.get('approvals', ()) if call_id in undecided]
        body = {
            'calls': [call_id for call_id in waiting.get('calls', ()) if call_id in undecided],
            'approvals': [*approvals, *(call.tool_call_id for call in calls)],
            'metadata': metadata,
        }
        record = Record(log.seq + 1, 'waiting', time.time(), as_json(body))
        written = self.writer.append(
            Entry(log.run_id, log.token, [record], 'waiting', log.steps), durable=True, wait=True
        )
        assert written is not None, 'it is waited for'
        await asyncio.wrap_future(written)
        raise ContentRedacted(
            f'Run {log.run_id!r} waits, because the arguments of its calls '
            f'{[call.tool_call_id for call in calls]} were redacted before they were stored. Decide about them with '
            '`journal.answer`: `ToolApproved(override_args=...)`, `False`, or their results in `calls`. Or fork the run, '
            'so that the model is asked again.'
        )

    def runs_here(self, run_id: str) -> bool:
        """Return whether a run is under way in this process."""
        return run_id in self._logs

    def history(self, run_id: str) -> list[Record]:
        """Return the records of a run, see `history_of`; call it in the thread."""
        return history_of(self.store, run_id)

    # What happens in a run

    def record(self, ctx: RunContext[AgentDepsT], fact: RunFact) -> Awaitable[None] | None:
        """Record a fact, and return what to wait for, if there is something to wait for: most facts are only handed on."""
        run_id = ctx.run_id
        assert run_id is not None, 'a run has an id'
        if isinstance(fact, RunBegan):
            return self._begin(ctx, run_id, fact)
        log = self._logs.get(run_id)
        if log is None:
            return None  # only the result of a run that is over is wanted
        if isinstance(fact, CallStarting):
            return self._call_starts(ctx, log, fact)
        if isinstance(fact, CallReturned):
            place = _place.get()
            if place is None or not place.numbers or place.call_id != fact.call.tool_call_id:
                return None
            log.account.add(RunUsage(tool_calls=1), place.top)  # as the gate will count it
            return self._append(log, log.returned(fact.result, place.place))
        if isinstance(fact, CallAnswered):
            if fact.call.tool_call_id in log.reconciled:  # it ran in a process that died, and its result was told
                log.reconciled.discard(fact.call.tool_call_id)
                ctx.usage.tool_calls += 1
                fact.is_counted = True
            return self._append(log, log.answered(fact, ctx.pending_messages or ()))
        if isinstance(fact, ResponseTaken):
            # It was paid for, so it must not be lost if the process is killed now.
            return self._append(log, log.response(fact.progress), wait=self.durability == 'sync', durable=False)
        if isinstance(fact, CallAsked):
            return self._ask(ctx, log, fact)
        if isinstance(fact, CallsWait):
            return self._append(log, log.waits(fact), wait=True)
        if (entry_of := _HANDED_ON.get(type(fact))) is not None:
            return self._append(log, entry_of(log, fact))
        assert isinstance(fact, RunEnded), 'there are no other facts'
        return self._end(log, fact)

    async def _begin(self, ctx: RunContext[AgentDepsT], run_id: str, fact: RunBegan) -> None:
        digest = agent_digest(ctx.agent)
        log = self._logs.get(run_id)
        account = self._account(fact)
        if fact.resumption is not None and fact.resumption.usage is not None:
            account.add(fact.resumption.usage)
        if log is not None:
            log.account = account
            self.writer.hold(run_id, log.token)
            if log.is_recorded:
                written = self._append(log, log.resumed(fact, digest, self.holder))
            else:  # it was begun for a key, and has no records yet
                written = self._append(log, log.begun(fact, digest), wait=True)
            if written is not None:
                await written
            return
        if fact.resumption is not None and not isinstance(fact.resumption, _NewRun):
            return  # it is over, and only its result is wanted
        new = fact.resumption if fact.resumption is not None and fact.resumption.recorder is self else None
        info = self.new_run(run_id, getattr(ctx.agent, 'name', None), ctx.conversation_id)
        log = RunLog(run_id, token=1)
        if new is not None and new.place is not None:
            log.parent = new.place.run_id, new.place.top
            info.parent_id, info.key = new.place.run_id, new.key
        if new is not None and new.base is not None:
            log = RunLog(run_id, token=1, seq=new.base.last_seq, messages=new.messages)
            info.base_id, info.base_seq = new.base.run_id, new.base.last_seq
        self._logs[run_id] = log
        log.account = account
        entry = log.begun(fact, digest)
        info.last_seq = log.seq
        try:
            await self.call(lambda: self.writer.create(info, entry.records))
        finally:
            self._beginning.pop(str(ctx.conversation_id), None)
        self.writer.hold(run_id, log.token)

    def _account(self, fact: RunBegan) -> Account:
        place = _place.get()
        outer = place.recorder.log_of(place.run_id) if place is not None else None
        if place is None or outer is None:
            return Account(fact.progress.usage)
        return Account(fact.progress.usage, outer.account, place.top)

    def log_of(self, run_id: str) -> RunLog | None:
        """Return the log of a run that is under way."""
        return self._logs.get(run_id)

    def new_run(self, run_id: str, agent: str | None, conversation_id: str | None, key: str | None = None) -> RunInfo:
        """Return a run that begins now, with the first lease."""
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

    def _call_starts(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallStarting) -> Awaitable[None] | None:
        call_id = fact.call.tool_call_id
        outer = _place.get()
        if outer is not None and outer.run_id == log.run_id:
            where = outer.asked.pop(call_id, None) or outer.next()
            outer.begun[call_id] = where
            place = _Place(self, log.run_id, call_id, outer.top, where[1:], outer.step)
            ctx.call_key = place.key
            before = log.inner.pop(where, None)
            if before is not None and before.tool == fact.call.tool_name and before.is_done:
                self._count(ctx, log, place.top, log.pop_inside(where), is_counted=True)
                raise SkipToolExecution(before.result)
            doubtful: StartedCall | InnerCall | None = before
        else:
            top = log.first_id(call_id)
            place = _Place(self, log.run_id, call_id, top, step=log.step_of(top))
            if place.step or top != call_id:
                ctx.call_key = place.key
            doubtful = log.in_doubt.pop(call_id, None)
        if doubtful is not None and doubtful.effect == 'write':
            return self._start_in_doubt(ctx, log, fact, place, doubtful.at)
        return self._start(log, fact, place)

    def _start(self, log: RunLog, fact: CallStarting, place: _Place) -> Awaitable[None] | None:
        log.reconciled.discard(place.call_id)
        log.starts(fact, place.top)
        effect = (fact.policy.effect if fact.policy is not None else None) or 'write'
        # The tool runs in the same context, which is its own.
        _place.set(place)
        must_wait = effect != 'read' and self.durability == 'sync'
        return self._append(log, log.calling(fact, effect, place.place if place.numbers else None), wait=must_wait)

    async def _ask(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallAsked) -> None:
        """Say what was decided about a call that a tool makes itself, or let the run wait for that.

        Raises:
            InnerCallWaits: Nothing was decided.
        """
        outer = _place.get()
        if outer is None or outer.run_id != log.run_id:
            return  # a hook makes the call: there is no call of the model that could wait
        call_id = fact.call.tool_call_id
        where = outer.begun.pop(call_id, None) if fact.has_started else None
        where = outer.asked[call_id] = where or outer.next()
        before, done = log.asked.get(where), log.inner.get(where)
        if done is not None and done.is_done and done.tool == fact.call.tool_name:
            fact.results, is_counted = DeferredToolResults(calls={call_id: done.result}), True
        elif before is not None:
            fact.results = before.results_for(fact.call)
            is_counted = before.is_in_doubt and fact.results is not None and bool(fact.results.calls)
        else:
            is_counted = False
        if is_counted:  # it ran in a process that died
            self._count(ctx, log, outer.top, 1 + log.pop_inside(where), is_counted=False)
        if fact.results is not None:
            return
        await self._wait_inside(log, where, AskedCall(fact.call, fact.needs_approval, fact.metadata))

    def _count(self, ctx: RunContext[AgentDepsT], log: RunLog, top: str, calls: int, *, is_counted: bool) -> None:
        """Count calls that an earlier process made inside of a call; one more is counted when it is answered, if so."""
        ctx.usage.tool_calls += calls
        log.account.add(RunUsage(tool_calls=calls + is_counted), top)

    async def _wait_inside(self, log: RunLog, where: CallPlace, asked: AskedCall) -> None:
        """Let the call of the model wait, inside of which another one has to be decided about."""
        before = log.asked.get(where)
        if before is not None and before.decisions is None and before.is_like(asked.call):
            asked = before
        elif (written := self._append(log, log.asks(asked, where), wait=True)) is not None:
            await written
        call = log.asked[where].call
        raise InnerCallWaits(metadata={'kind': 'call', 'tool_name': call.tool_name, 'tool_call_id': call.tool_call_id})

    async def _start_in_doubt(
        self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallStarting, place: _Place, started_at: float
    ) -> None:
        try:
            await self._reconcile(ctx, log, fact, place, started_at)
        except SkipToolExecution:
            if place.numbers:
                log.account.add(RunUsage(tool_calls=1), place.top)
            raise
        written = self._start(log, fact, place)
        if written is not None:
            await written

    async def _reconcile(
        self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallStarting, place: _Place, started_at: float
    ) -> None:
        """Find out whether a call was done whose process died; return if it was not.

        Raises:
            SkipToolExecution: It was done.
            CallInDoubt, InnerCallWaits: That is not known, so a person has to say.
        """
        policy = fact.policy
        if policy is not None and policy.reconcile is not None:
            outcome = policy.reconcile(ctx, fact.args)
            if inspect.isawaitable(outcome):
                outcome = await outcome
            if isinstance(outcome, Done):
                raise SkipToolExecution(outcome.result)
            if isinstance(outcome, NotDone):
                return
        metadata = what_is_in_doubt(fact.call, ctx.idempotency_key, started_at)
        if not place.numbers:
            raise CallInDoubt(metadata=metadata)
        asked = log.asked.get(place.place)
        decision = asked.decision_in_doubt(fact.call) if asked is not None else None
        if decision is None:
            await self._wait_inside(log, place.place, AskedCall(fact.call, True, metadata))
        elif not isinstance(decision, ToolApproved):
            raise SkipToolExecution(decision)

    async def _end(self, log: RunLog, fact: RunEnded) -> None:
        # A run that is cancelled does not wait, so that it ends at once.
        waits = fact.how != 'left'
        written: Future[None] | None = None
        try:
            written = self._put(log, log.ended(fact), wait=waits, last=True)
        finally:
            released = self._forget(log)
        if waits:
            # It comes after the record, so that both are waited for at once.
            with suppress(JournalError):  # then the lease ends by itself
                await asyncio.wrap_future(released)
            if written is not None:
                written.result()
        place = _place.get()
        if log.status == 'waiting' and log.parent is not None and place is not None and place.run_id == log.parent[0]:
            raise InnerRunWaits(metadata={'kind': 'run', 'run_id': log.run_id})

    def _append(self, log: RunLog, entry: Entry, *, wait: bool = False, durable: bool = True) -> Awaitable[None] | None:
        """Append an entry to a run, and return what to wait for, if that is wanted."""
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
        written = self.writer.append(entry, durable=durable, wait=wait, at_once=at_once)
        if written is not None:
            await asyncio.wrap_future(written)

    async def leave(self, log: RunLog) -> None:
        """Give the lease of a run back, wherever the run is; others may go on with it when this returns."""
        await asyncio.wrap_future(self._forget(log))

    def _forget(self, log: RunLog) -> Future[None]:
        run_id = log.run_id
        if self._logs.get(run_id) is log:
            del self._logs[run_id]
            self._held_back.pop(run_id, None)
        released = self.writer.call(lambda: self.store.release(run_id, log.token))
        # Not before: what is still to be written may fail, which would be noted for good.
        released.add_done_callback(lambda _: self.writer.let_go(run_id, log.token))
        return released
