"""Limits on how many runs or requests go on at once, with a fair queue for the rest."""

from __future__ import annotations

import asyncio
import sys
from abc import ABC, abstractmethod
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import Any

from typing_extensions import Self, TypeAlias

from .exceptions import ConcurrencyLimitExceeded

__all__ = (
    'AbstractConcurrencyLimiter',
    'AnyConcurrencyLimit',
    'ConcurrencyLimit',
    'ConcurrencyLimiter',
    'get_concurrency_context',
    'limited',
    'normalize_to_limiter',
)


class AbstractConcurrencyLimiter(ABC):
    """Decide when work may start; subclass to limit by other means, such as a counter shared between machines."""

    @abstractmethod
    async def acquire(self, source: str) -> None:
        """Wait until work may start.

        Args:
            source: What wants to start, for traces and errors.

        Raises:
            ConcurrencyLimitExceeded: There is no room left to wait in.
        """

    @abstractmethod
    def release(self) -> None:
        """Say that work which had been let in is over."""


@dataclass
class ConcurrencyLimit:
    """Describe a limit, without being one yet.

    Args:
        max_running: How many may run at once.
        max_queued: How many may wait; None for any number.
    """

    max_running: int
    max_queued: int | None = None


class ConcurrencyLimiter(AbstractConcurrencyLimiter):
    """Let a number of holders in at once and the rest wait in order of arrival.

    One limiter may be shared by agents, models, threads and event loops. A waiter that is cancelled gives up its
    place, or the permit it was just given.

    Args:
        max_running: How many may run at once, 0 or more.
        max_queued: How many may wait; None for any number.
        name: What the limiter is called in traces and errors.
        tracer: Makes a span of each wait; by default the global OpenTelemetry tracer, where one is set up.

    Raises:
        ValueError: `max_running` is negative.
    """

    def __init__(self, max_running: int, *, max_queued: int | None = None, name: str | None = None, tracer: Any = None):
        if max_running < 0:
            raise ValueError(f'max_running of a ConcurrencyLimiter must be 0 or more, not {max_running}.')
        self._max_running = max_running
        self._max_queued = max_queued
        self._name = name
        self._tracer = tracer
        self._running = 0
        self._waiters: deque[_Waiter] = deque()
        # Held for a few instructions and never across an await: it is here because threads may share the limiter.
        self._lock = Lock()

    @classmethod
    def from_limit(cls, limit: int | ConcurrencyLimit, *, name: str | None = None, tracer: Any = None) -> Self:
        """Make a limiter of a number or a description.

        Args:
            limit: How many may run at once, or a `ConcurrencyLimit`.
            name: What the limiter is called in traces and errors.
            tracer: Makes a span of each wait.
        """
        if isinstance(limit, int):
            return cls(limit, name=name, tracer=tracer)
        return cls(limit.max_running, max_queued=limit.max_queued, name=name, tracer=tracer)

    @property
    def name(self) -> str | None:
        """Return what the limiter is called."""
        return self._name

    @property
    def max_running(self) -> int:
        """Return how many may run at once."""
        return self._max_running

    @property
    def running_count(self) -> int:
        """Return how many have been let in and not released."""
        return self._running

    @property
    def available_count(self) -> int:
        """Return how many more would be let in at once."""
        return self._max_running - self._running

    @property
    def waiting_count(self) -> int:
        """Return how many wait."""
        return len(self._waiters)

    async def acquire(self, source: str) -> None:
        """Wait for a permit, in order of arrival.

        Args:
            source: What wants to start, for traces and errors.

        Raises:
            ConcurrencyLimitExceeded: All permits are taken and `max_queued` others wait already.
        """
        with self._lock:
            if self._running < self._max_running and not self._waiters:
                self._running += 1
                return
            waiting = len(self._waiters)
            if self._max_queued is not None and waiting >= self._max_queued:
                raise ConcurrencyLimitExceeded(
                    f'{source!r} cannot start: the concurrency limit{f" {self._name!r}" if self._name else ""} is full, '
                    f'{self._running} of {self._max_running} run and {waiting} wait (max_queued={self._max_queued}). '
                    'Try again later, or raise max_running or max_queued.'
                )
            waiter = _Waiter()
            self._waiters.append(waiter)
        with self._span(source, waiting + 1):
            try:
                await waiter.future
            except BaseException:
                self._give_up(waiter)
                raise

    def release(self) -> None:
        """Give a permit back; it goes to whoever has waited longest.

        Raises:
            RuntimeError: No permit is taken.
        """
        with self._lock:
            if not self._running:
                raise RuntimeError('ConcurrencyLimiter.release() was called more often than acquire().')
            self._running -= 1
            self._hand_out()

    def _give_up(self, waiter: _Waiter) -> None:
        with self._lock:
            if waiter.granted:
                self._running -= 1
                self._hand_out()
            elif waiter in self._waiters:
                self._waiters.remove(waiter)

    def _hand_out(self) -> None:
        """Give free permits to waiters; the permit counts as taken from here on, so nobody can slip in between."""
        while self._waiters and self._running < self._max_running:
            if self._waiters.popleft().grant():
                self._running += 1

    def _span(self, source: str, waiting: int) -> AbstractContextManager[Any]:
        tracer = self._tracer
        if tracer is None:
            # Whoever set up a tracer provider has imported this already; nobody else needs to pay for it.
            api = sys.modules.get('opentelemetry.trace')
            if api is None:
                return nullcontext()
            tracer = api.get_tracer('pydantic-ai')
        attributes: dict[str, str | int] = {
            'source': source,
            'waiting_count': waiting,
            'max_running': self._max_running,
        }
        if self._name is not None:
            attributes['limiter_name'] = self._name
        if self._max_queued is not None:
            attributes['max_queued'] = self._max_queued
        return tracer.start_as_current_span(f'waiting for {self._name or source} concurrency', attributes=attributes)


class _Waiter:
    """A place in the queue."""

    __slots__ = 'future', 'granted', 'loop'

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[None] = self.loop.create_future()
        self.granted = False

    def grant(self) -> bool:
        """Wake the waiter on its own loop; say False if that loop is gone."""
        try:
            self.loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            return False
        self.granted = True
        return True

    def _wake(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


AnyConcurrencyLimit: TypeAlias = 'int | ConcurrencyLimit | AbstractConcurrencyLimiter | None'
"""Whatever can be given as a limit: a number, a description, a limiter to share, or None for no limit."""


def normalize_to_limiter(limit: AnyConcurrencyLimit, *, name: str | None = None) -> AbstractConcurrencyLimiter | None:
    """Turn whatever was given as a limit into a limiter.

    Args:
        limit: A number or description to make a limiter of, a limiter to use as it is, or None.
        name: What a limiter made here is called.
    """
    if limit is None or isinstance(limit, AbstractConcurrencyLimiter):
        return limit
    return ConcurrencyLimiter.from_limit(limit, name=name)


class limited:  # noqa: N801 - used like a function
    """Hold a permit for the length of an `async with` block.

    Args:
        limiter: Where the permit comes from; with None the block just runs.
        source: What wants to start, for traces and errors.

    Raises:
        ConcurrencyLimitExceeded: On entering, when there is no room left to wait in.
    """

    __slots__ = '_limiter', '_source'

    def __init__(self, limiter: AbstractConcurrencyLimiter | None, source: str = 'unnamed'):
        self._limiter = limiter
        self._source = source

    async def __aenter__(self) -> None:
        if self._limiter is not None:
            await self._limiter.acquire(self._source)

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if self._limiter is not None:
            self._limiter.release()


get_concurrency_context = limited
