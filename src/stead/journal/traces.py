"""Recorded runs as plain data, for pages: lists of them, and what happened in one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

from pydantic_core import to_json

from .._contracts.deferred import digest_of
from .._kit.json_types import JsonObject
from .._show.changes import Acts
from .._show.timelines import (
    bounded,
    brief,
    call_data,
    first_prompt,
    note_answer,
    price,
    prompt_text,
    response_data,
    shown_messages,
)
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from ._errors import JournalError, RunNotFound
from ._fold import RecordedRun, fold, requests_of
from ._journal import Journal
from ._store import Record, RunFilter, RunInfo, Store
from ._stored import history_of

MOST_CHILDREN = 200
_MOST_PROGRESS = 50


def status_of(run: RunInfo) -> str:
    """Return how a run stands; `'left'` if no process is working on it, and it is not over."""
    return 'left' if run.status == 'running' and run.lease_until < time.time() else run.status


async def summaries(
    journal: Journal[Any], wanted: RunFilter, text: str = '', *, seconds: float = 0.5
) -> tuple[list[JsonObject], tuple[float, str] | None]:
    """Return runs as a list shows them, the last begun first.

    Args:
        journal: The journal.
        wanted: Which runs, and how many.
        text: Only runs whose records have this text, in whatever case.
        seconds: How long to look for the text.

    Returns:
        The runs, and the place to go on from as `RunFilter.before`; `None` if there are no more.
    """
    needle = to_json(text)[1:-1].lower() if text else b''

    def find() -> tuple[list[JsonObject], tuple[float, str] | None]:
        store, found, until = journal.store, cast('list[JsonObject]', []), time.monotonic() + seconds
        place = wanted.before
        while runs := store.find(wanted._replace(before=place, limit=200 if needle else wanted.limit)):
            for run in runs:
                place = run.begun_at, run.run_id
                records = store.read(run.run_id, limit=400)
                if run.base_id is not None and not (records and records[0].kind == 'begun'):
                    records = [*store.read(run.base_id, limit=1), *records]  # a fork has the prompt of its base
                if not needle or _mentions(run, records, needle):
                    found.append(_summary(run, records))
                if len(found) >= wanted.limit or (needle and time.monotonic() > until):
                    return found, place
            if len(runs) < (200 if needle else wanted.limit):
                break
        return found, None

    return await journal._recorder.call(find)  # pyright: ignore[reportPrivateUsage]


def _mentions(run: RunInfo, records: Sequence[Record], needle: bytes) -> bool:
    head = f'{run.run_id} {run.agent} {run.key} {run.conversation_id}'.lower().encode()
    return needle in head or any(needle in record.body.lower() and _says(record, needle) for record in records)


def _says(record: Record, needle: bytes) -> bool:
    """Return whether a record that has a text has it elsewhere than in what its agent can do."""
    if record.kind not in ('begun', 'resumed', 'changed', 'sent'):
        return True
    with suppress(JournalError, TypeError, ValueError, AttributeError):
        body = {name: value for name, value in record.data().items() if name not in ('agent', 'tools')}
        if record.kind == 'changed':
            body['changes'] = [change for change in body.get('changes', ()) if change['what'] != 'tools']
        return needle in to_json(body).lower()
    return False


def _summary(run: RunInfo, records: Sequence[Record]) -> JsonObject:
    """Return a run as a list shows it, whatever its records look like."""
    shown = _head(run)
    with suppress(JournalError, KeyError, TypeError, ValueError, AttributeError):
        responses: list[ModelMessage] = []
        for record in records:
            if record.kind in ('begun', 'response', 'ended'):
                body = record.data()
                if record.kind == 'begun':
                    shown['prompt'] = brief(prompt_text(body.get('prompt')))
                if record.kind == 'response':
                    for item in body.get('messages') or ():
                        responses += _light_response(item.get('message') or {})
                if record.kind == 'ended':
                    error: JsonObject = body.get('error') or {}
                    shown['error'] = brief(error.get('message')) or None
                    shown['output'] = brief(body.get('output'))
                usage: JsonObject = body.get('usage') or {}
                if usage:
                    shown['tokens'] = usage.get('input_tokens', 0) + usage.get('output_tokens', 0)
                    shown['calls'] = usage.get('tool_calls', 0)
        shown['cost'] = price(responses) if responses else None
        shown['models'] = sorted({str(one.model_name) for one in responses if isinstance(one, ModelResponse)})
    return shown


def _light_response(message: JsonObject) -> list[ModelMessage]:
    """Return a response without its parts: what its price depends on."""
    if message.get('kind') != 'response':
        return []
    return ModelMessagesTypeAdapter.validate_python([{**message, 'parts': []}])


def _head(run: RunInfo) -> JsonObject:
    return {
        'id': run.run_id,
        'agent': run.agent,
        'status': status_of(run),
        'parent': run.parent_id,
        'base': run.base_id,
        'conversation': run.conversation_id,
        'begun': run.begun_at,
        'updated': run.updated_at,
        'steps': run.steps,
        'seq': run.last_seq,
        'prompt': '',
        'error': None,
        'output': '',
        'tokens': 0,
        'calls': 0,
        'cost': None,
        'models': [],
    }


async def trace_of(journal: Journal[Any], run_id: str) -> JsonObject:
    """Return what happened in a run.

    Raises:
        RunNotFound: The journal has no such run.
        RecordUnreadable: A record cannot be read.
    """

    def read() -> JsonObject:
        run = journal.store.get(run_id)
        if run is None:
            raise RunNotFound(f'The journal has no run {run_id!r}.')
        trace = _Tracer(run, history_of(journal.store, run_id)).trace()
        trace['children'] = _children(journal.store, run_id)
        trace['forks'] = [_head(one) for one in journal.store.find(RunFilter(base_id=run_id, limit=50))]
        return trace

    return await journal._recorder.call(read)  # pyright: ignore[reportPrivateUsage]


def _children(store: Store, run_id: str) -> list[JsonObject]:
    children: list[JsonObject] = []
    for run in store.find(RunFilter(parent_id=run_id, limit=MOST_CHILDREN)):
        records = store.read(run.run_id, limit=400)
        shown = _summary(run, records)
        with suppress(JournalError, IndexError, TypeError):
            shown['call'] = (records[0].data().get('parent') or [None, None])[1]
        children.append(shown)
    return children[::-1]


class _Tracer:
    """Reads records in order, and notes the steps with their times."""

    def __init__(self, run: RunInfo, records: Sequence[Record]) -> None:
        self._run = run
        self._state = RecordedRun()
        self._steps: list[JsonObject] = []
        self._lists: list[list[ModelMessage]] = []
        self._calls: dict[str, JsonObject] = {}
        self._acts = Acts()
        self._begun: float | None = None
        for record in records:
            self._take(record)

    def _take(self, record: Record) -> None:
        state = self._state
        fold([record], state)
        take = getattr(self, f'_take_{record.kind}', None)
        if take is not None:
            take(record)

    def _take_begun(self, record: Record) -> None:
        self._steps.clear()  # those of runs before, in the same conversation
        self._acts = Acts()
        self._begun = record.at

    def _take_resumed(self, record: Record) -> None:
        if self._steps and self._steps[-1]['responded'] is None:  # the request is put together again
            self._acts.drop(self._steps[-1]['step'])

    def _take_changed(self, record: Record) -> None:
        with suppress(JournalError, ValueError):  # it is only shown: a run is not lost for it
            self._acts.add(record.data())

    def _take_sent(self, record: Record) -> None:
        with suppress(JournalError, ValueError):
            self._acts.add_sent(record.data())

    def _take_request(self, record: Record) -> None:
        state = self._state
        if self._steps and self._steps[-1]['step'] == state.step:
            self._steps.pop()  # it was sent again by another process
        if not self._lists or self._lists[-1] is not state.messages:
            self._lists.append(state.messages)
        self._calls = {}
        is_shared = self._run.base_id is not None and record.seq <= self._run.base_seq
        self._steps.append(
            {
                'step': state.step,
                'seq': record.seq,
                'at': record.at,
                'shared': is_shared,
                'request': [len(self._lists) - 1, len(state.messages)],
                'response': None,
                'responded': None,
                'calls': [],
                'waits': [],
            }
        )

    def _take_edited(self, record: Record) -> None:
        self._take_response(record)

    def _take_response(self, record: Record) -> None:
        last = self._state.messages[-1] if self._state.messages else None
        if self._steps and isinstance(last, ModelResponse):
            if record.kind == 'response' and self._lists[-1] is not self._state.messages:  # hooks changed what was sent
                self._lists.append(self._state.messages)
                self._steps[-1]['after_hooks'] = [len(self._lists) - 1, len(self._state.messages) - 1]
            at = self._steps[-1]['responded'] if record.kind == 'edited' else record.at
            self._steps[-1].update(response_data(last, -1, at), response=last)
            self._calls = {call.tool_call_id: call_data(call, None) for call in last.tool_calls}
            self._steps[-1]['calls'] = [*self._calls.values()]

    def _take_calling(self, record: Record) -> None:
        body = record.data()
        if (call := self._calls.get(body['id'])) is not None:
            call['at'], call['effect'] = record.at, body['effect']
        elif self._steps and 'within' in body:
            outer = self._calls.get(body['within'][0])
            if outer is not None:
                outer.setdefault('inner', []).append({'tool': body['tool'], 'at': record.at, 'ended': None})

    def _take_returned(self, record: Record) -> None:
        outer = self._calls.get(record.data()['within'][0], {})
        for inner in outer.get('inner', ()):
            if inner['ended'] is None:
                inner['ended'] = record.at
                break

    def _take_progress(self, record: Record) -> None:
        body = record.data()
        if (call := self._calls.get(body['id'])) is not None and len(call['progress']) < _MOST_PROGRESS:
            call['progress'].append({'at': record.at, 'content': bounded(body.get('content'))})

    def _take_answered(self, record: Record) -> None:
        call_id = record.data()['id']
        call = self._calls.get(call_id) or self._calls.get(self._state.first_ids.get(call_id, ''))
        if call is not None:
            call['at'] = call['at'] or record.at
            note_answer(call, self._state.answers[call_id][0], record.at)

    def _take_waiting(self, record: Record) -> None:
        if self._steps:
            body = record.data()
            calls = [*body['calls'], *body['approvals']]
            waits = {'at': record.at, 'until': None, 'calls': calls, 'decided': None, 'by': None}
            self._steps[-1]['waits'].append(waits)

    def _take_decided(self, record: Record) -> None:
        if self._steps and self._steps[-1]['waits']:
            body = record.data()
            # What is answered from outside also says which outer calls can go on; what a capability decides does not.
            by = 'person' if 'again' in body else 'capability'
            self._steps[-1]['waits'][-1].update(until=record.at, decided=bounded(body.get('results')), by=by)

    def trace(self) -> JsonObject:
        """Return what was noted, with the messages as JSON data."""
        state = self._state
        if not self._lists or self._lists[-1] is not state.messages:
            self._lists.append(state.messages)
        numbers: dict[int, int] = {}
        table: list[ModelMessage] = []
        for messages in self._lists:
            for message in messages:
                if id(message) not in numbers:
                    numbers[id(message)] = len(table)
                    table.append(message)
        for step in self._steps:
            if isinstance(response := step['response'], ModelResponse):
                step['response'] = numbers.get(id(response))
        usage = state.usage
        own = state.messages[state.new_message_index :]
        requests = requests_of(state)
        trace: JsonObject = {
            'run': {
                **_head(self._run),
                'begun': self._run.begun_at if self._run.base_id is not None else self._begun or self._run.begun_at,
                'prompt': prompt_text(state.prompt) or first_prompt(own),
                'error': state.error,
                'output': bounded(state.output),
                'tokens': usage.input_tokens + usage.output_tokens,
                'calls': usage.tool_calls,
                'cost': price([message for message in own if isinstance(message, ModelResponse)]),
                'agent_digest': bounded(state.agent),
                'metadata': bounded(state.metadata),
            },
            'messages': shown_messages(table),
            'lists': [[numbers[id(message)] for message in messages] for messages in self._lists],
            'steps': self._steps,
            'waiting': [
                {
                    'kind': kind,
                    'id': call.tool_call_id,
                    'tool': call.tool_name,
                    'args': bounded(call.args_as_dict()),
                    'about': bounded(requests.metadata.get(call.tool_call_id)),
                    'digest': digest_of(call),
                }
                for kind, calls in (('approval', requests.approvals), ('result', requests.calls))
                for call in calls
            ]
            if requests is not None and self._run.status == 'waiting'
            else [],
        }
        self._acts.give_to(trace)
        return trace
