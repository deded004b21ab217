"""Conversations: runs with the same conversation id, one after another."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .._contracts.run_context import RunContext
from .._contracts.run_state import RunState
from .._kit.ids import uuid7_str
from ..messages import ModelMessage
from ._checks import check_function, check_text
from ._errors import JournalError, RunInUse
from ._fold import RecordedRun
from ._past import Edit, edited
from ._recorder import Recorder
from ._store import RunFilter, RunInfo
from ._stored import Head, head_of, messages_of, runs_of


class Conversation:
    """A conversation in a journal."""

    def __init__(self, recorder: Recorder[Any], conversation_id: str) -> None:
        check_text(conversation_id, 'The id of a conversation')
        self._recorder: Recorder[Any] = recorder
        self.conversation_id: str = conversation_id

    def __repr__(self) -> str:
        return f'Conversation({self.conversation_id!r})'

    async def runs(self) -> list[RunInfo]:
        """Return its runs, the last started first, without those inside of them."""
        return await self._recorder.call(lambda: list(runs_of(self._recorder.store, self.conversation_id, 500)))

    async def messages(self) -> list[ModelMessage]:
        """Return what was said, also in a run that is under way or waits; nothing, if there is no such conversation."""
        return await self._recorder.call(lambda: messages_of(self._recorder.store, self.conversation_id))

    async def restore_run(self, ctx: RunContext[Any]) -> RunState | None:
        """Let the run that is about to begin be the next one, and return where it continues: with what was said.

        For a capability, whose hook of this name can call it; a journal with `conversations` does so by itself.

        Args:
            ctx: The context of the run, which has the id of the conversation, and no history.

        Returns:
            Where it continues; `None` if it is not a run with an id.

        Raises:
            RunInUse: A run of the conversation is under way, or was left.
            JournalError: Its last run waits for decisions.
        """
        if ctx.run_id is None:
            return None
        return await self._recorder.next_of(self.conversation_id, ctx, waits=False)

    async def trim(self, keep: Edit, *, decided: Mapping[str, Any] | None = None) -> None:
        """Continue with another history from now on. What was said stays in the journal.

        Args:
            keep: Returns the messages to continue with, from all of them.
            decided: For messages of another run: its `RecordedRun.decided`, so that it stays known which of their calls
                waited for people, and which arguments they were given.

        Raises:
            UserError: What `keep` returned is not a history.
            RunInUse: A run of the conversation is under way, or was left.
            JournalError: Its last run waits for decisions.
        """
        check_function(keep, '`keep`, which trims a conversation,')

        def trim() -> None:
            head = head_of(self._recorder.store, self.conversation_id)
            if not self._add(head, self.conversation_id, keep, decided):
                raise RunInUse(f'A run of conversation {self.conversation_id!r} has just started. Wait for it.')

        await self._recorder.call(trim)

    async def give_up(self, reason: str) -> None:
        """End the last run as failed, if it waits or was left: no process continues it. What it did stays recorded.

        Args:
            reason: Why, for those who look at the run.

        Raises:
            RunInUse: It is under way.
            UserError: The reason is not text.
        """
        check_text(reason, 'The reason to give up a conversation')
        last = next(iter(await self.runs()), None)
        if last is None or last.status not in ('waiting', 'running'):
            return
        await self._recorder.end_left(last.run_id, 'GivenUp', reason)

    async def branch(self, conversation_id: str) -> Conversation:
        """Return another conversation that begins with what was said in this one.

        Raises:
            RunInUse: A run of this conversation is under way, or was left.
            JournalError: There is a conversation of this id; or the last run of this one waits for decisions.
        """
        other = Conversation(self._recorder, conversation_id)

        def branch() -> bool:
            store = self._recorder.store
            head = head_of(store, self.conversation_id)
            if next(runs_of(store, conversation_id, 1), None) is not None:
                return False
            return self._add(head._replace(last=None), conversation_id, list)

        if not await self._recorder.call(branch):
            raise JournalError(f'There is a conversation {conversation_id!r} already.')
        return other

    async def delete(self) -> int:
        """Delete its runs with those inside of them, and return how many. It may begin again, with nothing.

        Runs that others were forked from are kept for these, such as those of a conversation that has a branch.

        Raises:
            RunInUse: A run of the conversation is under way.
        """

        def delete() -> int:
            store = self._recorder.store
            own = list(runs_of(store, self.conversation_id, 500))
            for run in own:
                if run.holder is not None and run.lease_until > time.time():
                    raise RunInUse(f'Run {run.run_id!r} of conversation {self.conversation_id!r} is under way.')
            ids = {run.run_id for run in own}
            needed: set[str] = set()
            for run in own:
                if any(one.run_id not in ids for one in store.find(RunFilter(base_id=run.run_id))):
                    needed.update(_bases(self._recorder, run.run_id))
            gone = [run.run_id for run in own if run.run_id not in needed]
            for run_id in gone:  # the list grows
                gone += [one.run_id for one in store.find(RunFilter(parent_id=run_id, limit=1_000_000))]
            deleted = store.delete(gone)
            kept = [run for run in own if run.run_id in needed]
            if kept:  # whatever happens to them, the conversation does not continue from them
                self._add(Head(kept[0], None, RecordedRun()), self.conversation_id, list)
            return deleted

        return await self._recorder.call(delete)

    def _add(self, head: Head, conversation_id: str, keep: Edit, decided: Mapping[str, Any] | None = None) -> bool:
        """Let a conversation continue with another history, and return whether it was its turn; call it in the thread."""
        seq = (head.base.last_seq if head.base is not None else 0) + 1
        record = edited(seq, head.state.messages, keep, decided=decided)
        new = RunInfo(run_id=uuid7_str(), status='done', begun_at=record.at, updated_at=record.at)
        head.place(new, conversation_id).last_seq = record.seq
        return self._recorder.writer.create(new, [record]).run_id == new.run_id


def _bases(recorder: Recorder[Any], run_id: str) -> set[str]:
    """Return a run and those that it was forked from."""
    found: set[str] = set()
    next_id: str | None = run_id
    while next_id is not None and next_id not in found:
        found.add(next_id)
        run = recorder.store.get(next_id)
        next_id = run.base_id if run is not None else None
    return found
