"""`Tracer`: turns the records of a run into plain data, all of them or the new ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast
from uuid import uuid4

from .._kit.json_types import JsonObject
from .._kit.shown_arguments import shown_arguments
from .._show.changes import Acts
from .._show.timelines import (
    bounded,
    call_data,
    first_prompt,
    note_answer,
    price,
    prompt_text,
    response_data,
    shown_messages,
)
from ..messages import ModelMessage, ModelRequest, ModelResponse, questions_in
from ._errors import JournalError
from ._fold import RecordedRun, fold, in_order
from ._store import Record, RunInfo

ENDED_BY: dict[object, str] = {'GivenUp': 'stopped', 'RunCancelled': 'cancelled'}
"""How runs stand that are stored as failed, by the type of their error."""
_MOST_PROGRESS = 50
_MOST_MARKS = 64
"""How many earlier looks are known; who looked last before them gets everything again."""
_MOST_PRICED = 100
"""How many responses are priced before a run is shown for the first time; a thousand would take a quarter of a second."""


class _Mark(NamedTuple):
    """How far the tables went when someone looked."""

    messages: int
    lists: int
    last_list: int
    """How many messages the last of the lists had."""
    acts: int
    sent: int


class Tracer:
    """Reads records in order, and notes the steps with their times.

    What it noted has a version, the number of times it was brought up to date; so it can tell what is new since one of them.
    """

    def __init__(self, run: RunInfo, records: Sequence[Record], around: JsonObject, *, price_all: bool = True) -> None:
        """Read a run.

        Args:
            run: The run.
            records: Its records, with those that it shares with the run that it was forked from.
            around: What else a page shows of the run, by name; see `update`.
            price_all: Whether to price all responses at once. Otherwise, those of a long run are priced by the next `update`.

        Raises:
            RecordUnreadable: A record cannot be read.
        """
        self.id: str = uuid4().hex[:12]
        """Tells this one from others of the same run, whose versions count something else."""
        self.version: int = 0
        """How many times it was brought up to date."""
        self.last_seq: int = 0
        """The number of the last record that it has read."""
        self._run = run
        self._state = RecordedRun()
        self._steps: list[JsonObject] = []
        self._lists: list[list[ModelMessage]] = []
        self._calls: dict[str, JsonObject] = {}
        self._acts = Acts()
        self._begun: float | None = None
        self._table: list[ModelMessage] = []
        self._numbers: dict[int, int] = {}
        self._numbered: list[int] = []
        """How many messages of each list are in the table."""
        self._growing: int = 0
        """The first list that may have messages which are not in the table: those before it stay as they are."""
        self._prices: dict[int, float | None] = {}
        self._unpriced: list[tuple[JsonObject, ModelResponse]] = []
        """Steps whose response has no price yet."""
        self._shown: dict[str, tuple[object, int]] = {}
        """What is shown apart from the tables, and the version in which it became so."""
        self._changed: dict[tuple[int, str], int] = {}
        """The version in which a step (with no call), or a call of it, changed last."""
        self._altered: dict[int, int] = {}
        """The version in which a message was altered that was known before."""
        self._marks: dict[int, _Mark] = {}
        self.update(run, records, around, None if price_all else _MOST_PRICED)

    @property
    def is_priced(self) -> bool:
        """Whether all responses have been priced."""
        return not self._unpriced

    def update(
        self, run: RunInfo, records: Sequence[Record], around: JsonObject, most_priced: int | None = None
    ) -> None:
        """Take what has come since.

        Args:
            run: The run as it stands now.
            records: Its new records.
            around: What else a page shows of the run, by name. A value that is a mapping is compared by its keys.
            most_priced: How many responses to price, at most.

        Raises:
            RecordUnreadable: A record cannot be read. The tracer cannot be used after that.
        """
        self._run = run
        self.version += 1
        for record in in_order(records):
            self._take(record)
        self._note_list()
        self._number()
        is_new = bool(records) or not self.is_priced
        self._price(most_priced)
        for name, value in {**_flat(around), **self._facts()}.items():
            before = self._shown.get(name)
            if before is None or before[0] != value:
                self._shown[name] = value, self.version
                is_new = True
        if not is_new and self._marks:
            self.version -= 1
            return
        acts, sent = self._acts.sizes()
        lists = self._lists
        self._marks[self.version] = _Mark(len(self._table), len(lists), len(lists[-1]) if lists else 0, acts, sent)
        if len(self._marks) > _MOST_MARKS:
            del self._marks[next(iter(self._marks))]

    def _take(self, record: Record) -> None:
        self._state = fold([record], self._state)
        self.last_seq = record.seq
        take = getattr(self, f'_take_{record.kind}', None)
        if take is not None:
            self._touch()
            take(record)
            self._touch()

    def _touch(self, step: int | None = None, call: JsonObject | None = None) -> None:
        """Note that a step has changed, the last one by default, or a call of the last one."""
        if self._steps:
            number = self._steps[-1]['step'] if step is None else step
            self._changed[number, ''] = self.version
            if call is not None:
                self._changed[number, call['id']] = self.version

    def _forget_marks(self) -> None:
        """Let everyone get everything again: what is new is not only more of the same."""
        self._marks.clear()

    def _take_begun(self, record: Record) -> None:
        if self._steps:
            self._forget_marks()
        self._steps.clear()  # those of runs before, in the same conversation
        self._changed.clear()
        self._acts = Acts()
        self._begun = record.at

    def _take_resumed(self, record: Record) -> None:
        if self._steps and self._steps[-1]['responded'] is None:  # the request is put together again
            self._acts.drop(self._steps[-1]['step'])

    def _take_changed(self, record: Record) -> None:
        with suppress(JournalError, ValueError):  # it is only shown: a run is not lost for it
            data = record.data()
            self._acts.add(data)
            self._touch_place(data)

    def _take_sent(self, record: Record) -> None:
        with suppress(JournalError, ValueError):
            data = record.data()
            self._acts.add_sent(data)
            self._touch_place(data)

    def _touch_place(self, data: Mapping[str, Any]) -> None:
        if self._steps:  # what was done before the first step is shown with it
            self._touch(int(data['step']) or self._steps[0]['step'])

    def _take_ended(self, record: Record) -> None:
        """Note answers to calls of outputs, which have no records of their own but come with the next request, or the end."""
        last = self._state.messages[-1] if self._state.messages else None
        for part in last.parts if isinstance(last, ModelRequest) else ():
            call = self._calls.get(getattr(part, 'tool_call_id', ''))
            if call is not None and call['outcome'] is None:
                call['at'] = call['at'] or self._steps[-1]['responded']
                note_answer(call, part, record.at)
                self._touch(call=call)
        begun = [call for call in self._calls.values() if call['at'] is not None and call['outcome'] is None]
        error: JsonObject = self._state.error or {}
        if (
            record.kind == 'ended'
            and len(begun) == 1
            and self._state.how == 'failed'
            and error.get('type') not in ENDED_BY
        ):
            text = f'{error.get("type")}: {error.get("message")}'
            begun[0].update(outcome='failed', ended=record.at, result=text)  # of several, it is not known which one
            self._touch(call=begun[0])

    def _take_request(self, record: Record) -> None:
        self._take_ended(record)
        state = self._state
        if self._steps and self._steps[-1]['step'] == state.step:
            self._steps.pop()  # it was sent again by another process
            self._forget_marks()
        self._note_list()
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
        self._forget_marks()

    def _take_response(self, record: Record) -> None:
        last = self._state.messages[-1] if self._state.messages else None
        if self._steps and isinstance(last, ModelResponse):
            if self._steps[-1]['responded'] is not None:
                self._forget_marks()
            if record.kind == 'response' and self._lists[-1] is not self._state.messages:  # hooks changed what was sent
                self._note_list()
                self._steps[-1]['after_hooks'] = [len(self._lists) - 1, len(self._state.messages) - 1]
            at: Any = self._steps[-1]['responded'] if record.kind == 'edited' else record.at
            self._steps[-1].update(response_data(last, -1, at), response=last)
            self._unpriced.append((self._steps[-1], last))
            self._calls = {call.tool_call_id: call_data(call, None) for call in last.tool_calls}
            self._steps[-1]['calls'] = [*self._calls.values()]
            for call in self._calls.values():
                self._touch(call=call)

    def _take_calling(self, record: Record) -> None:
        body = record.data()
        if (call := self._call(body['id'])) is not None:
            call['at'], call['effect'] = record.at, body['effect']
            self._touch(call=call)
        elif self._steps and 'within' in body:
            outer = self._call(body['within'][0])
            if outer is not None:
                outer.setdefault('inner', []).append({'tool': body['tool'], 'at': record.at, 'ended': None})
                self._touch(call=outer)

    def _take_returned(self, record: Record) -> None:
        outer = self._call(record.data()['within'][0])
        for inner in outer.get('inner', ()) if outer is not None else ():
            if inner['ended'] is None:
                inner['ended'] = record.at
                self._touch(call=outer)
                break

    def _take_progress(self, record: Record) -> None:
        body = record.data()
        if (call := self._call(body['id'])) is not None and len(call['progress']) < _MOST_PROGRESS:
            call['progress'].append({'at': record.at, 'content': bounded(body.get('content'))})
            self._touch(call=call)

    def _take_answered(self, record: Record) -> None:
        call_id = record.data()['id']
        if (call := self._call(call_id)) is not None:
            call['at'] = call['at'] or record.at
            note_answer(call, self._state.answers[call_id][0], record.at)
            self._touch(call=call)

    def _call(self, call_id: str) -> JsonObject | None:
        """Return a call of the last response, which may have got another id when it was asked about."""
        return self._calls.get(call_id) or self._calls.get(self._state.questions.first_ids.get(call_id, ''))

    def _take_waiting(self, record: Record) -> None:
        if self._steps:
            body = record.data()
            calls = [*body['calls'], *body['approvals']]
            waits = {'at': record.at, 'until': None, 'calls': calls, 'decided': None, 'by': None}
            self._steps[-1]['waits'].append(waits)
        self._note_altered()

    def _note_altered(self) -> None:
        """Note that the calls of the last message may have other ids now."""
        last = self._state.messages[-1] if self._state.messages else None
        if (number := self._numbers.get(id(last))) is not None:
            self._altered[number] = self.version

    def _take_decided(self, record: Record) -> None:
        self._note_altered()
        if self._steps and self._steps[-1]['waits']:
            body = record.data()
            # What is answered from outside also says which outer calls can continue; what a capability decides does not.
            by = 'person' if 'again' in body else 'capability'
            self._steps[-1]['waits'][-1].update(until=record.at, decided=bounded(body.get('results')), by=by)

    # What was noted

    def _note_list(self) -> None:
        if not self._lists or self._lists[-1] is not self._state.messages:
            self._lists.append(self._state.messages)
            self._numbered.append(0)

    def _number(self) -> None:
        """Put the messages into the table that are not there. Only the last list grows, so the table does so at its end."""
        for place in range(self._growing, len(self._lists)):
            messages = self._lists[place]
            for message in messages[self._numbered[place] :]:
                if id(message) not in self._numbers:
                    self._numbers[id(message)] = len(self._table)
                    self._table.append(message)
            self._numbered[place] = len(messages)
        self._growing = max(len(self._lists) - 1, 0)

    def _facts(self) -> JsonObject:
        """Return what is shown of the run apart from the tables: what it waits for, and what its head says."""
        state = self._state
        own = state.messages[state.new_message_index :]
        usage, requests = state.usage, state.requests()
        asked = {} if requests is None else questions_in(requests)
        return {
            'run.begun': self._run.begun_at if self._run.base_id is not None else self._begun or self._run.begun_at,
            'run.prompt': prompt_text(state.prompt) or first_prompt(own),
            'run.error': bounded(state.error),
            'run.output': bounded(state.output),
            'run.tokens': usage.input_tokens + usage.output_tokens,
            'run.calls': usage.tool_calls,
            'run.cost': self._cost(own),
            'run.agent_digest': bounded(state.agent),
            'run.metadata': bounded(state.metadata),
            'waiting': [
                {
                    'kind': kind,
                    'id': call.tool_call_id,
                    'tool': call.tool_name,
                    'args': call.args_as_dict(),  # whole: a person decides about them, or changes them
                    'shown': shown_arguments(call)._asdict(),
                    'about': bounded(requests.metadata.get(call.tool_call_id)),
                    'digest': asked[call.tool_call_id],
                }
                for kind, calls in (('approval', requests.approvals), ('result', requests.calls))
                for call in calls
            ]
            if requests is not None and self._run.status == 'waiting'
            else [],
        }

    def _price(self, most: int | None) -> None:
        """Price the responses of steps."""
        for step, response in self._unpriced[:most]:
            step['cost'] = self._prices[id(response)] = price([response])
            self._touch(step['step'])
        del self._unpriced[:most]

    def _cost(self, messages: Iterable[ModelMessage]) -> float | None:
        """Return what responses cost; each is priced once."""
        if not self.is_priced:
            return None
        total = 0.0
        for message in messages:
            if isinstance(message, ModelResponse):
                if id(message) not in self._prices:
                    self._prices[id(message)] = price([message])
                cost = self._prices[id(message)]
                if cost is None:
                    return None
                total += cost
        return round(total, 12)

    def _shown_steps(self) -> list[JsonObject]:
        """Return the steps as pages read them."""
        steps: list[JsonObject] = []
        for step in self._steps:
            response = step['response']
            number = self._numbers.get(id(response)) if isinstance(response, ModelResponse) else None
            # Copies: a page is written from them while the next one who looks brings the run up to date.
            steps.append({**step, 'response': number, 'calls': [dict(call) for call in step['calls']]})
        return steps

    def trace(self) -> JsonObject:
        """Return all that was noted, with the messages as JSON data."""
        shown = _nested({name: value for name, (value, _) in self._shown.items()})
        trace: JsonObject = {
            **shown,
            'children': [*shown.get('children', {}).values()],
            'messages': shown_messages(self._table),
            'lists': [[self._numbers[id(message)] for message in messages] for messages in self._lists],
            'steps': self._shown_steps(),
        }
        self._acts.give_to(trace)
        return trace

    def news(self, version: int) -> JsonObject | None:
        """Return what is new since a version; `None` if that is no longer known.

        Returns:
            Data like those of `trace`, with what is new or changed in them only. `messages` are by their numbers in the table;
            `lists` say from which message on they continue; `steps` have the calls that are new or changed; `acts` and `sent` go
            on where they ended.
        """
        mark = self._marks.get(version)
        if mark is None:
            return None
        shown = {name: value for name, (value, at) in self._shown.items() if at > version}
        numbers = [number for number, at in self._altered.items() if at > version and number < mark.messages]
        numbers += range(mark.messages, len(self._table))
        messages = shown_messages([self._table[number] for number in numbers])
        lists: JsonObject = {}
        for place in range(max(mark.lists - 1, 0), len(self._lists)):
            since = mark.last_list if place == mark.lists - 1 else 0
            more = [self._numbers[id(message)] for message in self._lists[place][since:]]
            if more or place >= mark.lists:
                lists[str(place)] = {'from': since, 'more': more}
        trace: JsonObject = {'steps': self._shown_steps()}
        self._acts.give_to(trace)
        steps = [step for step in trace['steps'] if self._changed.get((step['step'], ''), 0) > version]
        for step in steps:
            step['calls'] = [
                call for call in step['calls'] if self._changed.get((step['step'], call['id']), 0) > version
            ]
        return {
            **_nested(shown),
            'messages': dict(zip(map(str, numbers), messages)),
            'lists': lists,
            'steps': steps,
            **{
                name: trace[name][since:] for name, since in (('acts', mark.acts), ('sent', mark.sent)) if name in trace
            },
        }


def _flat(around: JsonObject) -> JsonObject:
    """Return mappings in a mapping as entries of their own, so that each is compared by itself."""
    flat: JsonObject = {}
    for name, value in around.items():
        if isinstance(value, dict):
            for key, item in cast('JsonObject', value).items():
                flat[f'{name}.{key}'] = item
        else:
            flat[name] = value
    return flat


def _nested(flat: JsonObject) -> JsonObject:
    """Return what `_flat` took apart. The names before a dot are fixed, those after it are ids, which may have dots."""
    nested: JsonObject = {}
    for name, value in flat.items():
        first, dot, key = name.partition('.')
        if dot:
            nested.setdefault(first, {})[key] = value
        else:
            nested[name] = value
    return nested
