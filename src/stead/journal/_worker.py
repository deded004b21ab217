"""`Worker`: goes on with the runs that other processes have left."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from typing_extensions import Self

from .._kit.aio import cancel_and_drain
from ._errors import ContentRedacted, JournalError, RunInUse
from ._store import RunFilter, RunInfo

logger = logging.getLogger('stead.journal')


class Worker:
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
        self.results: dict[str, Any] = {}
        """The results of runs that this worker has brought to their end, by run id; the last thousand."""
        self.failures: dict[str, Exception] = {}
        """The errors of runs that failed here, by run id; the last thousand."""
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._abandoned: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._work(), name='stead-worker')
        return self

    async def __aexit__(self, *error: object) -> None:
        tasks = [task for task in (self._task, *self._under_way.values()) if task is not None]
        for task in tasks:
            await cancel_and_drain(task)

    async def idle(self) -> None:
        """Return when no run is left to go on with."""
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
        wanted = RunFilter(
            status='running', agent=self.agent.name, free_at=time.time(), limit=self.limit + len(self._abandoned)
        )
        found = await self.journal.find(wanted)
        left = [run for run in found if run.parent_id is None and run.run_id not in self._abandoned]
        for run in left:
            if run.run_id in self._under_way or len(self._under_way) >= self.limit:
                continue
            if run.token > self.attempts:
                self._abandoned.add(run.run_id)
                logger.warning('Run %s was begun %d times, and is left alone.', run.run_id, run.token)
                continue
            task = asyncio.create_task(self._resume(run), name=f'stead-worker-{run.run_id}')
            self._under_way[run.run_id] = task
        return bool(self._under_way)

    async def _resume(self, run: RunInfo) -> None:
        try:
            _keep(self.results, run.run_id, await self.journal.resume(self.agent, run.run_id, deps=self.deps))
        except RunInUse:
            pass  # another worker was quicker
        except ContentRedacted as error:
            logger.warning('%s', error)  # it waits, and goes on when there is a decision
        except Exception as error:
            _keep(self.failures, run.run_id, error)
            if isinstance(error, JournalError):
                self._abandoned.add(run.run_id)
            logger.warning('Run %s failed: %s', run.run_id, error)
        finally:
            self._under_way.pop(run.run_id, None)


def _keep(kept: dict[str, Any], run_id: str, value: object) -> None:
    kept[run_id] = value
    if len(kept) > 1000:
        del kept[next(iter(kept))]
