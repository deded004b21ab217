"""`HereEngine`: the base class of engines that run steps in the process of the run, and keep their outcomes."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, ClassVar

from .._kit.ids import use_source
from ._engine import DurableStep, StepEngine, StepInDoubt

Record = Callable[[Callable[[], Awaitable[str]]], Awaitable[str]]
"""Runs a function once, keeps what it returned, and returns the kept text from then on."""


class _SeededSource:
    """Ids that follow from what a run is known by, and from when the engine began with it."""

    def __init__(self, seed: str, began: datetime) -> None:
        self.getrandbits = random.Random(seed).getrandbits
        self.began = began

    def now(self) -> datetime:
        return self.began


_source: ContextVar[_SeededSource | None] = ContextVar('stead_seeded_ids', default=None)
use_source(_source.get)


@contextmanager
def _ids_of(source: _SeededSource) -> Iterator[None]:
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


class HereEngine(StepEngine):
    """Runs steps where the run is.

    A call that must not be done twice has a place of its own for the note that it starts. When the note is there, and was not
    made just now, and there is no outcome, then a process died in between, and the call is in doubt. Where an engine keeps no
    exceptions, a third place says that the call raised one: it is no longer in doubt, and is called again.
    """

    keeps_exceptions: ClassVar[bool] = True
    """Whether what a step raised is its outcome from then on, and raised again."""
    by_name: Mapping[str, Any]
    """Options of the calls of some tools; `None` for a tool that is called in the code of the run."""

    def in_place(self, toolset: str) -> frozenset[str]:
        """Return the tools that are called in the code of the run, in whatever toolset they are."""
        return frozenset(name for name, options in self.by_name.items() if options is None)

    @abstractmethod
    def reserve(self, step: DurableStep, suffix: str = '') -> Record:
        """Take the next place for a step, at once: the order of places is that in which steps begin."""

    @abstractmethod
    async def known_by(self) -> tuple[str, datetime]:
        """Return what the run that begins now is known by, and a time in UTC: the same when the engine continues it."""

    async def ids(self) -> AbstractContextManager[None]:
        """Return a context manager in which a run begins: its ids follow from what it is known by."""
        return _ids_of(_SeededSource(*await self.known_by()))

    async def run(self, step: DurableStep) -> bytes:
        """Run a step, or return its outcome if it was run before.

        Raises:
            StepInDoubt: The step may have been done, and must not be done twice.
            Exception: What the step raised.
        """

        async def work() -> str:
            return (await step.work()).decode()

        if step.kind != 'call_tool' or step.effect != 'write':
            return (await self.reserve(step)(work)).encode()
        return (await self._run_once(step, work, '')).encode()

    async def _run_once(self, step: DurableStep, work: Callable[[], Awaitable[str]], again: str) -> str:
        note, record = self.reserve(step, f'{again} starts'), self.reserve(step, again)
        raised = None if self.keeps_exceptions else self.reserve(step, f'{again} raised')
        noted: list[str] = []

        async def start() -> str:
            noted.append('now')
            return 'started'

        async def work_once() -> str:
            if not noted:
                return _IN_DOUBT
            return await work()

        await note(start)
        try:
            outcome = await record(work_once)
        except Exception:
            if raised is not None:
                await raised(_returning('yes'))
            raise
        if outcome != _IN_DOUBT:
            return outcome
        if raised is not None and await raised(_returning('no')) == 'yes':
            return await self._run_once(step, work, f'{again} again')
        raise StepInDoubt


_IN_DOUBT = 'in doubt'


def _returning(text: str) -> Callable[[], Awaitable[str]]:
    async def say() -> str:
        return text

    return say
