"""Recorded runs as plain data for pages: lists of runs, and the steps of one."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from pydantic_core import to_json
from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from .._show.timelines import brief, price, prompt_text
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from ._checks import check_run_id
from ._errors import JournalError, RunNotFound, naming
from ._journal import Journal
from ._store import Record, RunFilter, RunInfo, Store
from ._stored import history_of
from ._tracer import ENDED_BY, Tracer

MOST_CHILDREN = 200
_MOST_BASES = 50
_MOST_RECORDS = 400
"""How many records of a run are read for a list, apart from its last ones."""
_LAST_RECORDS = 4
_WITH_USAGE = frozenset({'request', 'response', 'answered', 'ended'})
MOST_FOLLOWED = 8
"""How many running runs are kept in memory; one more takes the place of the one that was looked into longest ago."""


_LEFT_AFTER = {'ended': 'cancelled', 'decided': 'answered'}
"""How a run stands that no process works on, by the kind of its last record, unless it was abandoned."""


def is_entry(run: RunInfo) -> bool:
    """Return whether this is an entry that a change of the history of a conversation makes, and no agent ran."""
    return run.agent is None and run.steps == 0 and run.status == 'done'


def status_of(run: RunInfo, last: Record | None = None) -> str:
    """Return how a run stands.

    Args:
        run: The run.
        last: Its last record, which says whether a run that no process works on was cancelled, was answered and not yet
            continued, or was abandoned by its process, and whether one that failed was cancelled by its program, or stopped: a
            person gave its conversation up, or continued without it.
    """
    if run.status == 'failed' and last is not None and last.kind == 'ended':
        with suppress(JournalError, TypeError, ValueError, AttributeError):
            error: JsonObject = last.data().get('error') or {}
            return ENDED_BY.get(error.get('type'), 'failed')
    if not run.is_abandoned:
        return run.status
    return _LEFT_AFTER.get(last.kind, 'abandoned') if last is not None else 'abandoned'


def has_two_ends(run: RunInfo) -> bool:
    """Return whether `status_of` needs the last record of a run."""
    return run.is_abandoned or run.status == 'failed'


_Stands: TypeAlias = tuple[int, str]
"""How a run stands: its last record and its status. What is shown of it stays the same until then."""


class KnownSummaries:
    """What lists show of runs, kept until they change: a list that is looked at again and again reads no records again."""

    def __init__(self, most: int = 2_000) -> None:
        """Keep at most so many; those that were looked at longest ago are forgotten."""
        self._most = most
        self._known: OrderedDict[str, tuple[_Stands, JsonObject]] = OrderedDict()

    def get(self, run: RunInfo) -> JsonObject | None:
        """Return what is shown of a run, if that is known."""
        known = self._known.get(run.run_id)
        if known is None or known[0] != (run.last_seq, status_of(run)):
            return None
        self._known.move_to_end(run.run_id)
        return known[1]

    def keep(self, run: RunInfo, shown: JsonObject) -> None:
        """Keep what is shown of a run."""
        self._known[run.run_id] = (run.last_seq, status_of(run)), shown
        self._known.move_to_end(run.run_id)
        if len(self._known) > self._most:
            self._known.popitem(last=False)


async def summaries(
    journal: Journal[Any],
    wanted: RunFilter,
    text: str = '',
    *,
    seconds: float = 0.5,
    known: KnownSummaries | None = None,
) -> tuple[list[JsonObject], tuple[float, str] | None]:
    """Return runs as a list shows them, the last started first.

    Args:
        journal: The journal.
        wanted: Which runs, and how many.
        text: Only runs whose records have this text, in whatever case.
        seconds: How long to look for the text.
        known: What is known from lists before, and kept for those that come.

    Returns:
        The runs, and the place to continue from as `RunFilter.before`; `None` if there are no more.
    """
    needle = to_json(text)[1:-1].lower() if text else b''

    def find() -> tuple[list[JsonObject], tuple[float, str] | None]:
        store, found, until = journal.store, cast('list[JsonObject]', []), time.monotonic() + seconds
        place = wanted.before
        while runs := store.find(wanted._replace(before=place, limit=200 if needle else wanted.limit)):
            for run in runs:
                place = run.begun_at, run.run_id
                if is_entry(run):
                    continue
                shown = known.get(run) if known is not None and not needle else None
                if shown is None:
                    records, is_whole = _most_of(store, run)
                    if run.base_id is not None and not (records and records[0].kind == 'begun'):
                        records = [*_shared_by(store, run), *records]
                    if not needle or _mentions(run, records, needle):
                        shown = _summary(run, records, is_whole)
                        if known is not None:
                            known.keep(run, shown)
                if shown is not None:
                    found.append(shown)
                if len(found) >= wanted.limit or (needle and time.monotonic() > until):
                    return found, place
            if len(runs) < (200 if needle else wanted.limit):
                break
        return found, None

    return await journal._recorder.call(find)  # pyright: ignore[reportPrivateUsage]


def _most_of(store: Store, run: RunInfo) -> tuple[list[Record], bool]:
    """Return the first records of a run and its last ones, and whether these are all that it has."""
    records = store.read(run.run_id, limit=_MOST_RECORDS)
    last = records[-1].seq if records else run.last_seq
    if last >= run.last_seq:
        return records, True
    return [*records, *store.read(run.run_id, after=max(last, run.last_seq - _LAST_RECORDS))], False


def _shared_by(store: Store, run: RunInfo) -> list[Record]:
    """Return what a fork shares with the run that it was forked from, except for how that ended: its prompt, and what it used."""
    shared: list[Record] = []
    for _ in range(_MOST_BASES):
        base = store.get(run.base_id) if run.base_id is not None else None
        if base is None:
            break
        records = store.read(base.run_id, limit=_MOST_RECORDS)
        shared[:0] = [record for record in records if record.seq <= run.base_seq and record.kind != 'ended']
        if records and records[0].kind == 'begun':
            break
        run = base
    return shared


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


def _summary(run: RunInfo, records: Sequence[Record], is_whole: bool) -> JsonObject:
    """Return a run as a list shows it, whatever its records look like; without a cost if the records are not all."""
    shown = _head(run, records)
    with suppress(JournalError, KeyError, TypeError, ValueError, AttributeError):
        responses: list[ModelMessage] = []
        for record in records:
            if record.kind in ('begun', 'response', 'ended'):
                body = record.data()
                if record.kind == 'begun':
                    shown['prompt'] = brief(_prompt(body))
                # It is the last message, also where hooks have put together another history.
                if record.kind == 'response':
                    for item in (body.get('messages') or body.get('history') or ())[-1:]:
                        responses += _light_response(item.get('message') or {})
                if record.kind == 'ended':
                    error: JsonObject = body.get('error') or {}
                    shown['error'] = brief(error.get('message')) or None
                    shown['output'] = brief(body.get('output'))
        for record in reversed(records):
            usage: JsonObject = (record.data().get('usage') or {}) if record.kind in _WITH_USAGE else {}
            if usage:
                shown['tokens'] = usage.get('input_tokens', 0) + usage.get('output_tokens', 0)
                shown['calls'] = usage.get('tool_calls', 0)
                break
        shown['cost'] = price(responses) if responses and is_whole else None
        shown['models'] = sorted({str(one.model_name) for one in responses if isinstance(one, ModelResponse)})
    return shown


def _prompt(begun: JsonObject) -> str:
    """Return what a run was asked: without a prompt, as front ends begin runs, the last one of its history."""
    if begun.get('prompt') is not None:
        return prompt_text(begun['prompt'])
    messages: list[JsonObject] = [item.get('message') or {} for item in begun.get('messages') or ()]
    parts: list[JsonObject] = [part for message in messages for part in message.get('parts') or ()]
    prompts = [part.get('content') for part in parts if part.get('part_kind') == 'user-prompt']
    return prompt_text(prompts[-1]) if prompts else ''


def _light_response(message: JsonObject) -> list[ModelMessage]:
    """Return a response without its parts: what its price depends on."""
    if message.get('kind') != 'response':
        return []
    return ModelMessagesTypeAdapter.validate_python([{**message, 'parts': []}])


def _head(run: RunInfo, records: Sequence[Record] = ()) -> JsonObject:
    return {
        'id': run.run_id,
        'agent': run.agent,
        'status': status_of(run, records[-1] if records else None),
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


async def run_in(journal: Journal[Any], run_id: str) -> RunInfo:
    """Return how a run stands, without its records; raise `RunNotFound` if there is no such run."""
    check_run_id(run_id)
    return await journal._recorder.call(partial(_run_in, journal.store, run_id))  # pyright: ignore[reportPrivateUsage]


async def trace_of(journal: Journal[Any], run_id: str) -> JsonObject:
    """Return what happened in a run.

    Raises:
        RunNotFound: The journal has no such run.
        RecordUnreadable: A record cannot be read.
    """

    def read() -> JsonObject:
        run, store = _run_in(journal.store, run_id), journal.store
        with naming(run_id):
            return Tracer(run, history_of(store, run_id), _around(store, run, {})).trace()

    return await journal._recorder.call(read)  # pyright: ignore[reportPrivateUsage]


_Children: TypeAlias = dict[str, tuple[_Stands, JsonObject]]
"""Runs inside of a run: how each stood when its records were read last, and what is shown of it."""


@dataclass
class _Followed:
    """What was read of a run that is running."""

    tracer: Tracer
    children: _Children


class Follower:
    """Looks into runs while they run: what was read of one is kept, so that only what is new is read and returned."""

    def __init__(self, journal: Journal[Any]) -> None:
        """Create one for the runs of a journal."""
        self._journal = journal
        self._followed: OrderedDict[str, _Followed] = OrderedDict()

    async def look(self, run_id: str, since: str = '') -> JsonObject:
        """Return what happened in a run, or what is new in it.

        Args:
            run_id: The run.
            since: The `cursor` of what was returned before.

        Returns:
            What `trace_of` does, with a `cursor`. If `since` is known, what is new instead, as `Tracer.news` does, with
            `since`; only the `cursor` if nothing is.

        Raises:
            RunNotFound: The journal has no such run.
            RecordUnreadable: A record cannot be read.
        """
        return await self._journal._recorder.call(partial(self._look, run_id, since))  # pyright: ignore[reportPrivateUsage]

    def _look(self, run_id: str, since: str) -> JsonObject:
        store = self._journal.store
        # What was kept is put back when it has taken everything: after an error, it would be useless.
        followed = self._followed.pop(run_id, None)
        run = _run_in(store, run_id)
        is_over = run.status in ('done', 'failed')
        over = _cursor_of(store, run) if is_over else ''
        if followed is None and over and since == over:
            return {'cursor': since}
        if followed is None or run.last_seq < followed.tracer.last_seq:  # or else it is another run of that id
            children: _Children = {}
            around = _around(store, run, children)
            with naming(run_id):
                followed = _Followed(Tracer(run, history_of(store, run_id), around, price_all=False), children)
        else:
            tracer = followed.tracer
            around = _around(store, run, followed.children)
            with naming(run_id):
                tracer.update(run, store.read(run_id, after=tracer.last_seq), around)
        tracer = followed.tracer
        is_whole = is_over and tracer.is_priced
        cursor = over if is_whole else f'{tracer.id}.{tracer.version}'
        if not is_whole:
            self._followed[run_id] = followed
            if len(self._followed) > MOST_FOLLOWED:
                self._followed.popitem(last=False)
        if since == cursor:
            return {'cursor': cursor}
        name, _, version = since.partition('.')
        known = name == tracer.id and version.isascii() and version.isdigit() and len(version) < 12
        news = tracer.news(int(version)) if known else None
        return {**tracer.trace(), 'cursor': cursor} if news is None else {**news, 'cursor': cursor, 'since': since}


def _cursor_of(store: Store, run: RunInfo) -> str:
    """Return what stands for all that is shown of a run that has ended."""
    children = [(one.run_id, one.last_seq, status_of(one)) for one in _children_in(store, run)]
    forks = [one.run_id for one in _forks_in(store, run)]
    shown = run.status, run.last_seq, run.begun_at, children, forks
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:24]


def _children_in(store: Store, run: RunInfo) -> list[RunInfo]:
    return store.find(RunFilter(parent_id=run.run_id, limit=MOST_CHILDREN))


def _forks_in(store: Store, run: RunInfo) -> list[RunInfo]:
    return store.find(RunFilter(base_id=run.run_id, limit=50))


def _run_in(store: Store, run_id: str) -> RunInfo:
    run = store.get(run_id)
    if run is None:
        raise RunNotFound(f'The journal has no run {short_repr(run_id)}.')
    return run


def _around(store: Store, run: RunInfo, children: _Children) -> JsonObject:
    """Return what a page shows of a run apart from its own records. `children` is brought up to date."""
    for child in reversed(_children_in(store, run)):
        stands: _Stands = child.last_seq, status_of(child)
        known = children.get(child.run_id)
        if known is None or known[0] != stands:
            records, is_whole = _most_of(store, child)
            shown = _summary(child, records, is_whole)
            with suppress(JournalError, IndexError, TypeError):
                shown['call'] = (records[0].data().get('parent') or [None, None])[1]
            children[child.run_id] = stands, shown
    return {
        'run': _head(run, store.read(run.run_id, after=run.last_seq - 1) if has_two_ends(run) else ()),
        'children': {child_id: shown for child_id, (_, shown) in children.items()},
        'forks': [_head(one) for one in _forks_in(store, run)],
    }
