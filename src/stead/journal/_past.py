"""The past of runs: their steps, forks, what is kept, and runs as lines of text."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from .._kit.ids import uuid7_str
from ..messages import ModelMessage, ModelResponse
from ..tools import DeferredToolRequests
from ..usage import RunUsage
from ._checks import check_history, imported_run
from ._encode import history_json
from ._errors import JournalError, RunNotFound
from ._fold import RecordedRun, fold
from ._recorder import Recorder
from ._store import Record, RunFilter, RunInfo

Edit = Callable[[list[ModelMessage]], Sequence[ModelMessage]]
"""Returns another history to go on with, from a copy of the recorded one."""


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

    @property
    def messages(self) -> list[ModelMessage]:
        """The history with the request."""
        return self.history[: self.length]


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


def steps_of(records: Iterable[Record]) -> list[RecordedStep]:
    """Return the steps of a run."""
    steps: list[RecordedStep] = []
    state = RecordedRun()
    for record in records:
        fold([record], state)
        if record.kind == 'request':
            if steps and steps[-1].step == state.step:
                steps.pop()  # it was sent again by another process
            steps.append(RecordedStep(state.step, record.at, record.seq, state.messages, len(state.messages), calls=[]))
        elif steps and record.kind == 'response' and isinstance(last := state.messages[-1], ModelResponse):
            steps[-1].response, steps[-1].usage = last, replace(state.usage)
        elif steps and record.kind == 'calling':
            tool = record.data()['tool']
            calls = steps[-1].calls
            if calls is not None:
                calls.append(tool)
    return steps


def fork(recorder: Recorder[Any], run_id: str, at: int | None, edit: Edit | None) -> str:
    """Add a run that shares the past of another one, and return its id; call it in the thread of the store."""
    store = recorder.store
    base = store.get(run_id)
    if base is None:
        raise RunNotFound(f'The journal has no run {run_id!r}.')
    records = recorder.history(run_id)
    steps = {step.step: step for step in steps_of(records)}
    if not steps:
        raise JournalError(f'Run {run_id!r} has not sent a request, so there is nothing to fork.')
    number = max(steps) if at is None else at
    if number not in steps:
        raise JournalError(f'Run {run_id!r} has no step {number}; its steps are {min(steps)} to {max(steps)}.')
    step = steps[number]
    now = time.time()
    new = RunInfo(
        run_id=uuid7_str(),
        agent=base.agent,
        conversation_id=base.conversation_id,
        begun_at=now,
        updated_at=now,
        steps=number,
        base_id=run_id,
        base_seq=step.seq,
        last_seq=step.seq,
    )
    first: list[Record] = []
    if edit is not None:
        first.append(edited(step.seq + 1, step.messages, edit, to_send=True))
        new.last_seq += 1
    recorder.writer.create(new, first)
    return new.run_id


def edited(seq: int, messages: list[ModelMessage], edit: Edit, *, to_send: bool = False) -> Record:
    """Return the record of a history that was edited.

    Args:
        seq: The number of the record.
        messages: The history.
        edit: Returns another one, from a copy.
        to_send: Whether its end is sent to a model next.

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
    return Record(seq, 'edited', time.time(), b'{"history":' + history_json(messages, after, {}) + b'}')


def prune(recorder: Recorder[Any], older_than: float, keep: int) -> int:
    """Delete runs that are over, and return how many; call it in the thread of the store."""
    store = recorder.store
    before = time.time() - older_than
    over: list[RunInfo] = []
    for status in ('done', 'failed'):
        place: tuple[float, str] | None = None
        while found := store.find(RunFilter(status=status, updated_before=before, before=place, limit=500)):
            over.extend(found)
            place = found[-1].begun_at, found[-1].run_id
    over.sort(key=lambda run: (run.begun_at, run.run_id), reverse=True)
    wanted = [run for run in over[keep:] if not store.find(RunFilter(base_id=run.run_id, limit=1))]
    kept = {run.run_id for run in over} - {run.run_id for run in wanted}
    # A run inside of another one goes with it: the outer one cannot be resumed without it.
    gone = [run.run_id for run in wanted if run.parent_id is None or run.parent_id not in kept]
    return store.delete(gone)


async def export(recorder: Recorder[Any], run_ids: Sequence[str] | None) -> AsyncIterator[str]:
    """Yield a line of JSON for each run."""

    def page(before: tuple[float, str] | None) -> list[RunInfo]:
        return recorder.store.find(RunFilter(before=before, limit=100))

    def line(run: RunInfo) -> str:
        records = [
            {'seq': record.seq, 'kind': record.kind, 'at': record.at, 'body': base64.b64encode(record.body).decode()}
            for record in recorder.store.read(run.run_id)
        ]
        data = {name: value for name, value in asdict(run).items() if name not in ('token', 'holder', 'lease_until')}
        return json.dumps({'run': data, 'records': records})

    if run_ids is not None:
        for run_id in run_ids:
            run = await recorder.call(lambda run_id=run_id: recorder.store.get(run_id))
            if run is None:
                raise RunNotFound(f'The journal has no run {run_id!r}.')
            yield await recorder.call(lambda run=run: line(run))
        return
    place: tuple[float, str] | None = None
    while found := await recorder.call(lambda place=place: page(place)):
        for run in found:
            yield await recorder.call(lambda run=run: line(run))
        place = found[-1].begun_at, found[-1].run_id


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
    except (KeyError, TypeError, ValueError) as error:
        raise JournalError(f'A line cannot be read as a run: {error!r}. Pass what `export` wrote.') from error
    if recorder.store.get(run.run_id) is not None:
        return False
    recorder.writer.create(run, records)
    return True
