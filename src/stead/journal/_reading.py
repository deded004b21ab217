"""`RunsOnRecord`: reads runs from a store, and continues none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import get_args

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AnyDepsT
from .._kit.short import short_repr
from ..messages import ModelMessage
from ._checks import check_filter, check_name, check_number, check_run_id, check_step, check_text
from ._conversations import Conversation
from ._errors import JournalError, RunNotFound, naming
from ._fold import RecordedRun, fold
from ._past import RecordedStep, followed, steps_of
from ._recorder import Recorder
from ._store import ORDERS, Record, RunFilter, RunInfo, RunStatus, Store


class RunsOnRecord(AbstractCapability[AnyDepsT]):
    """The part of a journal that reads."""

    store: Store
    """Where the records are."""
    _recorder: Recorder[AnyDepsT]

    async def find(self, wanted: RunFilter) -> list[RunInfo]:
        """Return the runs that a filter describes, the last started first; raise `UserError` if it is not a filter."""
        check_filter(wanted)
        found = await self._recorder.call(lambda: self.store.find(wanted))
        return [run for run in found if run.conversation_id != ORDERS]

    async def runs(
        self,
        *,
        status: RunStatus | None = None,
        agent: str | None = None,
        conversation_id: str | None = None,
        limit: int = 100,
        before: RunInfo | None = None,
    ) -> list[RunInfo]:
        """Return runs, the last started first.

        Args:
            status: Only runs that stand so.
            agent: Only runs of the agent of this name.
            conversation_id: Only runs of this conversation.
            limit: How many to return.
            before: Only runs that began before this one: the last of a page, for the next one.

        Raises:
            UserError: There is no such status, or `limit` is less than one.
        """
        check_number(limit, '`limit`', least=1, whole=True, unit='runs')
        for what, value in (('agent', agent), ('conversation_id', conversation_id)):
            if value is not None:
                check_text(value, f'`{what}` of runs')
        if status is not None:
            check_name(status, get_args(RunStatus), 'status of runs')
        place = None if before is None else (before.begun_at, before.run_id)
        return await self.find(
            RunFilter(status=status, agent=agent, conversation_id=conversation_id, before=place, limit=limit)
        )

    async def state(self, run_id: str) -> RecordedRun:
        """Return how a run stands.

        Raises:
            RunNotFound: The journal has no such run.
            RecordUnreadable: A record of it cannot be read, or is missing.
        """
        records = await self.records(run_id)
        with naming(run_id):
            return fold(records, RecordedRun(run_id=run_id))

    async def records(self, run_id: str, *, after: int = 0) -> list[Record]:
        """Return the records of a run, after those that it shares with its base.

        Args:
            run_id: The run.
            after: The number of the last record to leave out; those before it are not read.

        Raises:
            RunNotFound: The journal has no such run.
        """
        check_run_id(run_id)
        check_number(after, '`after`', whole=True, unit='a record')
        info = await self._recorder.call(lambda: self.store.get(run_id))
        if info is None:
            raise RunNotFound(f'The journal has no run {short_repr(run_id)}.')
        if after > 0 and after >= (info.base_seq or 0):
            return await self._recorder.call(lambda: self.store.read(run_id, after))
        return [one for one in await self._recorder.call(lambda: self._recorder.history(run_id)) if one.seq > after]

    def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation, which need not have started."""
        return Conversation(self._recorder, conversation_id)

    async def steps(self, run_id: str) -> list[RecordedStep]:
        """Return the steps of a run, with the history of each.

        Raises:
            RunNotFound: The journal has no such run.
            RecordUnreadable: A record of it cannot be read, or is missing.
        """
        records = await self.records(run_id)
        with naming(run_id):
            return steps_of(records)

    async def messages(self, run_id: str, *, at: int | None = None) -> list[ModelMessage]:
        """Return the history of a run.

        Args:
            run_id: The run.
            at: The number of a step: the history with its request, and nothing after that. By default, all of it.

        Raises:
            RunNotFound: The journal has no such run.
            RecordUnreadable: A record of it cannot be read, or is missing.
            JournalError: The run has no such step.
        """
        check_step(at, '`at` of messages')
        if at is None:
            return (await self.state(run_id)).messages
        for step in await self.steps(run_id):
            if step.step == at:
                return step.messages
        raise JournalError(f'Run {run_id!r} has no step {at}.')

    async def events(
        self, run_id: str, *, after: int = 0, pause: float = 0.5, until_abandoned: bool = False
    ) -> AsyncIterator[Record]:
        """Yield the records of a run, also of one that another process is running, until it ends or waits.

        Args:
            run_id: The run.
            after: The number of the last record to leave out, so that a reader who comes back misses nothing.
            pause: How long to wait before looking again, in seconds.
            until_abandoned: Whether to end, too, when no process works on the run. By default, wait until one resumes it.

        Raises:
            RunNotFound: The journal has no such run.
        """
        check_number(pause, '`pause`', above=True, unit='seconds')
        check_number(after, '`after`', whole=True, unit='a record')
        async for record in followed(self._recorder, await self.records(run_id), run_id, after, pause, until_abandoned):
            yield record
