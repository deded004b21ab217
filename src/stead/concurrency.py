"""Limits on the number of concurrent runs or requests, with a fair queue for the rest."""

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
    """Base class of limiters; subclass it to limit by other means, such as a counter shared between machines."""

    @abstractmethod
    async def acquire(self, source: str) -> None:
        """Wait until work may start.

        Args:
            source: A name for the work, for traces and errors.

        Raises:
            ConcurrencyLimitExceeded: The queue is full.
        """

    @abstractmethod
    def release(self) -> None:
        """Signal that work which was allowed to start is over."""


@dataclass
class ConcurrencyLimit:
    """The settings of a limiter."""

    max_running: int
    """The maximum number that run at once."""
    max_queued: int | None = None
    """The maximum number that wait; None for no limit."""


class ConcurrencyLimiter(AbstractConcurrencyLimiter):
    """A limiter with a number of permits, for which callers wait in order of arrival.

    Agents, models, threads and event loops can share a limiter. A waiter that is cancelled gives up its place, or the
    permit it has just received.

    Args:
        max_running: The number of permits, 0 or more.
        max_queued: The maximum number that wait; None for no limit.
        name: The name of the limiter in traces and errors.
        tracer: Creates a span for each wait; by default the global OpenTelemetry tracer, if one is set up.

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
        # Needed since threads may share the limiter. Held for a few instructions only, and never across an await.
        self._lock = Lock()

    @classmethod
    def from_limit(cls, limit: int | ConcurrencyLimit, *, name: str | None = None, tracer: Any = None) -> Self:
        """Create a limiter from a number of permits or from settings.

        Args:
            limit: The number of permits, or a `ConcurrencyLimit`.
            name: The name of the limiter in traces and errors.
            tracer: Creates a span for each wait.
        """
        if isinstance(limit, int):
            return cls(limit, name=name, tracer=tracer)
        return cls(limit.max_running, max_queued=limit.max_queued, name=name, tracer=tracer)

    @property
    def name(self) -> str | None:
        """Return the name of the limiter."""
        return self._name

    @property
    def max_running(self) -> int:
        """Return the number of permits."""
        return self._max_running

    @property
    def running_count(self) -> int:
        """Return the number of permits in use."""
        return self._running

    @property
    def available_count(self) -> int:
        """Return the number of free permits."""
        return self._max_running - self._running

    @property
    def waiting_count(self) -> int:
        """Return the number of waiters."""
        return len(self._waiters)

    async def acquire(self, source: str) -> None:
        """Wait for a permit, in order of arrival.

        Args:
            source: A name for the work, for traces and errors.

        Raises:
            ConcurrencyLimitExceeded: All permits are in use, and `max_queued` others already wait.
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
        """Return a permit; it goes to the longest waiter.

        Raises:
            RuntimeError: No permit is in use.
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
        """Grant free permits to waiters. They count as in use from now on, so that no newcomer can take them first."""
        while self._waiters and self._running < self._max_running:
            if self._waiters.popleft().grant():
                self._running += 1

    def _span(self, source: str, waiting: int) -> AbstractContextManager[Any]:
        tracer = self._tracer
        if tracer is None:
            # A program that set up a tracer provider has imported this; others should not pay for the import.
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
        """Wake the waiter on its own loop, and return False if that loop is closed."""
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
"""A limit: a number of permits, settings, a limiter to share, or None for no limit."""


def normalize_to_limiter(limit: AnyConcurrencyLimit, *, name: str | None = None) -> AbstractConcurrencyLimiter | None:
    """Return a limiter for a limit.

    Args:
        limit: A number of permits or settings to create a limiter from, a limiter to return unchanged, or None.
        name: The name of a limiter that is created here.
    """
    if limit is None or isinstance(limit, AbstractConcurrencyLimiter):
        return limit
    return ConcurrencyLimiter.from_limit(limit, name=name)


class limited:  # noqa: N801 - used like a function
    """A context manager that holds a permit for the length of an `async with` block.

    Args:
        limiter: The limiter to get a permit from; with None there is no limit.
        source: A name for the work, for traces and errors.

    Raises:
        ConcurrencyLimitExceeded: On entering, if the queue is full.
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
