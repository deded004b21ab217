"""`Recorder`: the part of a journal that listens to runs.

A run that a tool begins belongs to the call of that tool. When the call is made again, because the process died, or because
the inner run had to wait for a decision, the inner run is found by the outer call and its number in it, and goes on where it
stood; it is not begun a second time. Calls that a tool makes itself are found in the same way. So a tool that does nothing but
run agents and call tools can be run again without doing anything twice.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar, cast

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
    HookActed,
    RequestReady,
    RequestSent,
    ResponseTaken,
    RunBegan,
    RunEnded,
    RunFact,
)
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from .._kit.ids import uuid7_str
from .._kit.short import short_repr
from ..exceptions import SkipToolExecution
from ..messages import ModelMessage, ModelRequest
from ..tools import DeferredToolResults, ToolApproved
from ..usage import RunUsage
from ._account import account_of
from ._answers import check_arguments
from ._call import AskedCall, CallPlace, CallUnderWay, InnerCall, StartedCall, call_under_way
from ._checks import check_run_id, check_text
from ._digest import agent_digest
from ._errors import ContentRedacted, JournalError, RecordUnreadable, RunInUse, RunNotFound
from ._fold import RecordedRun, fold
from ._log import RunLog
from ._redact import Redact
from ._resuming import NewRun, Resuming, resuming_run
from ._signals import CallInDoubt, InnerCallWaits, InnerRunWaits, recorded_answers, what_is_in_doubt
from ._store import Entry, Record, RunFilter, RunInfo, Store
from ._stored import history_of, remove_reserved
from ._turns import take_turn
from ._writer import Writer

T = TypeVar('T')

Durability: TypeAlias = Literal['sync', 'async', 'exit']
"""When records are written.

`'sync'`: before a tool runs that may change something, the record that it was started is on the disk; a response is written
before its calls run. `'async'`: records are
written in order, a few milliseconds behind. `'exit'`: they are written when the run ends or waits.
"""


_HANDED_ON: dict[type[RunFact], Callable[..., Entry]] = {
    RequestReady: RunLog.request,
    CallProgressed: RunLog.progressed,
    CallsDecided: RunLog.decided,
    HookActed: RunLog.acted,
    RequestSent: RunLog.sent,
}
"""Facts that are recorded as they are, and that nothing waits for."""


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
        self.writer.forget = self._logs.clear
        self._held_back: dict[str, list[Entry]] = {}
        self._turns: dict[str, RunInfo] = {}  # of runs that are about to begin in a conversation

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

    # Where a run goes on

    async def restore(self, ctx: RunContext[AgentDepsT]) -> RunState | None:
        """Return what is known of the run that is about to begin, if it was begun before."""
        resuming = resuming_run.get()
        if resuming is not None and resuming.recorder is self and not resuming.taken:
            return self._state(resuming, ctx.messages)
        place = call_under_way.get()
        if ctx.run_id is None:
            return None
        if place is None and self.conversations and ctx.conversation_id is not None and not ctx.messages:
            return await self.next_of(ctx.conversation_id, ctx, waits=self.conversations == 'wait')
        if place is None or place.recorder.store is not self.store:
            return None
        place.runs += 1
        key = f'{place.key}/{place.runs}'
        found = await self.call(lambda: self.store.find(RunFilter(key=key, limit=1)))
        if not found:
            return NewRun(**_as_set_up(ctx, ctx.messages), recorder=self, place=place, key=key)
        # The process that began it has lost the outer run to this one, or is this one.
        info, state, token = await self.take(found[0].run_id, by_force=True)
        log = RunLog(info.run_id, token, info.last_seq, state)
        resuming = Resuming(self, log, state, info.status == 'done')
        try:
            if not resuming.is_over:
                await check_arguments(self.writer, log, state)
        except ContentRedacted as error:
            await self.leave(log)
            raise InnerRunWaits(metadata={'kind': 'run', 'run_id': info.run_id}) from error
        return self._state(resuming)

    def reserved(self, run: RunInfo, token: int, messages: list[ModelMessage]) -> Resuming:
        """Return a run that is about to begin, of which the store has nothing but its key and its turn.

        Args:
            run: The run.
            token: Its lease.
            messages: What it begins with, if that is recorded already.
        """
        state = RecordedRun(messages=list(messages), new_message_index=len(messages), is_fresh=True)
        return Resuming(self, RunLog(run.run_id, token, run.last_seq, messages=messages), state, is_over=False)

    async def next_of(self, conversation_id: str, ctx: RunContext[Any], *, waits: bool) -> RunState:
        """Let the run that is about to begin be the next one of a conversation, and return what was said.

        Args:
            conversation_id: The conversation.
            ctx: The context of the run, which has an id.
            waits: Whether to wait for a run that is under way.

        Raises:
            RunInUse, JournalError: See `take_turn`.
        """
        new = self.new_run(str(ctx.run_id), getattr(ctx.agent, 'name', None))
        run, state = await take_turn(self, conversation_id, new, waits=waits)
        self.writer.hold(run.run_id, run.token)
        self._turns[run.run_id] = run
        return NewRun(**_as_set_up(ctx, state.messages, conversation_id), recorder=self, reserved=run)

    def _give_turn_back(self, run: RunInfo) -> None:
        """Give the turn of a run back that does not begin after all."""
        self.writer.let_go(run.run_id, run.token)
        self.writer.call(lambda: self.store.delete([run.run_id]))

    def _state(self, resuming: Resuming, history: Sequence[ModelMessage] = ()) -> RunState:
        resuming.taken = True
        log = resuming.log
        if history and not log.is_recorded:  # it begins with what was passed to it
            resuming.state.messages, resuming.state.new_message_index = list(history), len(history)
        state = resuming.state.run_state(log.run_id)
        if not resuming.is_over:
            self._logs[log.run_id] = log
        elif isinstance(last := state.message_history[-1], ModelRequest):
            state.message_history.pop()  # the answers beside the output, which come again with it
            state.decisions = recorded_answers(last)
        return state

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
                self.writer.release(run_id, token)
                raise

        def give_back(taken: tuple[RunInfo | None, int | None, list[Record]]) -> None:
            if (token := taken[1]) is not None:
                self.writer.release(run_id, token)

        check_run_id(run_id)
        if self.runs_here(run_id):
            # Its lease may have ended, as it does when the clock jumps. Two of them here would share what is known of the run.
            raise RunInUse(f'Run {run_id!r} is under way in this process.')
        info, token, records = await self.call_or_undo(take, give_back)
        if info is None:
            raise RunNotFound(f'The journal has no run {short_repr(run_id)}.')
        if token is None:
            seconds = info.lease_until - time.time()
            raise RunInUse(f'Run {run_id!r} is under way: {info.holder} has it for another {seconds:.0f} seconds.')
        try:
            return info, fold(records), token
        except RecordUnreadable as error:
            await self.writer.give_back(run_id, token)
            raise RecordUnreadable(f'Run {run_id!r} cannot be read. {error}') from error

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
        kind = type(fact)
        if kind is RunBegan:
            return self._begin(ctx, run_id, cast(RunBegan, fact))
        if (log := self._logs.get(run_id)) is None:
            if kind is RunEnded and (turn := self._turns.pop(run_id, None)) is not None:
                self._give_turn_back(turn)
            return None  # only the result of a run that is over is wanted
        if (entry_of := _HANDED_ON.get(kind)) is not None:
            return self._append(log, entry_of(log, fact))
        return _TAKEN[kind](self, ctx, log, fact)

    def _call_returned(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallReturned) -> Awaitable[None] | None:
        place = call_under_way.get()
        if place is None or not place.numbers or place.call_id != fact.call.tool_call_id:
            return None
        log.account.add(RunUsage(tool_calls=1), place.top)  # as the gate will count it
        return self._append(log, log.returned(fact.result, place.place, place.used))

    def _call_answered(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallAnswered) -> Awaitable[None] | None:
        if fact.call.tool_call_id in log.reconciled:  # it ran in a process that died, and its result was told
            log.reconciled.discard(fact.call.tool_call_id)
            ctx.usage.tool_calls += 1
            fact.is_counted = True
        return self._append(log, log.answered(fact, ctx.pending_messages or ()))

    def _response_taken(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: ResponseTaken) -> Awaitable[None] | None:
        # It was paid for, so it must not be lost if the process is killed now.
        return self._append(log, log.response(fact.progress), wait=self.durability == 'sync', durable=False)

    async def _begin(self, ctx: RunContext[AgentDepsT], run_id: str, fact: RunBegan) -> None:
        digest = agent_digest(ctx.agent, ctx.model)
        log = self._logs.get(run_id)
        account = account_of(fact.progress.usage)
        if fact.restored is not None:
            account.add(fact.restored.usage)
        self._turns.pop(run_id, None)
        if log is not None:
            log.account, log.is_announced = account, True
            self.writer.hold(run_id, log.token)
            if log.is_recorded:
                written = self._append(log, log.resumed(fact, digest, self.holder))
            else:  # it was begun for a key, and has no records yet
                written = self._append(log, log.begun(fact, digest), wait=True)
            if written is not None:
                await written
            return
        if fact.restored is not None and not isinstance(fact.restored, NewRun):
            return  # it is over, and only its result is wanted
        new = fact.restored if fact.restored is not None and fact.restored.recorder is self else None
        info = self.new_run(run_id, getattr(ctx.agent, 'name', None), ctx.conversation_id)
        log = RunLog(run_id, token=1)
        if new is not None and new.place is not None:
            log.parent = new.place.run_id, new.place.top
            info.parent_id, info.key = new.place.run_id, new.key
        if new is not None and new.reserved is not None:
            log = RunLog(run_id, token=1, seq=new.reserved.last_seq, messages=new.message_history)
        self._logs[run_id] = log
        log.account, log.is_announced = account, True
        entry = log.begun(fact, digest)
        if new is not None and new.reserved is not None:
            await self.write(entry, durable=False, wait=True)
            return
        info.last_seq = log.seq
        log.has_begun = False
        await self.call(lambda: self.writer.create(info, entry.records))
        log.has_begun = True
        self.writer.hold(run_id, log.token)

    def log_of(self, run_id: str) -> RunLog | None:
        """Return the log of a run that is under way."""
        return self._logs.get(run_id)

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

    def _call_starts(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallStarting) -> Awaitable[None] | None:
        call_id = fact.call.tool_call_id
        outer = call_under_way.get()
        if outer is not None and outer.run_id == log.run_id:
            where = outer.asked.pop(call_id, None) or outer.next()
            outer.begun[call_id] = where
            place = CallUnderWay(self, log.run_id, call_id, outer.top, where[1:], outer.step, outer=outer)
            ctx.call_key = place.key
            before = log.inner.pop(where, None)
            if before is not None and before.tool == fact.call.tool_name and before.is_done:
                self._count(ctx, log, outer, log.pop_inside(where), before, is_counted=True)
                raise SkipToolExecution(before.result)
            doubtful: StartedCall | InnerCall | None = before
        else:
            top = log.first_id(call_id)
            place = CallUnderWay(self, log.run_id, call_id, top, step=log.step_of(top))
            if place.step or top != call_id:
                ctx.call_key = place.key
            doubtful = log.in_doubt.pop(call_id, None)
        if doubtful is not None and doubtful.effect == 'write':
            return self._start_in_doubt(ctx, log, fact, place, doubtful.at)
        return self._start(log, fact, place)

    def _start(self, log: RunLog, fact: CallStarting, place: CallUnderWay) -> Awaitable[None] | None:
        log.reconciled.discard(place.call_id)
        log.starts(fact, place.top)
        effect = (fact.policy.effect if fact.policy is not None else None) or 'write'
        # The tool runs in the same context, which is its own.
        call_under_way.set(place)
        # If the lease may be lost, the records have to show that it is not, before anything is done.
        must_wait = effect != 'read' and (self.durability == 'sync' or self.writer.may_be_lost(log.run_id))
        return self._append(log, log.calling(fact, effect, place.place if place.numbers else None), wait=must_wait)

    async def _ask(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallAsked) -> None:
        """Say what was decided about a call that a tool makes itself, or let the run wait for that.

        Raises:
            InnerCallWaits: Nothing was decided.
        """
        outer = call_under_way.get()
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
            self._count(ctx, log, outer, 1 + log.pop_inside(where), done, is_counted=False)
        if fact.results is not None:
            return
        await self._wait_inside(log, where, AskedCall(fact.call, fact.needs_approval, fact.metadata))

    async def _suspend(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallsWait) -> None:
        """Let a run wait, once the runs inside of the calls that wait have ended or wait themselves.

        A tool may run several agents at a time, and waits as soon as one of them does. The others go on, and would go on in two
        processes if the run was answered and resumed meanwhile.
        """
        calls = {log.first_id(call_id) for call_id in fact.requests.metadata}
        until = time.monotonic() + self.lease_seconds
        while any(
            other.parent is not None and other.parent[0] == log.run_id and other.parent[1] in calls
            for other in [*self._logs.values()]
        ):
            if time.monotonic() > until:
                break  # its tool has left it behind, and does not wait for it either
            await asyncio.sleep(0.01)  # such a run may be in another thread, with a loop of its own
        if (written := self._append(log, log.waits(fact), wait=True)) is not None:
            await written

    def _count(
        self,
        ctx: RunContext[AgentDepsT],
        log: RunLog,
        outer: CallUnderWay,
        calls: int,
        done: InnerCall | None,
        *,
        is_counted: bool,
    ) -> None:
        """Count a call of a tool that an earlier process made.

        Args:
            ctx: The context of the run.
            log: Its log.
            outer: The call that it is inside of.
            calls: How many calls there were, with those inside of it.
            done: The call, if it returned: what runs inside of it used counts, too.
            is_counted: Whether one more is counted when it is answered.
        """
        ctx.usage.tool_calls += calls
        log.account.add(RunUsage(tool_calls=calls + is_counted), outer.top)
        if done is not None and done.usage is not None:
            ctx.usage.incr(done.usage)
            log.account.add(done.usage, outer.top)
            outer.note(done.usage)

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
        self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallStarting, place: CallUnderWay, started_at: float
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
        self, ctx: RunContext[AgentDepsT], log: RunLog, fact: CallStarting, place: CallUnderWay, started_at: float
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

    async def _end(self, ctx: RunContext[AgentDepsT], log: RunLog, fact: RunEnded) -> None:
        if not log.is_announced:
            return  # it was taken to be resumed, and is given back where that was done
        # A run that is cancelled does not wait, so that it ends at once.
        waits = fact.how != 'left'
        written: Future[None] | None = None
        try:
            written = self._put(log, log.ended(fact), wait=waits, last=True)
        finally:
            released = self._forget(log)
            if waits:
                # It comes after the record, so that both are waited for at once; others may go on also with a run that failed.
                with suppress(JournalError):  # then the lease ends by itself
                    await asyncio.wrap_future(released)
        if waits and written is not None and log.has_begun:
            written.result()
        place = call_under_way.get()
        if log.status == 'waiting' and log.parent is not None and place is not None and place.run_id == log.parent[0]:
            raise InnerRunWaits(metadata={'kind': 'run', 'run_id': log.run_id})

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

    async def leave(self, log: RunLog) -> None:
        """Give the lease of a run back, wherever the run is; others may go on with it when this returns."""
        if not (log.is_recorded or log.has_records):  # it has not begun, so nothing of it is to be found
            self.writer.call(lambda: remove_reserved(self.store, log.run_id, log.token))
        with suppress(JournalError):
            await asyncio.wrap_future(self._forget(log))

    def _forget(self, log: RunLog) -> Future[None]:
        run_id = log.run_id
        if self._logs.get(run_id) is log:
            del self._logs[run_id]
            self._held_back.pop(run_id, None)
        released = self.writer.call(lambda: self.writer.release(run_id, log.token))
        # Not before: what is still to be written may fail, which would be noted for good.
        released.add_done_callback(lambda _: self.writer.let_go(run_id, log.token))
        return released


def _as_set_up(
    ctx: RunContext[Any], messages: Sequence[ModelMessage], conversation_id: str | None = None
) -> dict[str, Any]:
    """Return the fields of a state that a run which begins has already."""
    return {
        'message_history': list(messages),
        'new_message_index': len(messages),
        'run_id': ctx.run_id,
        'conversation_id': conversation_id or ctx.conversation_id,
    }


_TAKEN: dict[type[RunFact], Callable[[Any, RunContext[Any], RunLog, Any], Awaitable[None] | None]] = {
    CallStarting: Recorder._call_starts,
    CallReturned: Recorder._call_returned,
    CallAnswered: Recorder._call_answered,
    ResponseTaken: Recorder._response_taken,
    CallAsked: Recorder._ask,
    CallsWait: Recorder._suspend,
    RunEnded: Recorder._end,
}
"""The other facts; there are as many as there are steps and calls, so each finds its method at once."""
