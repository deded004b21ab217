"""`SimulatedLoop`: an event loop whose clock jumps to the next timer, and whose threads are timers.

Nothing waits in real time: where no callback is ready, the clock is set to the time of the next timer. A function for a thread
is called in the loop after a while that is drawn at random, and its result arrives later, as that of a thread would. So the seed
alone decides what happens, and in which order. Real sockets and threads still work, and their order is that of the machine.
"""

from __future__ import annotations

import asyncio
import random
import selectors
import threading
from collections.abc import Callable
from typing import Any

PATIENCE = 5.0
"""How many real seconds to wait for something from outside, where the loop itself has nothing left to do."""


class NothingLeft(AssertionError):
    """A run waits, and nothing is left that could wake it."""


class JumpingClock(selectors.DefaultSelector):
    """Sets the clock in place of waiting."""

    now = 0.0
    _polls = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._polls += 1
        if timeout == 0 and self._polls % 16:  # the loop is busy
            return []
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is not None:
            self.now += timeout
            return []
        if ready := super().select(PATIENCE):
            return ready
        raise NothingLeft('the run waits for something that never happens')


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Runs what is ready, and then what comes next by its clock."""

    def __init__(self, rng: random.Random) -> None:
        """Make a loop.

        Args:
            rng: Says how long functions take that run in threads.
        """
        self._clock = JumpingClock()
        super().__init__(self._clock)
        self.rng = rng
        self.turns = 0
        """How many times callbacks were run that were ready: between two turns, a task may be cancelled."""
        self.problems: list[str] = []
        """What asyncio would log, such as errors that no one retrieves."""
        self._thread = threading.get_ident()
        self._due: tuple[int, Callable[[], object]] | None = None
        self.set_exception_handler(self._note)

    def at_turn(self, turn: int, act: Callable[[], object]) -> None:
        """Call a function in a turn to come."""
        self._due = turn, act

    def time(self) -> float:
        """Return the time of the virtual clock, in seconds since the loop was made."""
        return self._clock.now

    def _run_once(self) -> None:
        self.turns += 1
        if self._due is not None and self._due[0] <= self.turns:
            (_, act), self._due = self._due, None
            act()
        once: Any = super()
        once._run_once()

    def call_soon_threadsafe(self, callback: Any, *args: Any, **options: Any) -> asyncio.Handle:
        """Call a function soon; only from another thread does that need to wake the loop."""
        if threading.get_ident() == self._thread:
            return self.call_soon(callback, *args, **options)
        return super().call_soon_threadsafe(callback, *args, **options)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """Call a function as if a thread did: a caller that is cancelled does not keep it from running to its end."""
        future = self.create_future()

        def arrive(deliver: Callable[[Any], None], value: object) -> None:
            if not future.done():
                deliver(value)

        def work() -> None:
            try:
                result = func(*args)
            except Exception as error:
                self.call_later(self.rng.random(), arrive, future.set_exception, error)
            else:
                self.call_later(self.rng.random(), arrive, future.set_result, result)

        self.call_later(self.rng.random(), work)
        return future

    def _note(self, loop: object, context: dict[str, Any]) -> None:
        error = context.get('exception')
        if not isinstance(error, NothingLeft):
            self.problems.append(f'{context["message"]}: {error!r}' if error is not None else context['message'])
