"""Reads runs with their past, and conversations; call all of this in the thread of the store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from ..messages import ModelMessage
from ._errors import JournalError, RunInUse, naming
from ._fold import RecordedRun, fold
from ._store import Record, RunFilter, RunInfo, Store


def history_of(store: Store, run_id: str) -> list[Record]:
    """Return the records of a run, with those that it shares with the run it was forked from.

    Raises:
        JournalError: The store has not got the run that it was forked from.
    """
    # A conversation is a chain of thousands of runs, each of which continues from the one before.
    parts: list[list[Record]] = []
    next_id, last = run_id, None
    while next_id is not None:
        info = store.get(next_id)
        if info is None and next_id != run_id:
            raise JournalError(
                f'Run {run_id!r} continues from run {next_id!r}, which the journal does not have. Import that, too: `export` '
                'writes both.'
            )
        records = store.read(next_id)
        parts.append(records if last is None else [record for record in records if record.seq <= last])
        next_id, last = (info.base_id, info.base_seq) if info is not None else (None, None)
    return [record for part in reversed(parts) for record in part]


def is_reserved(run: RunInfo) -> bool:
    """Return whether a run has not started, and only keeps its key or its turn."""
    is_fork = run.base_id is not None and run.turn is None
    return run.status == 'running' and run.last_seq == run.base_seq and not is_fork


def remove_reserved(store: Store, run_id: str, token: int | None = None) -> None:
    """Delete a run that only keeps its key or its turn, unless it is about to begin after all.

    Args:
        store: The store.
        run_id: The run.
        token: The lease that is held; `None` to take it.
    """
    token = token if token is not None else store.acquire(run_id, 'to delete it', time.time(), 10.0)
    run = store.get(run_id) if token is not None else None
    if token is None or run is None or run.token != token:
        return
    if is_reserved(run):
        store.delete([run_id])
    else:
        store.release(run_id, token)


class TurnNotOver(RunInUse):
    """A run of a conversation was left: no process holds its lease, and it is not over."""


class Head(NamedTuple):
    """Where a conversation stands."""

    last: RunInfo | None
    """Its last run."""
    base: RunInfo | None
    """The run that the next one continues from: the last one that did not fail."""
    state: RecordedRun
    """How it stands after that."""

    def place(self, run: RunInfo, conversation_id: str) -> RunInfo:
        """Let a new run be the next one of a conversation, and return it."""
        run.conversation_id = conversation_id
        run.turn = f'{self.last.run_id if self.last is not None else ""}#{conversation_id}'
        if self.last is not None:  # the last run is the one that began last, whatever the clocks of processes say
            run.begun_at = max(run.begun_at, self.last.begun_at + 1e-6)
        run.base_id, run.base_seq, run.last_seq = None, 0, 0
        if self.base is not None:
            run.base_id, run.base_seq, run.last_seq = self.base.run_id, self.base.last_seq, self.base.last_seq
        return run


def runs_of(store: Store, conversation_id: str, page: int = 20) -> Iterator[RunInfo]:
    """Yield the runs of a conversation, without those inside of them, the last started first."""
    place: tuple[float, str] | None = None
    while found := store.find(RunFilter(conversation_id=conversation_id, is_inner=False, before=place, limit=page)):
        yield from found
        place = found[-1].begun_at, found[-1].run_id


def messages_of(store: Store, conversation_id: str) -> list[ModelMessage]:
    """Return what was said in a conversation, as far as it is recorded."""
    for run in runs_of(store, conversation_id):
        if run.status != 'failed' and not is_reserved(run):
            with naming(run.run_id):
                return fold(history_of(store, run.run_id)).messages
    return []


def head_of(store: Store, conversation_id: str) -> Head:
    """Return where a conversation stands.

    Raises:
        RunInUse: A run of the conversation is under way; a `TurnNotOver` if no process has its lease.
        JournalError: Its last run waits for decisions.
    """
    last: RunInfo | None = None
    for run in runs_of(store, conversation_id):
        is_free = run.holder is None or run.lease_until <= time.time()
        if is_free and is_reserved(run):
            remove_reserved(store, run.run_id)  # its process died before it began
            continue
        last = last or run
        if run.status == 'failed':
            continue
        if run.status == 'waiting':
            raise JournalError(
                f'Conversation {conversation_id!r} waits for decisions about its run {run.run_id!r}. Answer and resume that '
                'first.'
            )
        if run.status == 'running':
            if is_free:
                raise TurnNotOver(
                    f'Run {run.run_id!r} of conversation {conversation_id!r} was left, or its process died. Resume it: what '
                    'comes next continues from there.'
                )
            raise RunInUse(f'Run {run.run_id!r} of conversation {conversation_id!r} is under way. Wait for it.')
        with naming(run.run_id):
            return Head(last, run, fold(history_of(store, run.run_id)))
    return Head(last, None, RecordedRun())
