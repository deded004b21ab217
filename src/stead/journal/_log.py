"""`RunLog`: turns the facts of one run into records."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import from_json, to_json

from .._calls.approvals import definitions_of
from .._contracts.facts import (
    CallAnswered,
    CallProgressed,
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
)
from .._contracts.pending import PendingMessage
from .._contracts.run_state import RecordedOutput
from .._kit.ids import generate_tool_call_id
from .._kit.json_types import JsonObject
from .._show.changes import acted_data, sent_data
from ..messages import ModelMessage, ModelRequestPart, ModelResponse
from ..tools import DeferredToolRequests
from ..usage import RunUsage
from ._account import Account
from ._call import AskedCall, CallPlace, CallsOnRecord
from ._digest import options_of
from ._encode import (
    as_json,
    conversation_json,
    history_json,
    messages_json,
    prompt_json,
    record_json,
    results_json,
    usage_data,
)
from ._errors import LeaseLost, RunInUse, StoreError
from ._fold import RecordedRun
from ._store import Entry, Record, RunStatus


def _queued(pending: Sequence[PendingMessage]) -> tuple[tuple[str, str], ...]:
    """Return which messages wait, and for what."""
    return (*((item.enqueue_id, item.priority) for item in pending),)


class RunLog:
    """One run on its way into a journal: how far it is recorded, and the records for what happens next.

    Each method returns the entry to append for a fact.
    """

    has_begun: bool = True
    """Whether the store has the run, as far as is known: if it refused it, it need not take its end either."""

    is_announced: bool = False
    """Whether the run has started in this process."""

    has_records: bool = False
    """Whether this process has added records."""

    queue: list[PendingMessage] | None = None
    """The queue of messages of the run in this process, which it shares with no other run."""

    paused: asyncio.Event | None = None
    """Set when the run continues; `None` unless it is to do nothing new for now."""

    loop: asyncio.AbstractEventLoop | None = None
    """The loop that the run is in."""

    stopper: Callable[[], Any] | None = None
    """Returns what cancels the run, while the run is there: it holds the journal, which must go when no one else has it."""

    def __init__(
        self,
        run_id: str,
        token: int,
        seq: int = 0,
        state: RecordedRun | None = None,
        messages: Sequence[ModelMessage] = (),
    ) -> None:
        """Begin with a new run, or continue a recorded one.

        Args:
            run_id: The run.
            token: The lease.
            seq: The number of its last record.
            state: How it stands after that record; `None` for a new run.
            messages: What a new run begins with, if that is recorded already.
        """
        self.run_id: str = run_id
        self.token: int = token
        self.seq: int = seq
        run = state if state is not None else RecordedRun(message_history=list(messages))
        self.steps: int = run.run_step
        self.status: RunStatus = 'running'
        self.waiting: DeferredToolRequests | None = None
        """The calls that wait, if the run does."""
        self.calls: CallsOnRecord = run.calls
        """What earlier processes did for calls of the last response, until it is taken up."""
        self.asked: dict[CallPlace, AskedCall] = run.questions.asked_with(run.decisions)
        """Calls that tools would make themselves, and that were asked about."""
        self.definitions: Mapping[str, str] = (run.questions.waiting or {}).get('definitions') or {}
        """Digests of the definitions of tools, as they were when their calls were asked about, by call id."""
        self.asks_about: Mapping[str, JsonObject | None] = run.questions.approvals(run.decisions)
        """The calls of the model that wait for the approval of a person, with what their tools said of them."""
        self.parent: tuple[str, str] | None = run.parent
        """The run and the call that began this one, if a tool did."""
        self.reconciled: set[str] = run.reconciled()
        """Calls of which a person has said what an earlier process did, and that have no answer yet."""
        self.is_recorded: bool = state is not None and seq > 0
        """Whether it has records of its own."""
        self._messages: list[ModelMessage] = list(run.message_history)
        self._was_replaced = False  # whether hooks have replaced the history in this process
        self._answers: dict[int, tuple[str, int]] = {}
        last = self._last_response()
        self._ids = [call.tool_call_id for call in last.tool_calls] if last is not None else []
        self._questions = run.questions
        self._kept: list[object] = []  # recorded parts, so that their ids stay theirs
        self.account: Account = Account(RunUsage())
        """What the run has used."""
        # The calls of tools with a limit so far, by call of the model.
        self._limited = {
            self.first_id(one): {tool: 1} for one, tool in run.calls.limited.items() if one in self.reconciled
        }
        self._under_way: dict[str, str] = {}  # calls whose tools are running, with the call of the model
        self._pending = _queued(run.pending_messages)  # the messages that waited at the last record
        self.orders: set[str] = set()
        """The orders that were taken."""
        self.cancelled_by: list[str] = []
        """The orders that end the run."""
        self.calls_here: dict[str, CallStarting] = {}
        """The calls of the model that are under way in this process."""
        self._noted: dict[object, object] = {}  # what hooks did last, and what was sent last apart from messages
        for call_id, parts in run.answers.items():
            self._note_answer(call_id, parts)

    def begun(self, fact: RunBegan, agent: JsonObject) -> Entry:
        pieces = [
            b'"prompt":' + prompt_json(fact.prompt),
            b'"conversation":' + to_json(fact.conversation_id),
            b'"agent":' + as_json(agent),
        ]
        if fact.metadata:
            pieces.append(b'"metadata":' + as_json(fact.metadata))
        if options := options_of(fact):
            pieces.append(b'"options":' + as_json(options))
        if self.parent is not None:
            pieces.append(b'"parent":' + to_json(self.parent))
        if fact.conversation is not None:
            pieces.append(b'"continues":' + conversation_json(fact.conversation))
        if fact.decisions is not None:
            pieces.append(b'"decisions":' + results_json(fact.decisions))
        new = fact.messages[len(self._messages) :]  # what was said in a conversation is recorded already
        self._messages.extend(new)
        return self._entry('begun', {'new': fact.new_message_index}, pieces, messages=new)

    def resumed(self, fact: RunBegan, agent: JsonObject, holder: str) -> Entry:
        return self._entry('resumed', {'by': holder}, [b'"agent":' + as_json(agent)])

    def request(self, fact: RequestReady) -> Entry:
        self.steps = fact.step
        self.status, self.waiting = 'running', None
        data: JsonObject = {'step': fact.step}
        new, pieces = self._new_messages(fact)
        if fact.following:
            data['following'] = fact.following
        if self._was_replaced and fact.new_message_index:
            data['new'] = fact.new_message_index
        if fact.output_retries:
            data['output_retries'] = fact.output_retries
        if fact.retries:
            data['retries'] = dict(fact.retries)
        if fact.call_counts:
            data['counts'] = dict(fact.call_counts)
        self._under_way.clear()
        self._limited.clear()
        self._pending = ()  # what is not among the pieces is not pending
        pieces = [*pieces, *self._pending_messages(fact.pending)]
        self.account.answer_all()
        self.account.add(fact.usage)
        if fact.usage.requests:  # hooks refused responses, which were paid for
            data['usage'] = usage_data(self.account.total())
        # The record names what the log forgets next.
        entry = self._entry('request', data, pieces, messages=new)
        self.calls.clear()
        self.asked.clear()
        self.definitions, self.asks_about = {}, {}  # a later call may have an id of these
        self._questions.first_ids.clear()
        self._answers.clear()
        self._kept.clear()
        return entry

    def response(self, fact: ResponseTaken) -> Entry:
        new, pieces = self._new_messages(fact)
        last = self._messages[-1]
        assert isinstance(last, ModelResponse), 'a response was taken'
        self._ids = [call.tool_call_id for call in last.tool_calls]
        self.account.add(fact.usage)
        pieces = [*pieces, *self._pending_messages(fact.pending)]
        data: JsonObject = {'usage': usage_data(self.account.total())}
        if fact.max_tokens is not None:
            data['max_tokens'] = fact.max_tokens
        return self._entry('response', data, pieces, messages=new)

    def starts(self, fact: CallStarting, top: str) -> None:
        """Note that a tool is about to run, inside of a call of the model or as one."""
        self._under_way[fact.call.tool_call_id] = top
        if fact.policy is not None and fact.policy.max_calls is not None:
            counts = self._limited.setdefault(top, {})
            counts[fact.call.tool_name] = counts.get(fact.call.tool_name, 0) + 1

    def calling(self, fact: CallStarting, effect: str, within: CallPlace | None) -> Entry:
        data: JsonObject = {'id': fact.call.tool_call_id, 'tool': fact.call.tool_name, 'effect': effect}
        if within is not None:
            data['within'] = within
        if fact.policy is not None and fact.policy.max_calls is not None:
            data['limited'] = True
        return self._entry('calling', data)

    def output_starts(self, fact: OutputStarting) -> Entry:
        data: JsonObject = {'id': fact.call.tool_call_id, 'tool': fact.call.tool_name, 'effect': fact.effect}
        return self._entry('output_calling', data)

    def output_returned(self, fact: OutputReturned) -> Entry:
        self.calls.outputs.returned[fact.call.tool_call_id] = RecordedOutput(from_json(output := as_json(fact.output)))
        return self._entry('output_returned', {'id': fact.call.tool_call_id}, [b'"output":' + output])

    def pause(self, is_paused: bool) -> None:
        """Let the run do nothing new for now, or let it continue."""
        if is_paused and self.paused is None:
            self.paused = asyncio.Event()
        elif not is_paused and self.paused is not None:
            self.paused.set()
            self.paused = None

    def steered(self, pending: Sequence[PendingMessage]) -> Entry:
        return self._entry('steered', {}, self._pending_messages(pending))

    def progressed(self, fact: CallProgressed) -> Entry:
        return self._entry('progress', {'id': fact.call.tool_call_id}, [b'"content":' + as_json(fact.content)])

    def returned(self, result: object, within: CallPlace, used: RunUsage | None) -> Entry:
        data: JsonObject = {'within': within}
        if used is not None and used.has_values():
            data['usage'] = usage_data(used)
        return self._entry('returned', data, [b'"result":' + as_json(result)])

    def _last_response(self) -> ModelResponse | None:
        return next((message for message in reversed(self._messages) if isinstance(message, ModelResponse)), None)

    def _is_free(self, call_id: str) -> bool:
        """Return whether no call that may wait has an id."""
        last = self._last_response()
        taken = {call.tool_call_id for call in last.tool_calls} if last is not None else set[str]()
        return call_id not in taken | {asked.call.tool_call_id for asked in self.asked.values()}

    def asks(self, asked: AskedCall, within: CallPlace) -> Entry:
        call = asked.call
        if not self._is_free(call.tool_call_id):
            call = replace(call, tool_call_id=generate_tool_call_id())
        self.asked[within] = replace(asked, call=call)
        return self._entry(
            'asked',
            {
                'within': within,
                'approval': asked.needs_approval,
                'definition': asked.definition,
                **({'question': True} if asked.is_question else {}),
            },
            [
                b'"call":' + as_json({'id': call.tool_call_id, 'tool': call.tool_name, 'args': call.args}),
                b'"metadata":' + as_json(asked.metadata),
            ],
        )

    def counts_calls(self, place: CallPlace) -> bool:
        """Return whether an older version recorded the calls that the tool of a call has made itself, by their number."""
        size = len(place)
        inside = [other for other in (*self.calls.inner, *self.asked) if len(other) > size and other[:size] == place]
        return any(isinstance(other[size], int) for other in inside)

    def pop_inside(self, place: CallPlace) -> int:
        """Forget the calls that the tool of a call has made itself, and return how many of them returned."""
        inside = [other for other in self.calls.inner if len(other) > len(place) and other[: len(place)] == place]
        return sum(self.calls.inner.pop(other).is_done for other in inside)

    def first_id(self, call_id: str) -> str:
        """Return the id that a call had when it came: one that waits may have got another."""
        return self._questions.first_ids.get(call_id, call_id)

    def step_of(self, call_id: str) -> int:
        """Note that a call of the model starts, and return its step if an earlier step had one with its id, else 0."""
        return self.steps if self.calls.called.setdefault(call_id, self.steps) != self.steps else 0

    def answered(self, fact: CallAnswered) -> Entry:
        call_id, pending, parts = fact.call.tool_call_id, fact.pending, [fact.answer, *fact.additions]
        self._note_answer(call_id, parts)
        self.calls.started.pop(call_id, None)
        top = self.first_id(call_id)
        usage = self.account.answer(top, is_counted=fact.is_counted)
        data: JsonObject = {'id': call_id, 'usage': usage_data(usage)}
        pieces: list[bytes] = []
        if (counts := self._limited.pop(top, None)) is not None:
            data['counts'] = counts
        if pending or self._pending:
            self._under_way = {inner: outer for inner, outer in self._under_way.items() if outer != top}
            pieces = self._pending_messages([item for item in pending if item.call_id not in self._under_way])
        else:
            self._under_way.pop(call_id, None)
        return self._entry('answered', data, pieces, parts=parts)

    def _pending_messages(self, pending: Sequence[PendingMessage]) -> list[bytes]:
        """Return the piece of a record that has the messages which wait to be delivered, if there are others now."""
        if not (pending or self._pending) or (queued := _queued(pending)) == self._pending:
            return []
        self._pending = queued
        items = [
            to_json({'priority': item.priority, 'id': item.enqueue_id})[:-1]
            + b',"messages":'
            + messages_json(item.messages, {})
            + b'}'
            for item in pending
        ]
        return [b'"pending":[' + b','.join(items) + b']']

    def waits(self, fact: CallsWait) -> Entry:
        requests = fact.requests
        self.status, self.waiting = 'waiting', requests
        called = (call.tool_call_id for call in requests.calls)
        questions = [call_id for call_id in called if requests.kind(call_id) == 'question']
        return self._entry(
            'waiting',
            {
                'ids': self._ids_now(),
                'calls': [call.tool_call_id for call in requests.calls],
                'approvals': [call.tool_call_id for call in requests.approvals],
                'definitions': definitions_of(requests),
                **({'questions': questions} if questions else {}),
            },
            [b'"metadata":' + as_json(requests.metadata)],
        )

    def decided(self, fact: CallsDecided) -> Entry:
        before, now = self._ids, self._ids_now()
        data: JsonObject = {'ids': now} if now != before else {}
        return self._entry('decided', data, [b'"results":' + results_json(fact.results)])

    def _ids_now(self) -> list[str]:
        """Return the ids of the calls of the last response: those that are asked about may have got others since."""
        last = self._last_response()
        ids = [call.tool_call_id for call in last.tool_calls] if last is not None else []
        self._questions.note_ids(self._ids, ids)
        self._ids = ids
        return ids

    def acted(self, fact: HookActed) -> Entry:
        data = acted_data(fact)
        head: JsonObject = {'step': data.pop('step')}
        pieces = [to_json(name) + b':' + as_json(value) for name, value in data.items()]
        place = fact.capability, fact.hook
        if self._noted.get(place) == pieces:  # most hooks do the same at each step
            return self._entry('changed', head, [*pieces[:2], b'"same":true'])
        self._noted[place] = pieces
        return self._entry('changed', head, pieces)

    def sent(self, fact: RequestSent) -> Entry:
        data = sent_data(fact)
        head: JsonObject = {'step': data.pop('step')}
        pieces: list[bytes] = []
        for name, value in data.items():
            written = as_json(value)
            if self._noted.get(name) != written:  # most requests have the tools and settings of the one before
                self._noted[name] = written
                pieces.append(to_json(name) + b':' + written)
        return self._entry('sent', head, pieces)

    def ended(self, fact: RunEnded) -> Entry:
        # That the store failed, or that another process has a run inside of this one, says nothing about this one.
        how = 'left' if isinstance(fact.error, (StoreError, LeaseLost, RunInUse)) else fact.how
        if self.status != 'waiting':
            # A run that was left is as it would be if its process had died: another process may continue it.
            self.status = 'running' if how == 'left' else how
        self.account.add(fact.usage)
        data: JsonObject = {'how': how, 'usage': usage_data(self.account.total())}
        pieces: list[bytes | memoryview] = []
        new: Sequence[ModelMessage] = ()
        if fact.how == 'done' and self.waiting is None:
            new, replaced = self._new_messages(fact)
            output = memoryview(as_json({'output': fact.output}))  # which may be large, so it is not copied
            pieces += [output[1:-1], *replaced]
        if fact.error is not None:
            pieces.append(b'"error":' + as_json({'type': type(fact.error).__name__, 'message': str(fact.error)[:2000]}))
        if fact.metadata:
            pieces.append(b'"metadata":' + as_json(fact.metadata))
        return self._entry('ended', data, pieces, messages=new)

    def _entry(
        self,
        kind: str,
        data: JsonObject,
        pieces: Sequence[bytes | memoryview] = (),
        *,
        messages: Sequence[ModelMessage] = (),
        parts: Sequence[ModelRequestPart] = (),
    ) -> Entry:
        body = record_json(data, pieces, messages=messages, recorded=self._answers, parts=parts)
        self.seq += 1
        self.has_records = True
        record = Record(self.seq, kind, time.time(), body)
        return Entry(self.run_id, self.token, (record,), self.status, self.steps)

    def _note_answer(self, call_id: str, parts: Any) -> None:
        for place, part in enumerate(parts):
            self._answers[id(part)] = (call_id, place)
            self._kept.append(part)

    def _new_messages(
        self, fact: RequestReady | ResponseTaken | RunEnded
    ) -> tuple[Sequence[ModelMessage], list[bytes]]:
        """Return the messages that were added to the history since the last record, or the piece of a record instead of them."""
        if fact.history is None:
            self._messages.extend(fact.messages)
            return fact.messages, []
        # The whole history, where hooks have changed it: numbers stand for messages that are recorded.
        piece = b'"history":' + history_json(self._messages, fact.history, self._answers)
        self._messages, self._was_replaced = list(fact.history), True
        return (), [piece]
