"""`Interrupts`: signals that arrive while sync code waits for a coroutine, such as Ctrl+C."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from typing_extensions import Self

from ..exceptions import first_raised

_ENDINGS = [getattr(signal, name) for name in ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK') if hasattr(signal, name)]
"""The signals that ask a program to end."""


_MACHINERY = {'asyncio', 'anyio', 'stead'}
"""The packages whose code runs and wakes tasks and worker threads."""


class Interrupts:
    """Holds back what signal handlers raise in the main thread, until the work that it waits for was cancelled and is done.

    A handler runs between any two instructions of the main thread. If one that raises does so in the middle of an event
    loop, a wake-up may be lost, so that a task never ends, or a worker thread never hears that it may. So the handlers of
    the program are called as ever, but what the first one raises is kept, the work is cancelled, and it is raised when the
    block is left; `asyncio.Runner` does so with Ctrl+C. A handler that raises nothing, such as one that sets a flag, changes
    nothing.

    The second time the work is given up. If a function of the program is running, what the handler raises is raised there at
    once. In the middle of the event loop it is not: raised between two instructions of `asyncio` or `threading` it could
    leave a lock held, some of them by the whole process, and the next run would wait for it forever. So the loop is stopped
    after its current round instead. The third time it is raised wherever the thread is.

    Only signals that ask a program to end are treated so, and only in the main thread, where handlers run.
    """

    def __init__(self, outer: asyncio.Task[Any] | None = None) -> None:
        """Prepare.

        Args:
            outer: The task that waits, if it does so in the middle of an event loop. A handler that cancels it cancels the
                work too.
        """
        self.raised: BaseException | None = None
        """What is held back."""
        self.abandoned: bool = False
        """Whether the work is to be left in the middle, so that no part of it may be waited for."""
        self._at_once: BaseException | None = None
        self._outer = outer
        self._cancelling = times_cancelled(outer)
        self._cancel: Callable[[], object] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[int, Callable[[int, FrameType | None], object]] = {}
        self._handler = self._handle
        self._over = False

    def watch(self, cancel: Callable[[], object], *, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Say how the work is cancelled.

        Args:
            cancel: Cancels it; called in signal handlers, so it has to be safe at any moment.
            loop: The event loop that this thread runs for the work.
        """
        self._cancel, self._loop = cancel, loop
        if self.raised is not None:
            cancel()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            try:
                self._install()
            except BaseException:  # a handler raised in the middle of it
                self._over = True
                self._restore()
                raise
        return self

    def _install(self) -> None:
        for number in _ENDINGS:
            before = signal.getsignal(number)
            if callable(before):
                self._before[number] = before
                try:
                    signal.signal(number, self._handler)
                except ValueError:  # not the main interpreter
                    break

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._over:
            self._before[number](number, frame)
            return
        try:
            self._before[number](number, frame)
        except BaseException as error:
            if self.raised is not None:
                if self._is_for_now(frame):
                    self._at_once = error
                    raise
                return
            self.raised = error
        else:
            if times_cancelled(self._outer) <= self._cancelling:
                return
        if self._cancel is not None:
            self._cancel()

    def _is_for_now(self, frame: FrameType | None) -> bool:
        """Give up the work, and return whether what a handler raised has to be raised at once for that."""
        before, self.abandoned = self.abandoned, True
        loop = self._loop
        if self._cancel is None or (loop is not None and not loop.is_running()):  # before the work, or after it
            return False
        if loop is None:
            return True
        if before or not _is_in_event_loop(frame):
            return True
        loop.call_soon_threadsafe(loop.stop)
        return False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over = True
        try:
            self._restore()
        except BaseException:  # a handler raised in the middle of it
            self._restore()
            raise
        self._cancel = self._loop = self._outer = None  # the work may have come to much, which is not kept for a signal
        raised = self.raised
        if raised is None or (error is not None and error is self._at_once):
            return
        if error is not None:  # what was attached to the cancellation is not lost
            attached = vars(first_raised(error))
            vars(raised).update({name: value for name, value in attached.items() if name not in vars(raised)})
        raise raised from (None if self.abandoned or isinstance(error, asyncio.CancelledError) else error)

    def _restore(self) -> None:
        for number, before in self._before.items():
            if signal.getsignal(number) == self._handler:
                signal.signal(number, before)


def _is_in_event_loop(frame: FrameType | None) -> bool:
    """Return whether a thread is in the middle of the event loop or of stead, and not in a function of the program."""
    while frame is not None:
        package = str(frame.f_globals.get('__name__')).partition('.')[0]
        if package in _MACHINERY:
            return True
        if (
            package not in sys.stdlib_module_names
        ):  # what others than these call in the standard library is their affair
            return False
        frame = frame.f_back
    return False


def times_cancelled(task: asyncio.Task[Any] | None) -> int:
    """Return how many times a task was cancelled, without those that were taken back; Python 3.10 does not count them."""
    return task.cancelling() if task is not None and sys.version_info >= (3, 11) else 0
