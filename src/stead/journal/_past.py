"""The past of runs: steps, forks, pruning, and runs as lines of text."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from pydantic_core import to_json

from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from .._kit.shown_arguments import question_about
from ..messages import ModelMessage, ModelResponse, ToolCallPart
from ..tools import DeferredToolRequests
from ..usage import RunUsage
from ._checks import check_history, imported_run
from ._encode import history_json
from ._errors import JournalError, RecordUnreadable, RunNotFound, WrongKey, naming
from ._fold import RecordedRun, fold, in_order, requests_in
from ._orders import orders_in
from ._recorder import Recorder
from ._store import ORDERS, Record, RunFilter, RunInfo, Store
from ._stored import history_of

Edit = Callable[[list[ModelMessage]], Sequence[ModelMessage]]
"""Returns another history to continue with, from a copy of the recorded one."""


@dataclass
class RecordedStep:
    """A step of a recorded run: a request, its response, and the calls of the response."""

    step: int
    """Its number."""
    at: float
    """When the request was sent, in seconds since 1970."""
    seq: int
    """The number of the record of its request."""
    history: list[ModelMessage] = field(repr=False)
    """A history that begins with that of the step; steps share it."""
    length: int
    """How many messages of it are those of the step."""
    response: ModelResponse | None = None
    """The response; `None` if it was not received."""
    usage: RunUsage | None = None
    """What the run had used after the response."""
    calls: list[str] | None = None
    """The tools that were started, by name, in order."""
    response_seq: int = 0
    """The number of the record of its response; 0 if it was not received."""

    @property
    def messages(self) -> list[ModelMessage]:
        """The history with the request."""
        return self.history[: self.length]


class Change(NamedTuple):
    """What is other in a fork."""

    edit: Edit | None = None
    """Returns another history."""
    calls: Mapping[str, JsonObject] | None = None
    """Other arguments of calls, by id."""
    by: str | None = None
    """The person who changes it."""


class WaitingRun(NamedTuple):
    """A run that waits for decisions."""

    run: RunInfo
    """The run."""
    requests: DeferredToolRequests
    """The calls that wait, with what their tools say of them."""
    path: tuple[tuple[str, str], ...] = ()
    """The runs and calls that the run is inside of, the outermost first."""
    within: Mapping[str, str] = {}
    """The calls of the model whose tools would make the calls that wait, by the ids of these; without other calls."""
    error: JournalError | None = None
    """Why it cannot be read, if it cannot; then it is not known what it waits for."""

    def question(self, call_id: str) -> str:
        """Return the question whether a call may be made, for a message to the person who decides.

        It has all of the arguments that the tool would get. Characters that cannot be seen, and keys that occur twice, are
        marked.

        Raises:
            JournalError: The run does not wait for an approval of this call.
        """
        for call in self.requests.approvals:
            if call.tool_call_id == call_id:
                return question_about(call)
        raise JournalError(f'Run {self.run.run_id!r} does not wait for an approval of {short_repr(call_id)}.')


def steps_of(records: Iterable[Record]) -> list[RecordedStep]:
    """Return the steps of a run."""
    steps: list[RecordedStep] = []
    state = RecordedRun()
    for record in in_order(records):
        state = fold([record], state)
        if record.kind == 'request':
            if steps and steps[-1].step == state.step:
                steps.pop()  # it was sent again by another process
            steps.append(RecordedStep(state.step, record.at, record.seq, state.messages, len(state.messages), calls=[]))
        elif steps and record.kind == 'response' and isinstance(last := state.messages[-1], ModelResponse):
            steps[-1].response, steps[-1].usage = last, replace(state.usage)
            steps[-1].response_seq = record.seq
        elif steps and record.kind == 'edited' and isinstance(last := state.messages[-1], ModelResponse):
            steps[-1].history, steps[-1].response, steps[-1].response_seq = state.messages, last, record.seq
        elif steps and record.kind == 'calling':
            tool = record.data()['tool']
            calls = steps[-1].calls
            if calls is not None:
                calls.append(tool)
    return steps


def fork(recorder: Recorder[Any], run_id: str, at: int | None, change: Change = Change()) -> str:
    """Add a run that shares the past of another one, and return its id; call it in the thread of the store."""
    store = recorder.store
    base = store.get(run_id)
    if base is None:
        raise RunNotFound(f'The journal has no run {short_repr(run_id)}.')
    with naming(run_id):
        records = recorder.history(run_id)
        places = requests_in(records)
    if not places and store.get(run_id) is None:
        raise RunNotFound(f'Run {short_repr(run_id)} was deleted while it was forked.')
    if not places:
        raise JournalError(f'Run {run_id!r} has not sent a request, so there is nothing to fork.')
    number = max(places) if at is None else at
    if number not in places:
        raise JournalError(f'Run {run_id!r} has no step {number}; its steps are {min(places)} to {max(places)}.')
    # What came after the step is not read: the fork does not share it.
    place = places[number]
    end = next((n for n in range(place + 1, len(records)) if records[n].kind == 'request'), len(records))
    with naming(run_id):
        step = steps_of(records[:end])[-1]
    first: list[Record] = []
    last_seq = step.seq
    if change.calls is not None:
        last_seq = step.response_seq
        first.append(_with_calls(step, change.calls, change.by))
    elif change.edit is not None:
        first.append(edited(step.seq + 1, step.messages, change.edit, to_send=True, by=change.by))
    now = time.time()
    new = RunInfo(
        run_id=uuid7_str(),
        agent=base.agent,
        begun_at=now,
        updated_at=now,
        steps=number,
        base_id=run_id,
        base_seq=last_seq,
        last_seq=last_seq + len(first),
    )
    recorder.writer.create(new, first)
    if store.get(run_id) is None:  # it was pruned meanwhile
        store.delete([new.run_id])
        raise RunNotFound(f'Run {short_repr(run_id)} was deleted while it was forked.')
    return new.run_id


def _with_calls(step: RecordedStep, calls: Mapping[str, JsonObject], by: str | None) -> Record:
    """Return the record of a response whose calls have other arguments.

    Raises:
        JournalError: The response has no such call.
    """
    response = step.response
    known = [call.tool_call_id for call in response.tool_calls] if response is not None else []
    if response is None or not calls.keys() <= set(known):
        raise JournalError(f'The response of step {step.step} has the calls {known}, not {sorted(calls)}.')
    parts = [
        replace(part, args=dict(calls[part.tool_call_id]))
        if isinstance(part, ToolCallPart) and part.tool_call_id in calls
        else part
        for part in response.parts
    ]
    metadata = {**(response.metadata or {}), 'edited': {'calls': sorted(calls), 'by': by}}
    # A provider that keeps the response knows it with other arguments.
    changed = replace(response, parts=parts, metadata=metadata, provider_response_id=None)
    before = [*step.messages, response]
    pieces = [
        b'"history":' + history_json(before, [*step.messages, changed], {}),
        b'"calls":' + to_json(sorted(calls)),
        b'"by":' + to_json(by),
    ]
    return Record(step.response_seq + 1, 'edited', time.time(), b'{' + b','.join(pieces) + b'}')


def edited(
    seq: int,
    messages: list[ModelMessage],
    edit: Edit,
    *,
    to_send: bool = False,
    by: str | None = None,
    decided: Mapping[str, Any] | None = None,
) -> Record:
    """Return the record of a history that was edited.

    Args:
        seq: The number of the record.
        messages: The history.
        edit: Returns another one, from a copy.
        to_send: Whether its end is sent to a model next.
        by: The person who edits it.
        decided: Calls that people have decided about; see `RecordedRun.decided`. Those of the new history are recorded.

    Raises:
        UserError: That is not a history.
    """
    copies = deepcopy(messages)
    before = {id(copy): message for copy, message in zip(copies, messages)}
    # What was not changed is not written again; the function may change the messages themselves.
    after = [
        message if (message := before.get(id(one))) == one and message is not None else one
        for one in check_history(edit(list(copies)), to_send=to_send)
    ]
    more = b',"by":' + to_json(by) if by is not None else b''
    if decided:
        calls = {
            call.tool_call_id for message in after if isinstance(message, ModelResponse) for call in message.tool_calls
        }
        more += b',"decided":' + to_json({call_id: args for call_id, args in decided.items() if call_id in calls})
    return Record(seq, 'edited', time.time(), b'{"history":' + history_json(messages, after, {}) + more + b'}')


async def followed(
    recorder: Recorder[Any], records: list[Record], run_id: str, after: int, pause: float, until_abandoned: bool
) -> AsyncIterator[Record]:
    """Yield the records of a run until it ends or waits.

    Args:
        recorder: What reads them.
        records: Those that there are, with those of its past.
        run_id: The run.
        after: The number of the last record to leave out.
        pause: How long to wait before looking again, in seconds.
        until_abandoned: Whether to end, too, when no process works on it.
    """
    while True:
        for record in records:
            if record.seq > after:
                after = record.seq
                yield record
        info = await recorder.call(lambda: recorder.store.get(run_id))
        if info is None or (
            after >= info.last_seq and (info.status != 'running' or (until_abandoned and info.is_abandoned))
        ):
            return
        await asyncio.sleep(pause)
        records = await recorder.call(lambda last=after: recorder.store.read(run_id, last))


async def waiting_of(recorder: Recorder[Any], runs: Sequence[RunInfo]) -> list[WaitingRun]:
    """Return the runs that wait for decisions themselves, and not only for a run inside of them.

    One that cannot be read is among them, with the error. One whose outermost run has ended is not: nothing asks for it any more.

    Args:
        recorder: What reads them.
        runs: Runs that wait.
    """
    store = recorder.store

    def read(run_id: str) -> tuple[RecordedRun | None, bool]:
        info = store.get(run_id)
        return None if info is None else fold(history_of(store, run_id)), info is not None and info.status == 'done'

    found: list[WaitingRun] = []
    for info in runs:
        path: list[tuple[str, str]] = []
        try:
            state, is_over = await recorder.call(lambda run_id=info.run_id: read(run_id))
            if state is None or (requests := state.requests()) is None:
                continue
            outer = state
            while outer is not None and outer.parent is not None and outer.parent not in path:
                path.insert(0, outer.parent)
                outer, is_over = await recorder.call(lambda run_id=outer.parent[0]: read(run_id))
        except (RecordUnreadable, WrongKey) as error:
            error = type(error)(f'Run {info.run_id!r} waits, and cannot be read. {error}')
            found.append(WaitingRun(info, DeferredToolRequests(), tuple(path), error=error))
            continue
        if not is_over:
            questions = state.questions
            within = {
                asked.call.tool_call_id: questions.id_now(place[0])
                for place, asked in questions.asking(state.decisions).items()
            }
            found.append(WaitingRun(info, requests, tuple(path), within))
    return found


def tree_of(store: Store, run: RunInfo) -> list[RunInfo]:
    """Return a run and those inside of it, each after the one that it is inside of; call it in the thread of the store."""
    found, known = [run], {run.run_id}
    for outer in found:  # the list grows
        place: tuple[float, str] | None = None
        while page := store.find(RunFilter(parent_id=outer.run_id, before=place, limit=500)):
            found += [inner for inner in page if inner.run_id not in known]
            known.update(inner.run_id for inner in page)
            place = page[-1].begun_at, page[-1].run_id
    return found


def root_of(store: Store, run: RunInfo) -> RunInfo:
    """Return the outermost run that a run is inside of, as far as the store has them; call it in the thread of the store."""
    known = {run.run_id}
    while run.parent_id is not None and run.parent_id not in known:
        outer = store.get(run.parent_id)
        if outer is None:
            break
        known.add(outer.run_id)
        run = outer
    return run


def prune(recorder: Recorder[Any], older_than: float, keep: int) -> int:
    """Delete runs that have ended, with those inside of them, and return how many; call it in the thread of the store."""
    store, now = recorder.store, time.time()
    over: list[RunInfo] = []
    for status in ('done', 'failed'):
        place: tuple[float, str] | None = None
        while found := store.find(RunFilter(status=status, updated_before=now - older_than, before=place, limit=500)):
            over += [run for run in found if run.conversation_id != ORDERS]
            place = found[-1].begun_at, found[-1].run_id
    over.sort(key=lambda run: (run.begun_at, run.run_id), reverse=True)
    kept = {run.run_id for run in over[:keep]}
    trees: list[list[str]] = []
    for run in over:
        if run.run_id in kept or root_of(store, run).run_id != run.run_id:
            continue  # a run inside of another one goes with it: that may stand on what it did, as long as it is there
        ids = [one.run_id for one in tree_of(store, run)]
        if not kept.intersection(ids):
            trees.append(ids)
    # Others begin runs meanwhile, which continue from these: so the store looks again, and deletes in the same step.
    deleted = sum(store.delete_unused(trees[place : place + 100], now) for place in range(0, len(trees), 100))
    store.delete([order.entry_id for order in orders_in(store) if store.get(order.run_id) is None])
    return deleted


async def export(recorder: Recorder[Any], run_ids: Sequence[str] | None) -> AsyncIterator[str]:
    """Yield a line of JSON for each run; if runs are named, for all that they continue or are inside of, and those inside.

    Raises:
        RecordUnreadable: Some runs could not be read. It comes after the lines of all others.
    """

    def line(run: RunInfo) -> str:
        records = [
            {'seq': record.seq, 'kind': record.kind, 'at': record.at, 'body': base64.b64encode(record.body).decode()}
            for record in recorder.store.read(run.run_id)
        ]
        data = {name: value for name, value in asdict(run).items() if name not in ('token', 'holder', 'lease_until')}
        return json.dumps({'run': data, 'records': records})

    errors: list[str] = []
    outer: set[str] = set()
    async for run in _to_export(recorder, run_ids):
        try:
            if run.run_id in outer:
                raise RecordUnreadable(
                    f'Run {run.run_id!r} would do again what a run inside of it did that cannot be read.'
                )
            with naming(run.run_id):
                text = await recorder.call(lambda run=run: line(run))
        except (RecordUnreadable, WrongKey) as error:
            errors.append(str(error))
            if run.parent_id is not None:
                outer.add(run.parent_id)
        else:
            yield text
    if errors:
        more = f' (and {len(errors) - _MOST_NAMED} more)' if len(errors) > _MOST_NAMED else ''
        raise RecordUnreadable(
            f'{len(errors)} runs were not exported, and all others were. {" ".join(errors[:_MOST_NAMED])}{more}'
        )


_MOST_NAMED = 10
"""How many runs the error of an export names."""


async def _to_export(recorder: Recorder[Any], run_ids: Sequence[str] | None) -> AsyncIterator[RunInfo]:
    """Yield runs, each after those inside of it."""

    def page(before: tuple[float, str] | None) -> list[RunInfo]:
        return recorder.store.find(RunFilter(before=before, limit=100))

    if run_ids is not None:
        written: set[str] = set()
        trees: dict[str, None] = {}
        for run_id in run_ids:
            trees.update(dict.fromkeys(await recorder.call(lambda run_id=run_id: _whole(recorder.store, run_id))))
        for run_id in reversed(trees):
            chain: list[RunInfo] = []
            next_id: str | None = run_id
            while next_id is not None and next_id not in written:
                run = await recorder.call(lambda next_id=next_id: recorder.store.get(next_id))
                if run is None:
                    raise RunNotFound(f'The journal has no run {short_repr(next_id)}.')
                chain.append(run)
                next_id = run.base_id
            for run in reversed(chain):
                written.add(run.run_id)
                yield run
        return
    place: tuple[float, str] | None = None
    while found := await recorder.call(lambda place=place: page(place)):
        for run in found:
            yield run
        place = found[-1].begun_at, found[-1].run_id


def _whole(store: Store, run_id: str) -> list[str]:
    """Return the ids of the runs of the tree that a run is in; call it in the thread of the store."""
    run = store.get(run_id)
    if run is None:
        raise RunNotFound(f'The journal has no run {short_repr(run_id)}.')
    return [one.run_id for one in tree_of(store, root_of(store, run))]


def _check_circles(store: Store, run: RunInfo) -> None:
    """Raise `ValueError` if a run would continue from itself, or be inside of itself; call it in the thread of the store."""
    for name in ('base_id', 'parent_id'):
        known, next_id = {run.run_id}, getattr(run, name)
        while next_id is not None:
            if next_id in known:
                raise ValueError(f'its `{name}` leads back to run {next_id!r}')
            known.add(next_id)
            other = store.get(next_id)
            next_id = getattr(other, name) if other is not None else None


def import_line(recorder: Recorder[Any], line: str) -> bool:
    """Add a run from a line of `export`, and return whether it is new; call it in the thread of the store.

    Raises:
        JournalError: The line is not one of `export`.
    """
    try:
        data = json.loads(line)
        records = [
            Record(item['seq'], item['kind'], item['at'], base64.b64decode(item['body'], validate=True))
            for item in data['records']
        ]
        run = imported_run(data['run'], records)
        _check_circles(recorder.store, run)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise JournalError(f'A line cannot be read as a run: {error!r}. Pass what `export` wrote.') from error
    if recorder.store.get(run.run_id) is not None:
        return False
    if recorder.writer.create(run, records).run_id != run.run_id:
        # Another run has its key or its turn: that one was there first.
        recorder.writer.create(replace(run, key=None, turn=None), records)
    return True
