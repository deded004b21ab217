"""`Worker`: continues the runs that other processes have left."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from .._kit.aio import cancel_and_drain
from ._agents import ResultT
from ._errors import ContentRedacted, JournalError, LeaseLost, RunInUse, StoreError
from ._store import Record, RunFilter, RunInfo
from ._stored import is_reserved, remove_reserved

T = TypeVar('T')

_PROGRESS = {'response', 'answered', 'returned', 'output_returned', 'waiting', 'decided'}
"""Records of a process that did not die at once."""

logger = logging.getLogger('stead.journal')


class Worker(Generic[ResultT]):
    """Resumes runs of an agent whose process died, and runs whose decisions have come, until its block is left.

    Several workers, in several processes, may share a store: each run is resumed by one of them.
    """

    def __init__(self, journal: Any, agent: Any, *, deps: Any, limit: int, pause: float, attempts: int) -> None:
        self.journal: Any = journal
        self.agent: Any = agent
        self.deps: Any = deps
        self.limit: int = limit
        self.pause: float = pause
        self.attempts: int = attempts
        self.results: dict[str, ResultT] = {}
        """The results of runs that this worker has brought to their end, by run id; the last thousand."""
        self.failures: dict[str, Exception] = {}
        """The errors of runs that failed here, by run id; the last thousand."""
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._abandoned: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f'<Worker of {self.agent.name!r}, {len(self._under_way)} runs under way>'

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._work(), name='stead-worker')
        return self

    async def __aexit__(self, *error: object) -> None:
        await cancel_and_drain(*(task for task in (self._task, *self._under_way.values()) if task is not None))

    async def idle(self) -> None:
        """Return when no run is left to continue with."""
        while self._under_way or await self._look():
            if self._under_way:
                await asyncio.wait(list(self._under_way.values()), return_when=asyncio.FIRST_COMPLETED)

    async def _work(self) -> None:
        while True:
            try:
                await self._look()
            except JournalError as error:
                logger.warning('The journal could not be read, and is tried again: %s', error)
            await asyncio.sleep(self.pause)

    async def _look(self) -> bool:
        """Begin with runs that are left, as many as there is room for, and return whether there are any."""
        now = time.time()
        wanted = RunFilter(
            status='running',
            agent=self.agent.name,
            is_inner=False,
            free_at=now,
            limit=self.limit + len(self._abandoned) + len(self._under_way),
        )
        found = [*await self.journal.find(wanted), *await self._answered_inside(now)]
        paused = await self.journal.paused() if found else ()
        for run in found:
            if run.run_id in paused:
                continue
            is_known = run.run_id in self._abandoned or run.run_id in self._under_way
            if is_known or self.journal._recorder.runs_here(run.run_id) or len(self._under_way) >= self.limit:
                continue
            if is_reserved(run):  # its process died before it began, and nothing is known of it
                await self._use(lambda run_id=run.run_id: remove_reserved(self.journal.store, run_id))
                continue
            if run.token > self.attempts and await self._in_vain(run) > self.attempts:
                self._abandoned.add(run.run_id)
                logger.warning(
                    'Run %s was started %d times without getting anywhere, and is left alone.',
                    run.run_id,
                    self.attempts,
                )
                continue
            task = asyncio.create_task(self._resume(run), name=f'stead-worker-{run.run_id}')
            self._under_way[run.run_id] = task
        return bool(self._under_way)

    async def _answered_inside(self, now: float) -> list[RunInfo]:
        """Return runs that wait for a run inside of them which can continue.

        They were under way when that run was answered, or the process that answered it died before it could say so.
        """
        found: dict[str, RunInfo] = {}
        wanted, inners = RunFilter(status='running', is_inner=True, free_at=now), list[RunInfo]()
        while page := await self.journal.find(wanted):
            inners += page
            wanted = wanted._replace(before=(page[-1].begun_at, page[-1].run_id))
        for inner in inners:
            run: RunInfo | None = inner
            while run is not None and (parent_id := run.parent_id) is not None:
                run = await self._use(lambda parent_id=parent_id: self.journal.store.get(parent_id))
            if run is not None and run.status == 'waiting' and run.agent == self.agent.name:
                if run.holder is None or run.lease_until <= now:
                    found[run.run_id] = run
        return [*found.values()]

    async def _in_vain(self, run: RunInfo) -> int:
        """Return how many times a run was started without getting further."""
        records: list[Record] = await self._use(lambda: self.journal.store.read(run.run_id))
        return run.token - sum(record.kind in _PROGRESS for record in records)

    async def _use(self, function: Callable[[], T]) -> T:
        return await self.journal._recorder.call(function)

    async def _is_waiting(self, run_id: str) -> bool:
        """Return whether a run waits for a decision, as far as that can be found out."""
        with suppress(JournalError):
            run = await self._use(lambda: self.journal.store.get(run_id))
            return run is not None and run.status == 'waiting'
        return False

    async def _resume(self, run: RunInfo) -> None:
        try:
            _keep(self.results, run.run_id, await self.journal.resume(self.agent, run.run_id, deps=self.deps))
        except RunInUse:
            pass  # another worker was quicker
        except ContentRedacted as error:
            logger.warning('%s', error)  # it waits, and continues when there is a decision
        except Exception as error:
            _keep(self.failures, run.run_id, error)
            if isinstance(error, JournalError) and not isinstance(error, (LeaseLost, StoreError)):
                self._abandoned.add(run.run_id)
            logger.warning(
                'Run %s %s: %s', run.run_id, 'waits' if await self._is_waiting(run.run_id) else 'failed', error
            )
        finally:
            self._under_way.pop(run.run_id, None)


def _keep(kept: dict[str, Any], run_id: str, value: object) -> None:
    kept[run_id] = value
    if len(kept) > 1000:
        del kept[next(iter(kept))]
