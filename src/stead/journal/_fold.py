"""`fold`: reads records as facts, and makes a run of them.

Each reader returns the facts that a record tells, and `apply` makes the state of them. A reader notes what no fact has, such as
the time at which a call was started, in `CallsOnRecord` and in `Questions`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._contracts.call_policy import CallPolicy
from .._contracts.facts import (
    CallAnswered,
    CallsDecided,
    CallStarting,
    CallsWait,
    HistoryEdited,
    MessagesEnqueued,
    RecordedFact,
    RequestReady,
    ResponseTaken,
    RunBegan,
    RunEnded,
    UsageTotal,
)
from .._contracts.pending import PendingMessage
from .._contracts.run_state import RecordedOutput, RunState
from .._kit.json_types import JsonObject
from .._loop.state import apply
from ..messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserContent
from ..tools import DeferredToolRequests, DeferredToolResults, ToolDefinition
from ..usage import RunUsage
from ._call import AskedCall, CallsOnRecord, InnerCall, StartedCall
from ._digest import limits_of
from ._encode import conversation_from, messages_from, parts_from, prompt_from, results_from, usage_from
from ._errors import RecordUnreadable
from ._questions import Questions
from ._redact import touches
from ._signals import recorded_answers
from ._store import Record

_NOTHING = RunUsage()
"""What was used, in facts of records: those have the sum."""


@dataclass(slots=True, kw_only=True)
class RecordedRun(RunState):
    """A run after its records: its state, what its calls and questions are, and how it ended."""

    agent: JsonObject = field(default_factory=lambda: {})
    """The digest of its agent when it began, or when it was last resumed."""
    options: JsonObject = field(default_factory=lambda: {})
    """Settings and limits that were passed to the run, and hold when it continues."""
    parent: tuple[str, str] | None = None
    """The run and the call that began this run, if a tool did."""
    calls: CallsOnRecord = field(default_factory=CallsOnRecord)
    """How far the calls of the last response are."""
    questions: Questions = field(default_factory=Questions)
    """What it asks people."""
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

    @property
    def messages(self) -> list[ModelMessage]:
        """The history."""
        return self.message_history

    @property
    def step(self) -> int:
        """The number of its last step."""
        return self.run_step

    @property
    def decided(self) -> dict[str, Any]:
        """Calls of the history that waited and were decided about, with the arguments that they were given in place of theirs."""
        return self.questions.decided

    def first_prompt(self) -> str | Sequence[UserContent] | None:
        """Return the prompt of the run, if it is not part of the history yet."""
        return self.prompt if not self.run_step and self.how != 'done' else None

    def run_options(self) -> dict[str, Any]:
        """Return the options that were passed to the run, and hold when it continues."""
        options = dict(self.options)
        if (limits := options.get('usage_limits')) is not None:
            options['usage_limits'] = limits_of(limits)
        return options

    def last_response(self) -> ModelResponse | None:
        """Return the response whose calls are handled, if the history ends with one."""
        last = self.message_history[-1] if self.message_history else None
        return last if isinstance(last, ModelResponse) else None

    def open_calls(self) -> list[ToolCallPart]:
        """Return the calls of the last response that have no answer."""
        last = self.last_response()
        return [call for call in last.tool_calls if call.tool_call_id not in self.answers] if last is not None else []

    def in_doubt(self) -> list[ToolCallPart]:
        """Return the calls that were started and have no known result."""
        return [call for call in self.open_calls() if call.tool_call_id in self.calls.started]

    def undecided(self) -> list[str]:
        """Return the ids of the calls that wait, and that nothing was decided about."""
        return self.questions.undecided(self.decisions)

    def requests(self) -> DeferredToolRequests | None:
        """Return the calls that wait for a decision, without those of tools that wait for a run; `None` if there are none."""
        return self.questions.requests(self.decisions, self.message_history)

    def lacking_arguments(self) -> list[ToolCallPart]:
        """Return the calls that would be made now, and whose arguments were redacted."""
        decisions = self.decisions or DeferredToolResults()
        left_out = {*self.undecided(), *decisions.calls}
        return [
            call
            for call in self.open_calls()
            if call.tool_call_id not in left_out
            and self.questions.lacks_arguments(call.tool_call_id, decisions.approvals.get(call.tool_call_id, True))
        ]

    def reconciled(self) -> set[str]:
        """Return the calls in doubt that a person has declared done."""
        return self.questions.reconciled(self.decisions)

    def to_continue(self, run_id: str) -> RecordedRun:
        """Return the run as it continues: the step of a request that has no response is started again."""
        opened = {call.tool_call_id for call in self.open_calls()}
        decisions = self.decisions or DeferredToolResults()
        counts, limited = dict(self.calls_of_step or {}), self.calls.limited
        for call_id in self.reconciled() & opened & limited.keys():
            counts[limited[call_id]] = counts.get(limited[call_id], 0) + 1
        is_request = bool(self.message_history) and self.last_response() is None
        return replace(
            self,
            run_id=run_id,
            is_fresh=self.is_fresh and opened.isdisjoint({*decisions.calls, *decisions.approvals}),
            answers_calls=self.answers_calls and self.how != 'done',
            following=self.following if is_request else 0,
            run_step=self.run_step - 1 if is_request and self.run_step else self.run_step,
            calls_of_step=counts,
        )

    def as_ended(self, run_id: str) -> RecordedRun:
        """Return the run as one that has its output, and only shows it again with the answers to its last calls."""
        last = self.message_history[-1] if self.message_history else None
        answers = recorded_answers(last) if isinstance(last, ModelRequest) else self.answers
        result = RecordedOutput(self.output)
        return replace(self.to_continue(run_id), run_step=self.run_step, result=result, answers=answers)


def fold(records: Iterable[Record], run: RecordedRun | None = None) -> RecordedRun:
    """Return a run after its records.

    Args:
        records: The records, in order.
        run: The run before them, which may be changed; by default one without records.

    Raises:
        RecordUnreadable: A record cannot be read, or one between them is missing.
    """
    run = run if run is not None else RecordedRun()
    unknown: set[str] = set()
    for record in in_order(records):
        read = _READERS.get(record.kind)
        if read is None:
            if record.kind not in _NOT_OF_THE_STATE:
                unknown.add(record.kind)  # written by a newer version, for readers that know of it
            continue
        if record.kind == 'begun':
            # In a conversation, the records of the runs before come first: their messages are what it begins with.
            known = Questions(decided=run.decided)
            run = RecordedRun(run_id=run.run_id, message_history=run.message_history, questions=known)
        try:
            for fact in read(run, record.data(), record):
                apply(run, fact)
        except _UNREADABLE as error:
            raise _unreadable(record, error) from error
    if unknown:
        warnings.warn(
            f'The journal has records of kinds that this version of stead does not know ({", ".join(sorted(unknown))[:200]}): a '
            'newer one wrote them. They stay in the journal, and the run continues without them.',
            stacklevel=2,
        )
    return run


def in_order(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records; raise `RecordUnreadable` if one between them is missing."""
    before: int | None = None
    for record in records:
        if before is not None and record.seq != before + 1:
            raise RecordUnreadable(missing(before + 1))
        before = record.seq
        yield record


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


def missing(seq: int) -> str:
    """Return the text of the error about a record that is not there, though later ones are, or were."""
    return f'Record {seq} is missing: what it said was done might be done again.'


def _unreadable(record: Record, error: Exception) -> RecordUnreadable:
    words = f'Record {record.seq} ({record.kind!r}) cannot be read'
    if isinstance(error, RecordUnreadable):
        return RecordUnreadable(f'{words}. {error}')
    was_redacted = ' It was redacted, and what is left of it is not enough.' if _is_redacted(record) else ''
    return RecordUnreadable(f'{words}: {error!r}.{was_redacted}')


def _is_redacted(record: Record) -> bool:
    return 'redacted' in record.data()


def _messages(run: RecordedRun, body: JsonObject) -> tuple[Sequence[ModelMessage], Sequence[ModelMessage] | None]:
    """Return the messages that a record adds to the history, and the whole history if it has that."""
    history: list[ModelMessage] | None = None
    if (items := body.get('history')) is not None:
        others = iter(messages_from([item for item in items if not isinstance(item, int)], run.answers))
        history = [run.message_history[item] if isinstance(item, int) else next(others) for item in items]
    messages = messages_from(items, run.answers) if (items := body.get('messages')) is not None else ()
    if (paths := body.get('redacted')) is not None:
        name = 'messages' if history is None else 'history'
        run.questions.note_redacted(paths, name, messages if history is None else history)
    return messages, history


def _redacted_decisions(body: JsonObject, name: str) -> set[str]:
    """Return the calls that were approved with arguments which were redacted."""
    results: JsonObject = body.get(name) or {}
    return {
        call_id
        for call_id in results.get('approvals', ())
        if touches(body.get('redacted', ()), [name, 'approvals', call_id])
    }


def _pending(run: RecordedRun, body: JsonObject, default: Sequence[PendingMessage]) -> Sequence[PendingMessage]:
    if (pending := body.get('pending')) is None:
        return default
    return [
        PendingMessage(
            messages_from(item['messages'], {}),
            priority=item['priority'],
            **({'enqueue_id': item['id']} if 'id' in item else {}),
        )
        for item in pending
    ]


def _usage(body: JsonObject) -> Iterator[UsageTotal]:
    if 'usage' in body:
        yield UsageTotal(usage_from(body['usage']))


def _call(run: RecordedRun, call_id: str, tool: str) -> ToolCallPart:
    """Return a call of the last response, or one that a tool makes."""
    last = run.last_response()
    known = next((call for call in last.tool_calls if call.tool_call_id == call_id), None) if last is not None else None
    return known if known is not None else ToolCallPart(tool, tool_call_id=call_id)


def _begun(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    run.agent, run.options = body.get('agent') or {}, body.get('options') or {}
    if (parent := body.get('parent')) is not None:
        run.parent = parent[0], parent[1]
    new, history = _messages(run, body)
    messages = [*(run.message_history if history is None else history), *new]
    decisions = results_from(decided) if (decided := body.get('decisions')) else None
    run.questions.redacted_decisions.update(_redacted_decisions(body, 'decisions'))
    yield RunBegan(
        conversation_id=body.get('conversation') or run.conversation_id,
        messages=messages,
        new_message_index=body.get('new', len(messages)),
        metadata=body.get('metadata'),
        prompt=prompt_from(body.get('prompt')),
        decisions=decisions,
        restored=None,
        conversation=conversation_from(body.get('continues')),
    )


def _edited(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    run.questions.redacted.difference_update(body.get('calls', ()))  # they have other arguments
    run.questions.decided.update(body.get('decided', {}))
    new, history = _messages(run, body)
    yield HistoryEdited([*(run.message_history if history is None else history), *new])


def _resumed(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    run.agent = body.get('agent') or run.agent
    run.how = run.error = None
    return iter(())


def _request(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    new, history = _messages(run, body)
    run.calls.clear()
    run.questions.clear()
    run.how = None
    following: int = body.get('following', 0)
    last = [*(run.message_history[-1 - following :] if history is None else history), *new][-1 - following :]
    yield RequestReady(
        step=body['step'],
        request=last[0] if last and isinstance(last[0], ModelRequest) else ModelRequest(parts=[]),
        messages=new,
        history=history,
        following=following,
        new_message_index=body.get('new', run.new_message_index),
        output_retries=body.get('output_retries', 0),
        retries=body.get('retries', {}),
        call_counts=body.get('counts', {}),
        pending=_pending(run, body, ()),
        usage=_NOTHING,
    )
    yield from _usage(body)


def _response(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    new, history = _messages(run, body)
    pending = _pending(run, body, run.pending_messages)
    yield ResponseTaken(new, history, pending, body.get('max_tokens'), _NOTHING)
    yield UsageTotal(usage_from(body['usage']))


def _calling(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    calls, tool = run.calls, body['tool']
    call_id: str = body['id']
    if (outer := body.get('within')) is not None:
        place = tuple(outer)
        calls.inner[place] = InnerCall(tool, body['effect'], record.at)
        if (asked := run.questions.asked.get(place)) is not None and asked.is_in_doubt:
            del run.questions.asked[place]  # that it may run again holds for once
    else:
        calls.called.setdefault(run.questions.first_ids.get(call_id, call_id), run.run_step)
        calls.started[call_id] = StartedCall(tool, body['effect'], record.at)
        if body.get('limited'):
            calls.limited[call_id] = tool
    if run.is_fresh:  # otherwise, the fact would change nothing
        yield CallStarting(_call(run, call_id, tool), ToolDefinition(name=tool), {}, CallPolicy(effect=body['effect']))


def _output_calling(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    run.calls.outputs.calling[body['id']] = StartedCall(body['tool'], body['effect'], record.at)
    return iter(())


def _output_returned(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    run.calls.outputs.calling.pop(body['id'], None)
    run.calls.outputs.returned[body['id']] = RecordedOutput(body['output'])
    return iter(())


def _returned(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    call = run.calls.inner[tuple(body['within'])]
    call.is_done, call.result = True, body['result']
    if 'usage' in body:
        call.usage = usage_from(body['usage'])
    return iter(())


def _asked(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    place, call = tuple(body['within']), body['call']
    asked = AskedCall(ToolCallPart(call['tool'], call['args'], call['id']), body['approval'], body['metadata'])
    asked.definition, asked.is_question = body.get('definition'), body.get('question', False)
    if not asked.is_in_doubt:
        run.calls.inner.pop(place, None)  # its tool asks, and has done nothing
    run.questions.asked[place] = asked
    if touches(body.get('redacted', ()), ['call', 'args']):
        run.questions.redacted.add(asked.call.tool_call_id)
    return iter(())


def _answered(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    call_id, (answer, *additions), questions = body['id'], parts_from(body['parts']), run.questions
    run.calls.started.pop(call_id, None)
    questions.asked = {place: one for place, one in questions.asked.items() if questions.id_now(place[0]) != call_id}
    yield CallAnswered(
        _call(run, call_id, getattr(answer, 'tool_name', None) or ''),
        answer,
        additions,
        pending=_pending(run, body, run.pending_messages),
        counts=body.get('counts'),
    )
    yield from _usage(body)


def _give_new_ids(run: RecordedRun, body: JsonObject) -> None:
    """Give the calls of the last response the ids that they had when they were asked about."""
    last = run.last_response()
    calls, ids = last.tool_calls if last is not None else [], body.get('ids', ())
    run.questions.note_ids([call.tool_call_id for call in calls], ids)
    for call, call_id in zip(calls, ids):
        call.tool_call_id = call_id


def _waiting(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    questions = run.questions
    _give_new_ids(run, body)
    questions.ask(body, run.decisions)
    for call_id in questions.ids:
        # A call that is asked about because it is in doubt stays so until there is an answer.
        if not questions.is_in_doubt(call_id):
            run.calls.started.pop(call_id, None)
    waiting = [[_call(run, call_id, '') for call_id in body[name]] for name in ('calls', 'approvals')]
    yield CallsWait(
        DeferredToolRequests(
            calls=waiting[0], approvals=waiting[1], metadata=questions.metadata, _kinds=questions.kinds(questions.ids)
        )
    )


def _decided(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    _give_new_ids(run, body)
    results = results_from(body['results'])
    run.questions.decide(results, _redacted_decisions(body, 'results'), body.get('again', ()))
    for call_id in (*results.calls, *results.approvals):
        run.calls.started.pop(call_id, None)
    run.calls.outputs.decide(results)
    run.how = None
    yield CallsDecided(results)


def _steered(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    yield MessagesEnqueued(_pending(run, body, run.pending_messages))


def _ended(run: RecordedRun, body: JsonObject, record: Record) -> Iterator[RecordedFact]:
    new, history = _messages(run, body)
    run.how, run.error, run.handed_to = body['how'], body.get('error'), body.get('handed_to')
    run.output, run.has_output = body.get('output'), 'output' in body
    metadata = body.get('metadata', run.metadata)
    yield RunEnded(body['how'], new, history, metadata, _NOTHING, run.output)
    yield from _usage(body)


_NOT_OF_THE_STATE = {'changed', 'progress', 'sent'}
"""Kinds of records that only say how the state came to be."""
_READERS: dict[str, Callable[[RecordedRun, JsonObject, Record], Iterator[RecordedFact]]] = {
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
    'steered': _steered,
    'ended': _ended,
}
