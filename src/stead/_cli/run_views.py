"""How `stead runs` shows runs: as plain text, or with the package rich in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from typing_extensions import TypeAlias

from .._kit.short import CONTROLS
from .._show.nodes import Node, counted, nodes_of, one_line, shown, waiting_text
from .._show.trees import WIDTH, print_tree
from ..journal import Journal, Record, RunFilter, RunInfo
from ..journal.traces import has_two_ends, status_of

AnyJournal: TypeAlias = Journal[Any]
"""A journal of agents with any dependencies."""
STATES = ('running', 'paused', 'waiting', 'done', 'failed', 'abandoned', 'answered', 'cancelled', 'stopped')
"""How runs stand. A run is abandoned if its process died, answered if it has the decisions that it waited for and no process
has continued it, and cancelled if it was told to stop; all of these can be resumed. It is paused if a person wants it to wait,
and stopped if one continued without it."""
SHORT_ID = 8
"""How many of the last characters of an id are shown, at least."""


class RunView(Protocol):
    """Shows runs on the standard output."""

    def table(self, runs: Sequence[RunInfo], states: Sequence[str]) -> None:
        """Show a list of runs, and how each stands."""
        ...

    def tree(self, run: Node) -> None:
        """Show what a run did."""
        ...

    def record(self, record: Record) -> None:
        """Show that something happened."""
        ...


def moment(seconds: float) -> str:
    """Return a time as text."""
    return datetime.fromtimestamp(seconds).strftime('%Y-%m-%d %H:%M:%S')


def harmless(text: object) -> str:
    """Return a text of many lines without characters that a terminal would obey."""
    return CONTROLS.sub('\N{REPLACEMENT CHARACTER}', str(text).replace('\r\n', '\n').expandtabs())


def harmless_json(text: str) -> str:
    """Return the same JSON without characters that a terminal would obey."""
    return CONTROLS.sub(lambda found: f'\\u{ord(found[0]):04x}', text)


async def state_of(journal: AnyJournal, run: RunInfo) -> str:
    """Return how a run stands, in one of the words of `STATES`."""
    records = await journal.records(run.run_id, after=max(run.last_seq - 1, 0)) if has_two_ends(run) else ()
    return status_of(run, records[-1] if records else None)


def short_ids(runs: Sequence[RunInfo]) -> list[str]:
    """Return the ends of the ids of runs, as long as they must be for none to be another's.

    The beginning of an id is a time: runs of the same minute share it.
    """
    ids, length = [run.run_id for run in runs], SHORT_ID
    while len({run_id[-length:] for run_id in ids}) < len({*ids}):
        length += 1
    return [run_id[-length:] for run_id in ids]


def about(record: Record) -> str:
    """Return what a record is about, in a few words."""
    body = record.data()
    if record.kind == 'request':
        return one_line(f'step {body.get("step")}')
    if record.kind in ('response', 'answered'):
        messages = body.get('messages') or [{'message': body}]
        parts = [*(messages[-1].get('message') or {}).get('parts', ())]
        return shown(', '.join(str(part.get('tool_name') or part.get('content') or '') for part in parts))
    if record.kind == 'progress':
        return shown(body.get('content'))
    return shown(body.get('tool') or body.get('how') or body.get('id') or body.get('prompt') or '')


async def tree_of(journal: AnyJournal, run: RunInfo) -> Node:
    """Return what a run did, with the runs inside of it."""
    state, stands = await journal.state(run.run_id), await state_of(journal, run)
    root = Node(stands, f'{run.run_id}  {run.agent or ""}  {stands}  {moment(run.begun_at)}')
    if run.base_id is not None:
        root.children.append(Node('note', f'forked from {run.base_id}'))
    inner: dict[str, list[Node]] = {}
    for child in reversed(await journal.find(RunFilter(parent_id=run.run_id, limit=1000))):
        parent = (await journal.state(child.run_id)).parent
        inner.setdefault(parent[1] if parent is not None else '', []).append(await tree_of(journal, child))
    root.children += nodes_of(state.messages, state.answers, inner)
    root.children += [node for left in inner.values() for node in left]
    for call in state.in_doubt():
        root.children.append(
            Node('doubt', f'{call.tool_name} ({call.tool_call_id}) was started, and its end is not known')
        )
    if run.status == 'waiting':
        root.children += await _waiting(journal, run)
    usage = state.usage
    used = (usage.requests, 'request'), (usage.tool_calls, 'tool call'), (usage.total_tokens, 'token')
    root.children.append(Node('note', ', '.join(counted(number, noun) for number, noun in used)))
    if state.error is not None:
        error = ': '.join(filter(None, (state.error['type'], shown(state.error['message']))))
        root.children.append(Node('error', f'{"failed with" if stands == "failed" else "stopped by"} {error}'))
    elif run.status == 'done':
        root.children.append(Node('output', f'output: {shown(state.output)}'))
    return root


async def _waiting(journal: AnyJournal, run: RunInfo) -> list[Node]:
    for waiting in await journal.waiting(inside=run.run_id):
        if waiting.run.run_id == run.run_id:
            calls = (*waiting.requests.approvals, *waiting.requests.calls)
            return [Node('waits', waiting_text(call)) for call in calls]
    return []


class PlainView:
    """Shows runs as plain text."""

    def table(self, runs: Sequence[RunInfo], states: Sequence[str]) -> None:
        rows = [('RUN', 'BEGUN', 'AGENT', 'STATUS', 'STEPS')]
        rows += [
            (one_line(short), moment(run.begun_at), one_line(run.agent or ''), state, str(run.steps))
            for run, short, state in zip(runs, short_ids(runs), states)
        ]
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            print('  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip())

    def tree(self, run: Node) -> None:
        print_tree(run)

    def record(self, record: Record) -> None:
        print(
            f'{moment(record.at)}  {record.seq:>4}  {one_line(record.kind):<9} {one_line(about(record), WIDTH)}',
            flush=True,
        )
