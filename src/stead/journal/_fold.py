"""The state of a run, from its records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._contracts.pending import PendingMessage
from .._contracts.run_state import RecordedAnswer, RecordedOutput, RunState
from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from ..messages import ModelMessage, ModelRequest, ModelRequestPart, ModelResponse, ToolCallPart, UserContent
from ..tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from ..usage import RunUsage
from ._call import AskedCall, CallPlace, InnerCall, OutputsOnRecord, StartedCall
from ._digest import limits_of
from ._encode import messages_from, parts_from, prompt_from, results_from, usage_from
from ._errors import RecordUnreadable
from ._redact import touches
from ._store import Record


@dataclass(slots=True)
class RecordedRun:
    """How a run stands after its records."""

    prompt: str | Sequence[UserContent] | None = None
    """The prompt of the run."""
    is_fresh: bool = False
    """Whether it has only begun."""
    answers_calls: bool = False
    """Whether it began with decisions about calls of its history."""
    messages: list[ModelMessage] = field(default_factory=lambda: [])
    """The history."""
    new_message_index: int = 0
    """Where in the history the messages of the run begin."""
    conversation_id: str | None = None
    """The id of its conversation."""
    agent: JsonObject = field(default_factory=lambda: {})
    """The digest of its agent when it began, or when it was last resumed."""
    metadata: JsonObject | None = None
    """Metadata of the run."""
    options: JsonObject = field(default_factory=lambda: {})
    """Settings and limits that were passed to the run, and hold when it continues."""
    step: int = 0
    """The number of its last step."""
    last_max_tokens: int | None = None
    """`max_tokens` of the last request that has its response."""
    following: int = 0
    """How many messages follow the last request, if its response has not been received."""
    requesting: bool = False
    """Whether a request was sent, and the response has not been received."""
    usage: RunUsage = field(default_factory=RunUsage)
    """What it has used."""
    output_retries: int = 0
    """How many times the model was asked to give its output again."""
    retries: dict[str, int] = field(default_factory=lambda: {})
    """How many times each tool was retried."""
    call_counts: dict[str, int] = field(default_factory=lambda: {})
    """How many times each tool with a limit had been called when the step began."""
    calls_of_step: dict[str, int] = field(default_factory=lambda: {})
    """How many times each of them was called since."""
    pending: list[PendingMessage] = field(default_factory=lambda: [])
    """Messages that wait to be delivered."""
    answers: dict[str, list[ModelRequestPart]] = field(default_factory=lambda: {})
    """What calls were answered with, by call id: the answer, and what the tool adds to the conversation."""
    limited: dict[str, str] = field(default_factory=lambda: {})
    """The tools of calls that were started, and count as calls of a tool with a limit, by call id."""
    started: dict[str, StartedCall] = field(default_factory=lambda: {})
    """Calls whose tools were started, without those that were answered."""
    inner: dict[CallPlace, InnerCall] = field(default_factory=lambda: {})
    """Calls that tools made themselves."""
    outputs: OutputsOnRecord = field(default_factory=OutputsOnRecord)
    """What is known of the output functions of the last response."""
    first_ids: dict[str, str] = field(default_factory=lambda: {})
    """The ids that calls of the last response had when they came, by those that they got when they waited."""
    called: dict[str, int] = field(default_factory=lambda: {})
    """In which step a call of the model with an id was started first."""
    asked: dict[CallPlace, AskedCall] = field(default_factory=lambda: {})
    """Calls that tools would make themselves, and that were asked about."""
    parent: tuple[str, str] | None = None
    """The run and the call that began this run, if a tool did."""
    waiting: JsonObject | None = None
    """The calls that wait, if the run does: `calls` and `approvals` have ids, `metadata` has what tools say of them."""
    decisions: DeferredToolResults = field(default_factory=DeferredToolResults)
    """Decisions about calls of the last response that have no answer."""
    overrides: dict[str, tuple[Any, bool]] = field(default_factory=lambda: {})
    """Arguments that people have put in place of those of the model, and whether they were redacted, by call id."""
    decided: dict[str, Any] = field(default_factory=lambda: {})
    """Calls of the history that waited and were decided about, with the arguments that they were given in place of theirs."""
    again: set[str] = field(default_factory=lambda: set())
    """Calls that waited for a run inside of them, which can continue now."""
    redacted: set[str] = field(default_factory=lambda: set())
    """Calls whose arguments were redacted."""
    redacted_decisions: set[str] = field(default_factory=lambda: set())
    """Calls that were approved with arguments which were redacted."""
    how: str | None = None
    """How it ended: `'done'`, `'failed'` or `'left'`; `None` if it has not."""
    output: Any = None
    """The JSON data of its output."""
    has_output: bool = False
    """Whether it has one, which may be `None`."""
    error: JsonObject | None = None
    """Type and text of the error that it failed with."""
    handed_to: str | None = None
    """The run that continues in its place, because it began with the decisions that this one waited for."""

    def first_prompt(self) -> str | Sequence[UserContent] | None:
        """Return the prompt of the run, if it is not part of the history yet."""
        return self.prompt if not self.step and self.how != 'done' else None

    def run_options(self) -> dict[str, Any]:
        """Return the options that were passed to the run, and hold when it continues."""
        options = dict(self.options)
        if (limits := options.get('usage_limits')) is not None:
            options['usage_limits'] = limits_of(limits)
        return options

    def open_calls(self) -> list[ToolCallPart]:
        """Return the calls of the last response that have no answer."""
        last = self.messages[-1] if self.messages else None
        if not isinstance(last, ModelResponse):
            return []
        return [call for call in last.tool_calls if call.tool_call_id not in self.answers]

    def in_doubt(self) -> list[ToolCallPart]:
        """Return the calls that were started, and of which nothing more is known."""
        return [call for call in self.open_calls() if call.tool_call_id in self.started]

    def undecided(self) -> list[str]:
        """Return the ids of the calls that wait, and that nothing was decided about."""
        if self.waiting is None:
            return []
        decided = self.decisions.calls.keys() | self.decisions.approvals.keys() | self.again
        asking = {self.id_now(place[0]) for place, asked in self.asked.items() if not self._is_decided(asked)}
        metadata: dict[str, JsonObject] = self.waiting.get('metadata') or {}
        # A call that waits for calls of its own tool continues when these are decided.
        decided |= {call_id for call_id, data in metadata.items() if data.get('kind') == 'call'} - asking
        return [
            call_id
            for call_id in (*self.waiting['calls'], *self.waiting['approvals'])
            if call_id not in decided or (call_id in asking and call_id in self.again)
        ]

    def id_now(self, first_id: str) -> str:
        """Return the id that a call of the last response has now."""
        return next((now for now, first in self.first_ids.items() if first == first_id), first_id)

    def _is_decided(self, asked: AskedCall) -> bool:
        call_id = asked.call.tool_call_id
        return call_id in self.decisions.calls or call_id in self.decisions.approvals

    def asking(self) -> dict[CallPlace, AskedCall]:
        """Return the calls that tools of calls that wait would make themselves, and that nothing was decided about."""
        waiting = set(self.undecided())
        return {
            place: asked
            for place, asked in self.asked.items()
            if self.id_now(place[0]) in waiting and not self._is_decided(asked)
        }

    def asked_with_decisions(self) -> dict[CallPlace, AskedCall]:
        """Return the calls that tools would make themselves, with what was decided about them."""
        return {
            place: replace(asked, decisions=self.decisions) if self._is_decided(asked) else asked
            for place, asked in self.asked.items()
        }

    def lacking_arguments(self) -> list[ToolCallPart]:
        """Return the calls that would be made now, and whose arguments were redacted."""
        undecided = set(self.undecided())
        return [
            call
            for call in self.open_calls()
            if call.tool_call_id not in undecided
            and call.tool_call_id not in self.decisions.calls
            and self.lacks_arguments(call.tool_call_id, self.decisions.approvals.get(call.tool_call_id, True))
        ]

    def lacks_arguments(self, call_id: str, decision: object) -> bool:
        """Return whether a decision would let a call run whose arguments were redacted, without giving it others."""
        if isinstance(decision, ToolApproved) and decision.override_args is not None:
            return call_id in self.redacted_decisions
        return call_id in self.redacted and decision is not False and not isinstance(decision, ToolDenied)

    def reconciled(self) -> set[str]:
        """Return the calls in doubt of which a person has said that they are done."""
        metadata: JsonObject = (self.waiting or {}).get('metadata') or {}
        return {call_id for call_id in self.decisions.calls if metadata.get(call_id, {}).get('kind') == 'reconcile'}

    def run_state(self, run_id: str) -> RunState:
        """Return the state of the run."""
        calls = {call.tool_call_id for call in self.open_calls()}
        last = self.messages[-1] if self.messages else None
        answered: dict[str, Any] = {}
        if isinstance(last, ModelResponse):
            for call in last.tool_calls:
                if (parts := self.answers.get(call.tool_call_id)) is not None:
                    answered[call.tool_call_id] = RecordedAnswer(parts[0], parts[1:])  # pyright: ignore[reportArgumentType]
        decisions = {
            call_id: decision for call_id, decision in self.decisions.to_tool_call_results().items() if call_id in calls
        }
        calls_of_step = dict(self.calls_of_step)
        for call_id in self.reconciled() & calls & self.limited.keys():
            calls_of_step[self.limited[call_id]] = calls_of_step.get(self.limited[call_id], 0) + 1
        return RunState(
            message_history=self.messages,
            run_id=run_id,
            is_fresh=self.is_fresh and not decisions,
            prompt=self.prompt,
            answers_calls=self.answers_calls and self.how != 'done',
            metadata=self.metadata,
            conversation_id=self.conversation_id or uuid7_str(),
            new_message_index=self.new_message_index,
            following=self.following if isinstance(last, ModelRequest) else 0,
            usage=self.usage,
            last_max_tokens=self.last_max_tokens,
            # The step of a request that has no response is begun again.
            run_step=self.step - 1 if isinstance(last, ModelRequest) and self.step else self.step,
            output_retries_used=self.output_retries,
            retries=self.retries,
            call_counts=self.call_counts,
            calls_of_step=calls_of_step,
            pending_messages=self.pending,
            decisions={**decisions, **answered},
            decision_metadata=self.decisions.metadata,
        )


def requests_of(state: RecordedRun) -> DeferredToolRequests | None:
    """Return the calls that a run waits for, without those of tools that wait for a run; `None` if there are none."""
    last = next((message for message in reversed(state.messages) if isinstance(message, ModelResponse)), None)
    if state.waiting is None or last is None:
        return None
    metadata: dict[str, JsonObject] = state.waiting.get('metadata') or {}
    wanted = {call_id for call_id in state.undecided() if metadata.get(call_id, {}).get('kind') not in ('run', 'call')}
    by_id = {call.tool_call_id: call for call in last.tool_calls}
    requests = DeferredToolRequests(
        calls=[by_id[call_id] for call_id in state.waiting['calls'] if call_id in wanted],
        approvals=[by_id[call_id] for call_id in state.waiting['approvals'] if call_id in wanted],
        metadata={call_id: data for call_id, data in metadata.items() if call_id in wanted},
    )
    for asked in state.asking().values():
        (requests.approvals if asked.needs_approval else requests.calls).append(asked.call)
        if asked.metadata is not None:
            requests.metadata[asked.call.tool_call_id] = asked.metadata
    return requests if requests.calls or requests.approvals else None


def fold(records: Iterable[Record], state: RecordedRun | None = None) -> RecordedRun:
    """Return the state of a run after its records.

    Args:
        records: The records, in order.
        state: The state before them, which is changed; by default that of a run without records.

    Raises:
        RecordUnreadable: A record cannot be read.
    """
    state = state if state is not None else RecordedRun()
    unknown: set[str] = set()
    for record in records:
        read = _READERS.get(record.kind)
        if read is None:
            if record.kind not in _NOT_OF_THE_STATE:
                unknown.add(record.kind)  # written by a newer version, for readers that know of it
            continue
        was_fresh = state.is_fresh
        try:
            read(state, record.data(), record)
        except _UNREADABLE as error:
            raise _unreadable(record, error) from error
        state.is_fresh = record.kind == 'begun' or (was_fresh and record.kind in _STAYS_FRESH and state.how != 'done')
    if unknown:
        warnings.warn(
            f'The journal has records of kinds that this version of stead does not know ({", ".join(sorted(unknown))[:200]}): a '
            'newer one wrote them. They stay in the journal, and the run continues without them.',
            stacklevel=2,
        )
    return state


def requests_in(records: Iterable[Record]) -> dict[int, int]:
    """Return the places of the requests among records, by the number of the step; of those of one step, the last.

    Raises:
        RecordUnreadable: The record of a request cannot be read.
    """
    places: dict[int, int] = {}
    for place, record in enumerate(records):
        if record.kind == 'request':
            try:
                places[record.data()['step']] = place
            except _UNREADABLE as error:
                raise _unreadable(record, error) from error
    return places


_UNREADABLE = (RecordUnreadable, AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What goes wrong with a record that is not what it should be."""


def _unreadable(record: Record, error: Exception) -> RecordUnreadable:
    words = f'Record {record.seq} ({record.kind!r}) cannot be read'
    if isinstance(error, RecordUnreadable):
        return RecordUnreadable(f'{words}. {error}')
    was_redacted = ' It was redacted, and what is left of it is not enough.' if _is_redacted(record) else ''
    return RecordUnreadable(f'{words}: {error!r}.{was_redacted}')


def _is_redacted(record: Record) -> bool:
    return 'redacted' in record.data()


def _take_messages(state: RecordedRun, body: JsonObject) -> None:
    before = len(state.messages)
    _add_messages(state, body)
    if (paths := body.get('redacted')) is not None:
        _note_redacted(state, body, paths, before)


def _note_redacted(state: RecordedRun, body: JsonObject, paths: Sequence[Sequence[str | int]], before: int) -> None:
    """Note the calls whose arguments were redacted: a call must not be made with others than the model gave it."""
    name, first = ('history', 0) if body.get('history') is not None else ('messages', before)
    for place, message in enumerate(state.messages[first:]):
        for index, part in enumerate(message.parts):
            if isinstance(part, ToolCallPart) and touches(paths, [name, place, 'message', 'parts', index, 'args']):
                state.redacted.add(part.tool_call_id)
    for name in ('decisions', 'results'):
        decided: JsonObject = body.get(name) or {}
        for call_id in decided.get('approvals', ()):
            if touches(paths, [name, 'approvals', call_id]):
                state.redacted_decisions.add(call_id)


def _add_messages(state: RecordedRun, body: JsonObject) -> None:
    if (items := body.get('history')) is not None:
        new = iter(messages_from([item for item in items if not isinstance(item, int)], state.answers))
        state.messages = [state.messages[item] if isinstance(item, int) else next(new) for item in items]
    if (items := body.get('messages')) is not None:
        state.messages.extend(messages_from(items, state.answers))


def _begun(state: RecordedRun, body: JsonObject, record: Record) -> None:
    # In a conversation, the records of the runs before come first: their messages are what it begins with.
    new = RecordedRun(messages=state.messages, decided=state.decided)
    for name in RecordedRun.__slots__:
        setattr(state, name, getattr(new, name))
    state.prompt = prompt_from(body.get('prompt'))
    state.conversation_id = body.get('conversation')
    state.agent = body.get('agent') or {}
    state.metadata = body.get('metadata')
    state.options = body.get('options') or {}
    if (parent := body.get('parent')) is not None:
        state.parent = parent[0], parent[1]
    if decided := body.get('decisions'):
        state.decisions, state.answers_calls = results_from(decided), True
    _take_messages(state, body)
    state.new_message_index = body.get('new', len(state.messages))


def _edited(state: RecordedRun, body: JsonObject, record: Record) -> None:
    state.redacted.difference_update(body.get('calls', ()))  # they have other arguments
    state.decided.update(body.get('decided', {}))
    _take_messages(state, body)
    state.following = 0


def _resumed(state: RecordedRun, body: JsonObject, record: Record) -> None:
    state.agent = body.get('agent') or state.agent
    state.how = state.error = None


def _request(state: RecordedRun, body: JsonObject, record: Record) -> None:
    _take_messages(state, body)
    state.answers.clear()
    state.started.clear()
    state.inner.clear()
    state.outputs = OutputsOnRecord()
    state.asked.clear()
    state.first_ids.clear()
    state.limited.clear()
    state.overrides.clear()
    state.decisions, state.waiting, state.how = DeferredToolResults(), None, None
    state.step, state.requesting = body['step'], True
    state.following = body.get('following', 0)
    state.new_message_index = body.get('new', state.new_message_index)
    state.output_retries = body.get('output_retries', 0)
    state.retries, state.call_counts = body.get('retries', {}), body.get('counts', {})
    state.calls_of_step.clear()
    state.pending = []
    _take_pending(state, body)
    if 'usage' in body:
        state.usage = usage_from(body['usage'])


def _take_pending(state: RecordedRun, body: JsonObject) -> None:
    if (pending := body.get('pending')) is not None:
        state.pending = [
            PendingMessage(messages_from(item['messages'], {}), priority=item['priority']) for item in pending
        ]


def _response(state: RecordedRun, body: JsonObject, record: Record) -> None:
    _take_messages(state, body)
    state.requesting = False
    state.usage, state.last_max_tokens = usage_from(body['usage']), body.get('max_tokens')
    _take_pending(state, body)


def _calling(state: RecordedRun, body: JsonObject, record: Record) -> None:
    if (outer := body.get('within')) is not None:
        place = tuple(outer)
        state.inner[place] = InnerCall(body['tool'], body['effect'], record.at)
        if (asked := state.asked.get(place)) is not None and asked.is_in_doubt:
            del state.asked[place]  # that it may run again holds for once
    else:
        call_id: str = body['id']
        state.called.setdefault(state.first_ids.get(call_id, call_id), state.step)
        state.started[body['id']] = StartedCall(body['tool'], body['effect'], record.at)
        if body.get('limited'):
            state.limited[body['id']] = body['tool']


def _output_calling(state: RecordedRun, body: JsonObject, record: Record) -> None:
    state.outputs.calling[body['id']] = StartedCall(body['tool'], body['effect'], record.at)


def _output_returned(state: RecordedRun, body: JsonObject, record: Record) -> None:
    state.outputs.calling.pop(body['id'], None)
    state.outputs.returned[body['id']] = RecordedOutput(body['output'])


def _returned(state: RecordedRun, body: JsonObject, record: Record) -> None:
    call = state.inner[tuple(body['within'])]
    call.is_done, call.result = True, body['result']
    if 'usage' in body:
        call.usage = usage_from(body['usage'])


def _asked(state: RecordedRun, body: JsonObject, record: Record) -> None:
    place, call = tuple(body['within']), body['call']
    asked = AskedCall(ToolCallPart(call['tool'], call['args'], call['id']), body['approval'], body['metadata'])
    asked.definition = body.get('definition')
    if not asked.is_in_doubt:
        state.inner.pop(place, None)  # its tool asks, and has done nothing
    state.asked[place] = asked
    if (paths := body.get('redacted')) is not None and touches(paths, ['call', 'args']):
        state.redacted.add(asked.call.tool_call_id)


def _answered(state: RecordedRun, body: JsonObject, record: Record) -> None:
    state.answers[body['id']] = parts_from(body['parts'])
    state.started.pop(body['id'], None)
    state.asked = {place: asked for place, asked in state.asked.items() if state.id_now(place[0]) != body['id']}
    if 'usage' in body:
        state.usage = usage_from(body['usage'])
    for tool, count in body.get('counts', {}).items():
        state.calls_of_step[tool] = state.calls_of_step.get(tool, 0) + count
    _take_pending(state, body)


def note_ids(first_ids: dict[str, str], before: Sequence[str], now: Sequence[str]) -> None:
    """Note the first ids of calls that have got others."""
    for old, new in zip(before, now):
        if old != new:
            first_ids[new] = first_ids.pop(old, old)


def _waiting(state: RecordedRun, body: JsonObject, record: Record) -> None:
    last = state.messages[-1] if state.messages else None
    if isinstance(last, ModelResponse):
        calls, ids = last.tool_calls, body.get('ids', ())
        note_ids(state.first_ids, [call.tool_call_id for call in calls], ids)
        for call, call_id in zip(calls, ids):
            call.tool_call_id = call_id
    state.waiting = body
    state.again.clear()
    metadata: dict[str, JsonObject] = body.get('metadata') or {}
    for call_id in (*body['calls'], *body['approvals']):
        # A call that is asked about because it is in doubt stays so until there is an answer.
        if metadata.get(call_id, {}).get('kind') != 'reconcile':
            state.started.pop(call_id, None)
        state.decisions.calls.pop(call_id, None)  # what was decided before is asked again
        before = state.decisions.approvals.pop(call_id, None)
        if isinstance(before, ToolApproved) and before.override_args is not None:
            state.overrides[call_id] = before.override_args, call_id in state.redacted_decisions
        state.redacted_decisions.discard(call_id)


def _decided(state: RecordedRun, body: JsonObject, record: Record) -> None:
    results = results_from(body['results'])
    state.redacted_decisions -= results.approvals.keys()
    _note_redacted(state, body, body.get('redacted', ()), len(state.messages))
    for call_id, approval in results.approvals.items():
        is_plain = approval is True or (isinstance(approval, ToolApproved) and approval.override_args is None)
        if is_plain and call_id in state.overrides:  # the call to be made again is the one that was approved first
            arguments, is_redacted = state.overrides[call_id]
            results.approvals[call_id] = ToolApproved(override_args=arguments)
            if is_redacted:
                state.redacted_decisions.add(call_id)
    for call_id in (*results.calls, *results.approvals):
        state.started.pop(call_id, None)
        state.decided[call_id] = getattr(results.approvals.get(call_id), 'override_args', None)
    state.outputs.decide(results)
    state.decisions.update(results)
    state.again.update(state.id_now(call_id) for call_id in body.get('again', ()))
    state.how = None


def _ended(state: RecordedRun, body: JsonObject, record: Record) -> None:
    _take_messages(state, body)
    state.requesting = False
    state.how = body['how']
    state.output, state.has_output = body.get('output'), 'output' in body
    state.error = body.get('error')
    state.handed_to = body.get('handed_to')
    if 'usage' in body:
        state.usage = usage_from(body['usage'])
    if 'metadata' in body:
        state.metadata = body['metadata']


_STAYS_FRESH = {'resumed', 'ended'}
"""Kinds of records after which a run has only begun, if it had before: it continued in another process, or failed there."""
_NOT_OF_THE_STATE = {'changed', 'progress', 'sent'}
"""Kinds of records that only say how the state came to be."""
_READERS: dict[str, Callable[[RecordedRun, JsonObject, Record], None]] = {
    'begun': _begun,
    'resumed': _resumed,
    'edited': _edited,
    'request': _request,
    'response': _response,
    'calling': _calling,
    'output_calling': _output_calling,
    'output_returned': _output_returned,
    'returned': _returned,
    'asked': _asked,
    'answered': _answered,
    'waiting': _waiting,
    'decided': _decided,
    'ended': _ended,
}
