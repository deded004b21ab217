"""Turns in conversations: the runs of a conversation follow each other, in all processes.

A run takes its turn before anything is done for it. The store gets a row with the name of the run before it, and has at most one
row of that name. If two processes begin at the same moment, one gets the turn, and the other finds its run. A process may die
before its run begins. It leaves a row without records, which is deleted after the end of the lease.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from ..messages import ModelMessage
from ._checks import check_text
from ._errors import JournalError, RunInUse
from ._fold import RecordedRun
from ._store import RunFilter, RunInfo
from ._stored import TurnNotOver, head_of
from ._writer import Writer, clocks

T = TypeVar('T')


_NEW = 'new'
"""The `conversation_id` of a run that begins a conversation."""


class _Recorder(Protocol):
    conversations: Any
    lease_seconds: float
    writer: Writer

    async def call(self, function: Callable[[], T]) -> T: ...

    async def call_or_undo(self, function: Callable[[], T], undo: Callable[[T], None]) -> T: ...


def conversation_of(options: Mapping[str, Any]) -> str | None:
    """Return the conversation that the options of a run name; `None` if they name none, or want another one."""
    passed = options.get('conversation')
    conversation_id = options.get('conversation_id') if passed is None else passed.conversation_id
    return conversation_id if conversation_id != _NEW and isinstance(conversation_id, str) else None


async def take_turn(
    recorder: _Recorder, conversation_id: str, new: RunInfo, *, waits: bool
) -> tuple[RunInfo, RecordedRun]:
    """Add a run to a conversation, and return it with what was said; or the run that has its key already.

    Args:
        recorder: The recorder.
        conversation_id: The conversation.
        new: The run, with its lease.
        waits: Whether to wait for a run that is under way.

    Raises:
        RunInUse: Another run is under way, and `waits` is false; or it was left, and nothing has continued it for as long
            as a lease lasts.
        JournalError: The last run waits for decisions.
    """
    check_text(conversation_id, 'The `conversation_id` of a run with a journal')
    store, begun_at = recorder.writer.store, new.begun_at

    def take() -> tuple[RunInfo, RecordedRun]:
        head = head_of(store, conversation_id)
        since = clocks()
        now = since.calendar
        new.begun_at, new.updated_at = max(begun_at, now), now
        new.lease_until = now + recorder.lease_seconds
        taken = recorder.writer.create(head.place(new, conversation_id), since=since)
        if taken.run_id == new.run_id and new.base_id is not None and store.get(new.base_id) is None:
            give_back((taken, head.state))  # what it continues from was pruned meanwhile
            return take()
        if taken.run_id == new.run_id or (new.key is not None and taken.key == new.key):
            return taken, head.state
        raise RunInUse(f'Run {taken.run_id!r} of conversation {conversation_id!r} has just started. Wait for it.')

    def give_back(taken: tuple[RunInfo, RecordedRun]) -> None:
        if taken[0].run_id == new.run_id:
            recorder.writer.let_go(new.run_id, new.token)
            store.delete([new.run_id])

    pause, left_since = 0.02, None
    while True:
        try:
            return await recorder.call_or_undo(take, give_back)
        except RunInUse as error:
            if not waits:
                raise
            # A worker may be about to continue it; and one that was answered is left until it is resumed.
            left_since = (left_since or time.monotonic()) if isinstance(error, TurnNotOver) else None
            if left_since is not None and time.monotonic() - left_since > recorder.lease_seconds:
                raise JournalError(str(error)) from error
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 1.0)


async def begin(recorder: _Recorder, new: RunInfo, conversation_id: str | None) -> tuple[RunInfo, list[ModelMessage]]:
    """Add a run with a key to a store, and return it with what it begins with; or the run that has the key already.

    Args:
        recorder: The recorder.
        new: The run, with its lease.
        conversation_id: The conversation that it continues with, if it does.

    Raises:
        RunInUse, JournalError: See `take_turn`.
    """
    store = recorder.writer.store
    found = await recorder.call(lambda: store.find(RunFilter(key=new.key, limit=1)))
    if found:
        return found[0], []
    if conversation_id is not None:
        taken, state = await take_turn(recorder, conversation_id, new, waits=recorder.conversations != 'refuse')
        return taken, state.messages

    def give_back(created: RunInfo) -> None:
        if created.run_id == new.run_id:
            recorder.writer.let_go(new.run_id, new.token)
            store.delete([new.run_id])

    since = clocks()
    return await recorder.call_or_undo(lambda: recorder.writer.create(new, since=since), give_back), []
