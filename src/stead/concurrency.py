"""Limits on the number of concurrent runs or requests, with a fair queue for the rest; and what stops runs."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from types import TracebackType
from typing import Any, Protocol, TypeVar, Union

from typing_extensions import Self, TypeAlias

from ._kit import aio
from ._kit.around import PLACE_AROUND, inside
from ._kit.records import DataRecord
from ._kit.sdk_types import Tracer
from .exceptions import ConcurrencyLimitExceeded, UserError

__all__ = (
    'AbstractConcurrencyLimiter',
    'AnyConcurrencyLimit',
    'CancellationToken',
    'ConcurrencyLimit',
    'ConcurrencyLimiter',
    'get_concurrency_context',
    'limited',
    'normalize_to_limiter',
)


class Emittable(Protocol):
    """What `CustomEvent` and `CapabilityEvent` have that is filled in when they are emitted."""

    tool_call_id: str | None
    """The tool call that has emitted it."""
    tool_name: str | None
    """The name of its tool."""


EmittedT = TypeVar('EmittedT', bound=Emittable)
"""Type variable for an event that is emitted."""


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
        """Signal that work which was allowed to start has finished."""


@dataclass(repr=False, eq=False)
class ConcurrencyLimit(DataRecord):
    """The settings of a limiter."""

    max_running: int
    """The maximum number that run at once."""
    max_queued: int | None = None
    """The maximum number that wait; None for no limit."""

    def __post_init__(self) -> None:
        _check_limits(self.max_running, self.max_queued, 'ConcurrencyLimit')


def _check_limits(max_running: int, max_queued: int | None, owner: str) -> None:
    if max_running < 1:
        raise ValueError(f'max_running of a {owner} must be 1 or more, not {max_running}: nothing would ever run.')
    if max_queued is not None and max_queued < 0:
        raise ValueError(f'max_queued of a {owner} must be 0 or more, or None for no limit, not {max_queued}.')


class ConcurrencyLimiter(AbstractConcurrencyLimiter):
    """A limiter with a number of permits, for which callers wait in order of arrival.

    Agents, models, threads and event loops can share a limiter. A waiter that is cancelled gives up its place, or the
    permit it has just received.

    Args:
        max_running: The number of permits, 1 or more.
        max_queued: The maximum number that wait, 0 or more; None for no limit.
        name: The name of the limiter in traces and errors.
        tracer: Creates a span for each wait; by default the global OpenTelemetry tracer, if one is set up.

    Raises:
        ValueError: A number is too small.
    """

    def __init__(
        self, max_running: int, *, max_queued: int | None = None, name: str | None = None, tracer: Tracer | None = None
    ):
        _check_limits(max_running, max_queued, 'ConcurrencyLimiter')
        self._max_running = max_running
        self._max_queued = max_queued
        self._name = name
        self._tracer = tracer
        self._running = 0
        self.places: list[Place] = []
        """The known places that hold its permits."""
        self._waiters: deque[Waiter] = deque()
        # Needed since threads may share the limiter. Held for a few instructions only, and never across an await.
        self._lock = Lock()

    @classmethod
    def from_limit(
        cls, limit: int | ConcurrencyLimit, *, name: str | None = None, tracer: Tracer | None = None
    ) -> Self:
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
            waiter = Waiter()
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

    def _give_up(self, waiter: Waiter) -> None:
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


class Waiter:
    """A place in the queue."""

    __slots__ = 'future', 'granted', 'loop'

    def __init__(self) -> None:
        self.loop = aio.get_running_loop()
        self.future: aio.Future[None] = self.loop.create_future()
        self.granted: bool = False

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


AnyConcurrencyLimit: TypeAlias = Union[int, ConcurrencyLimit, AbstractConcurrencyLimiter, None]
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


class Place:
    """Work that has a permit, or continues without one: a tool call, a run or a request, and what they call."""

    __slots__ = 'is_open', 'limiter', 'outer', 'waits_for'

    def __init__(self, limiter: AbstractConcurrencyLimiter, outer: Place | None) -> None:
        self.limiter: AbstractConcurrencyLimiter = limiter
        self.outer: Place | None = outer
        """The place around this one."""
        self.is_open: bool = True
        self.waits_for: list[ConcurrencyLimiter] = []
        """The limiters that work inside of it waits for."""

    def is_of(self, limiter: AbstractConcurrencyLimiter) -> bool:
        """Return whether this is an open place of a limiter."""
        return self.is_open and self.limiter is limiter

    def all(self) -> Iterator[Place]:
        """Yield the place, and those around it."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.outer


_waiting = Lock()
"""Held while `Place.waits_for` changes, since threads may share limiters."""


def _is_stuck(limiter: ConcurrencyLimiter) -> bool:
    """Return whether no permit of a limiter can become free, because all holders wait for each other in a circle.

    A permit without a place was acquired directly, and may become free at any time.
    """
    stuck: list[ConcurrencyLimiter] = []
    found = [limiter]
    while found:
        one = found.pop()
        if not any(one is other for other in stuck):
            stuck.append(one)
            found.extend(other for place in one.places for other in place.waits_for)

    def is_held(one: ConcurrencyLimiter) -> bool:
        return 0 < one.running_count <= len(one.places) and all(
            any(other is held for other in place.waits_for for held in stuck) for place in one.places
        )

    while free := [one for one in stuck if not is_held(one)]:
        stuck = [one for one in stuck if not any(one is other for other in free)]
    return any(one is limiter for one in stuck)


class Permit:
    """A context manager that holds a permit for the length of an `async with` block, and yields the place of the permit.

    Code inside of that place, see `inside`, needs no other permit of the same limiter: it could wait for it forever. If several
    places wait for each other's permits in a circle, the last of them continues without a permit.

    Args:
        limiter: The limiter to get a permit from; with None there is no limit.
        source: A name for the work, for traces and errors.

    Raises:
        ConcurrencyLimitExceeded: On entering, if the queue is full.
    """

    __slots__ = '_has_permit', '_limiter', '_place', '_source'

    def __init__(self, limiter: AbstractConcurrencyLimiter | None, source: str = 'unnamed'):
        self._limiter = limiter
        self._source = source
        self._place: Place | None = None
        self._has_permit = False

    async def __aenter__(self) -> Place | None:
        limiter, outer = self._limiter, PLACE_AROUND.get()
        if limiter is None or (outer is not None and any(place.is_of(limiter) for place in outer.all())):
            return None
        if outer is None:
            await limiter.acquire(self._source)
            self._has_permit = True
        else:
            self._has_permit = await self._wait(limiter, outer)
        self._place = place = Place(limiter, outer)
        if self._has_permit and isinstance(limiter, ConcurrencyLimiter):
            limiter.places.append(place)
        return place

    async def _wait(self, limiter: AbstractConcurrencyLimiter, outer: Place) -> bool:
        """Wait for a permit inside of a place, and return `True`; return `False` at once if the wait would never end."""
        if not isinstance(limiter, ConcurrencyLimiter):
            await limiter.acquire(self._source)
            return True
        places = list(outer.all())
        with _waiting:
            for place in places:
                place.waits_for.append(limiter)
            stuck = limiter.available_count <= 0 and _is_stuck(limiter)
        try:
            if not stuck:
                await limiter.acquire(self._source)
        finally:
            with _waiting:
                for place in places:
                    place.waits_for.remove(limiter)
        return not stuck

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        place = self._place
        if place is None:
            return
        place.is_open = False
        if self._has_permit:
            if isinstance(place.limiter, ConcurrencyLimiter):
                place.limiter.places.remove(place)
            place.limiter.release()


class limited(Permit):  # noqa: N801 - used like a function
    """A context manager that holds a permit for the length of an `async with` block.

    Code in the block, and in tasks and threads that it starts, shares the permit, see `Permit`.

    Args:
        limiter: The limiter to get a permit from; with None there is no limit.
        source: A name for the work, for traces and errors.

    Raises:
        ConcurrencyLimitExceeded: On entering, if the queue is full.
    """

    __slots__ = ('_within',)

    async def __aenter__(self) -> None:
        self._within: AbstractContextManager[None] | None = None
        place = await super().__aenter__()
        if place is not None:
            self._within = inside(place)
            self._within.__enter__()

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if self._within is not None:
            self._within.__exit__(None, None, None)
        await super().__aexit__(_type, _error, _traceback)


get_concurrency_context = limited


class CancellationToken:
    """Cancels the runs that it was passed to, as `cancellation_token=`; they end in `RunCancelled`.

    One token may be for many runs. It may be cancelled in any thread, and stays cancelled.
    """

    __slots__ = ('__weakref__', '_cancelled', '_lock', '_reason', '_registrations')

    def __init__(self) -> None:
        """Make a token that is not cancelled."""
        self._cancelled = False
        self._reason: str | None = None
        self._lock = Lock()
        self._registrations: dict[object, Callable[[], None]] = {}

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._cancelled

    @property
    def reason(self) -> str | None:
        """Why it was cancelled, if that was said."""
        return self._reason

    def cancel(self, reason: str | None = None) -> None:
        """Cancel all runs that have the token, and those that get it later; a reason is part of their errors."""
        with self._lock:
            if not self._cancelled:
                self._cancelled, self._reason = True, reason
            waiting = list(self._registrations.values())
            self._registrations.clear()
        for stop in waiting:
            stop()

    def register(self, stop: Callable[[], None]) -> Callable[[], None]:
        """Call a function when the token is cancelled, or now if it was; return a function that takes it back.

        Args:
            stop: The function; it may be called in any thread.
        """
        key = object()
        with self._lock:
            waits = not self._cancelled
            if waits:
                self._registrations[key] = stop
        if not waits:
            stop()
        return lambda: self._take_back(key)

    def _take_back(self, key: object) -> None:
        with self._lock:
            self._registrations.pop(key, None)


class StoppableRun:
    """What a context knows of its run without a field of its own.

    It has a slot, since its subclasses have many fields.
    """

    __slots__ = ('stopper',)

    stopper: Any
    """What stops the run; `None` outside of one."""
    model: Any
    messages: Any

    @property
    def model_id(self) -> str | None:
        """The name that capabilities, with `ResolveModelId` or `SelectModel`, found the model by; `None` if they did not."""
        return None if self.stopper is None else self.stopper.model_id

    @property
    def context_window_used(self) -> float | None:
        """How much of the context window of the model the last request and its response have taken, where 1.0 is all of it.

        `None` before the first response, if its usage is not known, or if the size of the window is not: the tables of
        `genai-prices` have it for most models, where that package is installed.
        """
        window = self.model.context_window
        last = next((one for one in reversed(self.messages) if one.kind == 'response'), None)
        return last.usage.total_tokens / window or None if window and last is not None else None

    @property
    def deadline(self) -> datetime | None:
        """When the run is to have ended, in UTC; `None` if it has no `timeout`."""
        return None if self.stopper is None else self.stopper.deadline

    @property
    def usage_limits(self) -> Any:
        """The `UsageLimits` of the run; `None` if none were passed."""
        return None if self.stopper is None else self.stopper.usage_limits

    @property
    def budget(self) -> Any:
        """The budgets that the run draws from, a `BudgetOfRun`: `ctx.budget.left.usd`. `None` if there are none."""
        return None if self.stopper is None else self.stopper.ledger

    def remaining_time(self) -> float | None:
        """Return the seconds that are left of the `timeout` of the run, at least 0; `None` if it has none."""
        end = self.deadline
        return None if end is None else max((end - self.stopper.now()).total_seconds(), 0.0)

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the run, which ends in `RunCancelled`; may be called in any thread.

        Args:
            reason: Why; it is part of the error.

        Raises:
            UserError: This is not the context of a run.
        """
        if self.stopper is None:
            raise UserError(
                'There is no run to cancel: call `cancel` on the context that a tool or hook of a run receives.'
            )
        self.stopper.cancel(reason)

    async def emit(self, event: EmittedT) -> EmittedT:
        """Show an event to what reads the events of the run: handlers, listeners, and the readers of its streams.

        Inside a tool it is shown at once. Elsewhere it comes with the events of the step, at most 1,024 of them. Nothing happens
        if nothing reads the events.

        Args:
            event: The event. It gets the id and the name of the current tool call, unless it has some.

        Returns:
            The event.

        Raises:
            UserError: The context does not belong to a running agent, it is not such an event, or it is one of a capability and
                no hook or tool of one emits it.
        """
        if self.stopper is None:
            raise UserError(
                'Cannot emit an event: this RunContext does not belong to a running agent. '
                'Call `emit` on the context that a tool or hook of a run receives.'
            )
        return self.stopper.emit(self, event)
