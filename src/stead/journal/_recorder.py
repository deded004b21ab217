"""`Recorder`: listens to runs, and records their facts.

A run inside of a tool belongs to the call of that tool. The call is made again when the process died, or when the inner run had
to wait for a decision. Then the recorder finds the inner run by the outer call, the agent and the prompt, and continues it. It
finds calls of a tool by their tool and arguments. So a tool that only runs agents and calls tools can run again, in any order,
and does nothing twice.
"""

from __future__ import annotations

import asyncio
import inspect
import time
import weakref
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any, Generic, cast

from .._calls.answers import own_kind
from .._calls.approvals import definition_digest
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
    OutputReturned,
    OutputStarting,
    RequestReady,
    RequestSent,
    ResponseTaken,
    RunBegan,
    RunEnded,
    RunFact,
)
from .._contracts.run_context import AnyDepsT, RunContext
from .._contracts.run_state import RunState
from ..exceptions import ApprovalRequired, ModelRetry, SkipToolExecution
from ..messages import ModelMessage
from ..tools import DeferredToolResults, ToolApproved
from ..usage import RunUsage
from ._account import account_of
from ._answers import DecidedBefore, check_arguments, check_definition, handed_on, is_same_tool
from ._call import AskedCall, CallPlace, CallUnderWay, InnerCall, StartedCall, call_of, call_under_way
from ._digest import agent_digest
from ._encode import prompt_json
from ._errors import ContentRedacted, JournalError, LeaseLost
from ._fold import RecordedRun
from ._held import RunsHeld
from ._log import RunLog
from ._resuming import NewRun, Resuming, resuming_run
from ._signals import (
    CallInDoubt,
    InnerCallWaits,
    InnerRunWaits,
    check_may_repeat,
    what_is_in_doubt,
)
from ._store import Entry, RunFilter, RunInfo
from ._turns import take_turn
from ._writer import clocks

DEEPEST_IN_A_TASK = 16
"""How many recorded calls inside of each other share the stack of a task."""

_HANDED_ON: dict[type[RunFact], Callable[..., Entry]] = {
    CallProgressed: RunLog.progressed,
    CallsDecided: RunLog.decided,
    HookActed: RunLog.acted,
    OutputReturned: RunLog.output_returned,
    RequestSent: RunLog.sent,
}
"""Facts that are recorded as they are, and that nothing waits for."""


class Recorder(RunsHeld, Generic[AnyDepsT]):
    """Records the runs of a process in a store, and finds out where a run continues."""

    refuses_changes: bool = False
    """Whether a run ends if a tool has changed since its call was approved; otherwise the call is asked about again."""

    # Where a run continues

    async def restore(self, ctx: RunContext[AnyDepsT]) -> RunState | None:
        """Return what is known of the run that is about to begin, if it was started before."""
        resuming = resuming_run.get()
        if resuming is not None and not resuming.taken:  # by the journal that resumes it, whatever others the agent has
            return self._state(resuming, ctx) if resuming.recorder is self else None
        place = call_of(self)
        if ctx.run_id is None:
            return None
        if place is None and self.conversations and ctx.conversation_id is not None and not ctx.messages:
            return await self.next_of(ctx.conversation_id, ctx, waits=self.conversations == 'wait')
        if place is None or place.recorder.store.address() != self.store.address():
            return None
        keys = place.next_run(getattr(ctx.agent, 'name', None) or '', prompt_json(ctx.prompt))
        if place.counts or self.writer.redact is not None:  # the journal of the outer run may be another one
            keys = keys[::-1]
        outer: RunLog | None = place.recorder.log_of(place.run_id)
        # An earlier process may have had another version, or another `redact`.
        known = keys if outer is not None and outer.is_recorded else keys[:1]
        found = await self.call(lambda: [run for one in known for run in self.store.find(RunFilter(key=one, limit=1))])
        if not found:
            return NewRun(**_as_set_up(ctx, ctx.messages), recorder=self, place=place, key=keys[0])
        # The process that began it has lost the outer run to this one, or is this one.
        info, state, token = await self.take(found[0].run_id, by_force=True)
        log = RunLog(info.run_id, token, info.last_seq, state)
        resuming = Resuming(self, log, state, info.status == 'done')
        try:
            if not resuming.is_over:
                await check_arguments(self.writer, log, state)
            else:
                await self.leave(log)  # only its result is wanted
        except ContentRedacted as error:
            await self.leave(log)
            raise InnerRunWaits(metadata={'kind': 'run', 'run_id': info.run_id}) from error
        return self._state(resuming, ctx, is_new=True)

    def reserved(self, run: RunInfo, token: int, messages: list[ModelMessage]) -> Resuming:
        """Return a run that is about to begin: the store has its key and its turn, and nothing else.

        Args:
            run: The run.
            token: Its lease.
            messages: What it begins with, if that is recorded already.
        """
        state = RecordedRun(message_history=list(messages), new_message_index=len(messages))
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
        self._turns[run.run_id] = run
        return NewRun(**_as_set_up(ctx, state.messages, conversation_id), recorder=self, reserved=run)

    def _give_turn_back(self, run: RunInfo) -> None:
        """Give the turn of a run back that does not begin after all."""
        self.writer.let_go(run.run_id, run.token)
        self.writer.call(lambda: self.store.delete([run.run_id]))

    def _state(self, resuming: Resuming, ctx: RunContext[Any], *, is_new: bool = False) -> RunState:
        resuming.taken = True
        log, history = resuming.log, () if is_new else ctx.messages
        log.queue = ctx.pending_messages
        state = resuming.state.to_continue(log.run_id)
        if history and not log.is_recorded:  # it begins with what was passed to it
            state = replace(state, message_history=list(history), new_message_index=len(history))
        if not resuming.is_over:
            self._logs[log.run_id] = log
            return state
        if not state.has_output:
            raise JournalError(
                f'Run {log.run_id!r} has ended, and the journal has no result of it. Read it with `journal.state`.'
            )
        return resuming.state.as_ended(log.run_id)

    # What happens in a run

    def record(self, ctx: RunContext[AnyDepsT], fact: RunFact) -> Awaitable[None] | None:
        """Record a fact, and return what to wait for, if there is something to wait for: most facts are only handed on."""
        run_id = ctx.run_id
        assert run_id is not None, 'a run has an id'
        kind = type(fact)
        if kind is RunBegan:
            return self._begin(ctx, run_id, cast(RunBegan, fact))
        log = self._logs.get(run_id)
        if log is None or log.queue is not ctx.pending_messages:
            return self._not_held(ctx, run_id, fact)
        if log.paused is not None and kind in _BOUNDARIES:
            return self._paused(ctx, log, fact, _BOUNDARIES[kind])
        if (entry_of := _HANDED_ON.get(kind)) is not None:
            return self._append(log, entry_of(log, fact))
        return _TAKEN[kind](self, ctx, log, fact)

    async def _paused(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: RunFact, comes_after: bool) -> None:
        """Record a fact of a run that is paused, and wait until it continues, before that or after it."""
        if not comes_after:
            await self._until_continued(log)
        if (written := _TAKEN[type(fact)](self, ctx, log, fact)) is not None:
            await written
        if comes_after:
            await self._until_continued(log)

    async def _until_continued(self, log: RunLog) -> None:
        while (paused := log.paused) is not None:
            await paused.wait()

    def _not_held(self, ctx: RunContext[AnyDepsT], run_id: str, fact: RunFact) -> None:
        """Take a fact of a run that this journal does not record.

        Raises:
            LeaseLost: It should: nothing is done without a record.
        """
        is_known = self._elsewhere.get(run_id, self) is ctx.pending_messages
        if isinstance(fact, RunEnded):
            if is_known:
                del self._elsewhere[run_id]
            if (turn := self._turns.pop(run_id, None)) is not None:
                self._give_turn_back(turn)
            if fact.how != 'done':
                return  # the caller gets the error that ended it
        if not is_known:
            raise LeaseLost(
                f'Run {run_id!r} is not recorded here any longer: it ended, or another task or process continues it. '
                'What it would do next is not done.'
            )

    def _request_ready(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: RequestReady) -> Awaitable[None] | None:
        written = self._append(log, log.request(fact))
        return self.when_sure(log, written) if self.writer.may_be_lost(log.run_id) else written

    def _call_returned(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: CallReturned) -> Awaitable[None] | None:
        place = call_under_way.get()
        if place is not None and place.recorder is not self:
            place = place.inside(self, log.run_id)
        if place is None or not place.numbers or place.call_id != fact.call.tool_call_id:
            return None
        log.account.add(RunUsage(tool_calls=1), place.top)  # as the gate will count it
        return self._append(log, log.returned(fact.result, place.place, place.used))

    def _call_answered(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: CallAnswered) -> Awaitable[None] | None:
        if fact.call.tool_call_id in log.reconciled:  # it ran in a process that died, and its result was told
            log.reconciled.discard(fact.call.tool_call_id)
            ctx.usage.tool_calls += 1
            fact.is_counted = True
        log.calls_here.pop(fact.call.tool_call_id, None)
        return self._append(log, log.answered(fact))

    def _response_taken(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: ResponseTaken) -> Awaitable[None] | None:
        # It was paid for, so it must not be lost if the process is killed now.
        return self._append(log, log.response(fact), wait=self.durability == 'sync', durable=False)

    async def _begin(self, ctx: RunContext[AnyDepsT], run_id: str, fact: RunBegan) -> None:
        try:
            async with handed_on(self, run_id, fact):
                await self._record_begin(ctx, run_id, fact)
        except DecidedBefore as error:
            # It was started by a process that died, and never continues.
            if (log := self._logs.get(run_id)) is not None:
                log.account = account_of(ctx.usage)
                ended = log.ended(RunEnded('failed', (), None, None, RunUsage(), error=error))
                await self.write(ended, durable=True, wait=True)
            raise

    async def _record_begin(self, ctx: RunContext[AnyDepsT], run_id: str, fact: RunBegan) -> None:
        digest = agent_digest(ctx.agent, ctx.model, whole=self.writer.redact is not None)
        log = self._logs.get(run_id)
        account = account_of(ctx.usage)
        if fact.restored is not None:
            account.add(fact.restored.usage)
        self._turns.pop(run_id, None)
        if log is not None:
            log.account, log.is_announced = account, True
            log.loop, log.stopper = asyncio.get_running_loop(), weakref.ref(ctx.stopper)
            if log.is_recorded:
                await self.call(self.carry_out_orders)
                written = self._append(log, log.resumed(fact, digest, self.holder))
            else:  # it was started for a key, and has no records yet
                written = self._append(log, log.begun(fact, digest), wait=True)
            if written is not None:
                await written
            return
        if fact.restored is not None and not isinstance(fact.restored, NewRun):
            self._elsewhere[run_id] = ctx.pending_messages  # another journal records it; or only its result is wanted
            return
        new = fact.restored if fact.restored is not None and fact.restored.recorder is self else None
        since = clocks()
        info = self.new_run(run_id, getattr(ctx.agent, 'name', None), ctx.conversation_id)
        log = RunLog(run_id, token=1)
        if new is not None and new.place is not None:
            log.parent = new.place.run_id, new.place.top
            info.parent_id, info.key = new.place.run_id, new.key
        if new is not None and new.reserved is not None:
            log = RunLog(run_id, token=1, seq=new.reserved.last_seq, messages=new.message_history)
        self._logs[run_id] = log
        log.account, log.is_announced, log.queue = account, True, ctx.pending_messages
        log.loop, log.stopper = asyncio.get_running_loop(), weakref.ref(ctx.stopper)
        entry = log.begun(fact, digest)
        if new is not None and new.reserved is not None:
            await self.write(entry, durable=False, wait=True)
            return
        info.last_seq = log.seq
        log.has_begun = False
        await self.call(lambda: self.writer.create(info, entry.records, since))
        log.has_begun = True

    def _call_starts(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: CallStarting) -> Awaitable[None] | None:
        call_id = fact.call.tool_call_id
        outer = call_under_way.get()
        if outer is not None:
            outer = outer.inside(self, log.run_id)
        if outer is not None:
            where = outer.asked.pop(call_id, None) or outer.next(fact.call, log.calls.inner, log.asked)
            outer.begun[call_id] = where
            place = CallUnderWay(self, log.run_id, call_id, outer.top, where[1:], outer.step, outer=outer)
            ctx.call_key = place.key
            before = log.calls.inner.pop(where, None)
            if before is not None and before.tool == fact.call.tool_name and before.is_done:
                self._count(ctx, log, outer, log.pop_inside(where), before, is_counted=True)
                raise SkipToolExecution(before.result)
            asked = log.asked.get(where)
            if asked is not None and asked.is_open and not ctx.tool_call_approved:
                raise ApprovalRequired(metadata=asked.metadata)
            doubtful: StartedCall | InnerCall | None = before
        else:
            top = log.first_id(call_id)
            place = CallUnderWay(self, log.run_id, call_id, top, step=log.step_of(top))
            if place.step or top != call_id:
                ctx.call_key = place.key
            doubtful = log.calls.started.pop(call_id, None)
            if log.definitions and ctx.tool_call_approved:
                check_definition(fact, log.definitions.get(call_id), refuses=self.refuses_changes)
            elif (
                call_id in log.asks_about and not ctx.tool_call_approved
            ):  # its tool needs none now, but a person was asked
                raise ApprovalRequired(metadata=log.asks_about[call_id])
        before_now = log.calls.inner or log.asked
        place.counts = self.writer.redact is not None or (bool(before_now) and log.counts_calls(place.place))
        if doubtful is not None and doubtful.effect == 'write':
            return self._start_in_doubt(ctx, log, fact, place, doubtful.at)
        return self._start(log, fact, place)

    def _start(self, log: RunLog, fact: CallStarting, place: CallUnderWay) -> Awaitable[None] | None:
        log.reconciled.discard(place.call_id)
        log.starts(fact, place.top)
        effect = (fact.policy.effect if fact.policy is not None else None) or 'write'
        if effect == 'write':
            place.once = fact.call.tool_name
        # The tool runs in the same context, which is its own.
        call_under_way.set(place)
        fact.needs_task = place.depth % DEEPEST_IN_A_TASK == 0
        if not place.numbers:
            log.calls_here[place.call_id] = fact
        # If the lease may be lost, the records have to show that it is not, before anything is done.
        must_wait = effect != 'read' and self.durability == 'sync'
        written = self._append(log, log.calling(fact, effect, place.place if place.numbers else None), wait=must_wait)
        return self.when_sure(log, written) if must_wait or self.writer.may_be_lost(log.run_id) else written

    def _output_starts(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: OutputStarting) -> Awaitable[None] | None:
        outputs, call_id = log.calls.outputs, fact.call.tool_call_id
        fact.returned = outputs.returned.get(call_id)
        if fact.returned is not None:
            return None
        if (message := outputs.denied.pop(call_id, None)) is not None:
            raise ModelRetry(message)
        doubtful = outputs.calling.get(call_id)
        if doubtful is not None and doubtful.effect == 'write':
            raise CallInDoubt(metadata=what_is_in_doubt(fact.call, ctx.idempotency_key, doubtful.at))
        must_wait = fact.effect != 'read' and self.durability == 'sync'
        written = self._append(log, log.output_starts(fact), wait=must_wait)
        return self.when_sure(log, written) if must_wait or self.writer.may_be_lost(log.run_id) else written

    async def _ask(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: CallAsked) -> None:
        """Say what was decided about a call that a tool makes itself, or let the run wait for that.

        Raises:
            InnerCallWaits: Nothing was decided.
        """
        outer = call_under_way.get()
        if outer is not None:
            outer = outer.inside(self, log.run_id)
        if outer is None:
            return  # a hook makes the call: there is no call of the model that could wait
        call_id = fact.call.tool_call_id
        where = outer.begun.pop(call_id, None) if fact.has_started else None
        where = outer.asked[call_id] = where or outer.next(fact.call, log.calls.inner, log.asked)
        before, done = log.asked.get(where), log.calls.inner.get(where)
        if done is not None and done.is_done and done.tool == fact.call.tool_name:
            fact.results, is_counted = DeferredToolResults(calls={call_id: done.result}), True
        elif before is not None and is_same_tool(fact, before.definition, refuses=self.refuses_changes):
            fact.results = before.results_for(fact.call)
            is_counted = before.is_in_doubt and fact.results is not None and bool(fact.results.calls)
        else:
            is_counted = False
        if is_counted:  # it ran in a process that died
            self._count(ctx, log, outer, 1 + log.pop_inside(where), done, is_counted=False)
        if fact.results is not None:
            return
        check_may_repeat(outer, f'its call of {fact.call.tool_name!r}')
        asked = AskedCall(fact.call, fact.needs_approval, fact.metadata, is_question=fact.is_question)
        asked.definition = definition_digest(fact.tool) if fact.tool is not None else None
        await self._wait_inside(log, where, asked)

    async def _suspend(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: CallsWait) -> None:
        """Let a run wait, once the runs inside of the calls that wait have ended or wait themselves.

        A tool may run several agents at a time, and waits as soon as one of them does. The others continue, in two processes
        if the run was answered and resumed meanwhile.
        """
        requests, place = fact.requests, call_of(self)
        if place is not None and log.parent is not None and place.run_id == log.parent[0]:
            for call in (*requests.calls, *requests.approvals):
                if own_kind(requests.metadata.get(call.tool_call_id)) not in ('reconcile', 'run', 'call'):
                    check_may_repeat(place, f'the call of {call.tool_name!r} in its run of an agent')
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
        ctx: RunContext[AnyDepsT],
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
        """Let a call of the model wait for the decision about a call inside of it."""
        before = log.asked.get(where)
        if before is not None and before.decisions is None and before.is_like(asked.call):
            asked = before
        elif (written := self._append(log, log.asks(asked, where), wait=True)) is not None:
            await written
        call = log.asked[where].call
        raise InnerCallWaits(metadata={'kind': 'call', 'tool_name': call.tool_name, 'tool_call_id': call.tool_call_id})

    async def _start_in_doubt(
        self, ctx: RunContext[AnyDepsT], log: RunLog, fact: CallStarting, place: CallUnderWay, started_at: float
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
        self, ctx: RunContext[AnyDepsT], log: RunLog, fact: CallStarting, place: CallUnderWay, started_at: float
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

    async def _end(self, ctx: RunContext[AnyDepsT], log: RunLog, fact: RunEnded) -> None:
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
                # It comes after the record, so that both are waited for at once; others may continue also with a run that failed.
                with suppress(JournalError):  # then the lease ends by itself
                    await asyncio.wrap_future(released)
        if waits and written is not None and log.has_begun:
            written.result()
        place = call_of(self)
        if log.status == 'waiting' and log.parent is not None and place is not None and place.run_id == log.parent[0]:
            raise InnerRunWaits(metadata={'kind': 'run', 'run_id': log.run_id})


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


_BOUNDARIES: dict[type[RunFact], bool] = {
    RequestReady: False,
    ResponseTaken: True,
    CallStarting: False,
    CallAnswered: True,
}
"""The facts at which a run pauses, and whether they are recorded before that: messages that come meanwhile are part of the
next request, which is not ready then."""
_TAKEN: dict[type[RunFact], Callable[[Any, RunContext[Any], RunLog, Any], Awaitable[None] | None]] = {
    CallStarting: Recorder._call_starts,
    OutputStarting: Recorder._output_starts,
    CallReturned: Recorder._call_returned,
    CallAnswered: Recorder._call_answered,
    RequestReady: Recorder._request_ready,
    ResponseTaken: Recorder._response_taken,
    CallAsked: Recorder._ask,
    CallsWait: Recorder._suspend,
    RunEnded: Recorder._end,
}
"""The other facts; there are as many as there are steps and calls, so each finds its method at once."""
