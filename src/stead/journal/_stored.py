"""What a store has of a run with its past, and of a conversation; all of this is called in the thread of the store."""

from __future__ import annotations

from ._errors import JournalError, RunInUse
from ._fold import RecordedRun, fold
from ._store import Record, RunFilter, RunInfo, Store


def history_of(store: Store, run_id: str) -> list[Record]:
    """Return the records of a run, with those that it shares with the run it was forked from."""
    # A conversation is a chain of thousands of runs, each of which goes on from the one before.
    parts: list[list[Record]] = []
    next_id, last = run_id, None
    while next_id is not None:
        info = store.get(next_id)
        records = store.read(next_id)
        parts.append(records if last is None else [record for record in records if record.seq <= last])
        next_id, last = (info.base_id, info.base_seq) if info is not None else (None, None)
    return [record for part in reversed(parts) for record in part]


def last_of(store: Store, conversation_id: str) -> tuple[RunInfo | None, RecordedRun]:
    """Return the run that a conversation goes on from, and its state; call it in the thread of the store.

    Raises:
        RunInUse: A run of the conversation is under way.
        JournalError: Its last run waits for decisions.
    """
    found = store.find(RunFilter(conversation_id=conversation_id, limit=100))
    found = [run for run in found if run.parent_id is None and run.status != 'failed']
    if not found:
        return None, RecordedRun()
    last = found[0]
    if last.status == 'waiting':
        raise JournalError(
            f'Conversation {conversation_id!r} waits for decisions about its run {last.run_id!r}. Answer and resume that '
            'first.'
        )
    if last.status == 'running':
        raise RunInUse(
            f'Run {last.run_id!r} of conversation {conversation_id!r} is under way, or its process died. Wait for it, or '
            'resume it.'
        )
    return last, fold(history_of(store, last.run_id))
