"""Conversations: what one run after another said, by the id of the conversation."""

from __future__ import annotations

from typing import Any

from .._kit.ids import uuid7_str
from ..messages import ModelMessage
from ._errors import JournalError
from ._past import Edit, edited
from ._recorder import Recorder
from ._store import RunFilter, RunInfo
from ._stored import last_of


class Conversation:
    """A conversation in a journal."""

    def __init__(self, recorder: Recorder[Any], conversation_id: str) -> None:
        self._recorder: Recorder[Any] = recorder
        self.conversation_id: str = conversation_id

    async def runs(self) -> list[RunInfo]:
        """Return its runs, the last begun first."""
        return await self._recorder.call(lambda: runs_of(self._recorder, self.conversation_id))

    async def messages(self) -> list[ModelMessage]:
        """Return what was said; nothing, if there is no such conversation."""
        _, state = await self._recorder.call(lambda: last_of(self._recorder.store, self.conversation_id))
        return state.messages

    async def trim(self, keep: Edit) -> None:
        """Go on with another history from now on. What was said stays in the journal.

        Args:
            keep: Returns the messages to go on with, from all of them.

        Raises:
            RunInUse: A run of the conversation is under way.
        """
        await self._recorder.call(lambda: self._add(self.conversation_id, keep))

    async def branch(self, conversation_id: str) -> Conversation:
        """Return another conversation that begins with what was said in this one.

        Raises:
            JournalError: There is a conversation of this id.
        """
        other = Conversation(self._recorder, conversation_id)
        if await other.runs():
            raise JournalError(f'There is a conversation {conversation_id!r} already.')
        await self._recorder.call(lambda: self._add(conversation_id, list))
        return other

    async def delete(self) -> int:
        """Delete its runs, but those that others were forked from, and return how many."""

        def delete() -> int:
            store = self._recorder.store
            own = runs_of(self._recorder, self.conversation_id)
            ids = {run.run_id for run in own}
            needed: set[str] = set()
            for run in own:
                if any(one.run_id not in ids for one in store.find(RunFilter(base_id=run.run_id))):
                    needed.update(_bases(self._recorder, run.run_id))
            return store.delete([run.run_id for run in own if run.run_id not in needed])

        return await self._recorder.call(delete)

    def _add(self, conversation_id: str, keep: Edit) -> None:
        base, state = last_of(self._recorder.store, self.conversation_id)
        record = edited((base.last_seq if base is not None else 0) + 1, state.messages, keep)
        new = RunInfo(
            run_id=uuid7_str(),
            status='done',
            conversation_id=conversation_id,
            begun_at=record.at,
            updated_at=record.at,
            last_seq=record.seq,
            base_id=base.run_id if base is not None else None,
            base_seq=record.seq - 1,
        )
        self._recorder.writer.create(new, [record])


def _bases(recorder: Recorder[Any], run_id: str) -> set[str]:
    """Return a run and those that it was forked from."""
    found: set[str] = set()
    next_id: str | None = run_id
    while next_id is not None and next_id not in found:
        found.add(next_id)
        run = recorder.store.get(next_id)
        next_id = run.base_id if run is not None else None
    return found


def runs_of(recorder: Recorder[Any], conversation_id: str) -> list[RunInfo]:
    """Return the runs of a conversation, the last begun first; call it in the thread of the store."""
    found: list[RunInfo] = []
    place: tuple[float, str] | None = None
    while page := recorder.store.find(RunFilter(conversation_id=conversation_id, before=place, limit=500)):
        found.extend(page)
        place = page[-1].begun_at, page[-1].run_id
    return found
