"""`HeldOpen`: a function that runs around something that happens outside of it.

A hook has the form `async def hook(handler): ...; result = await handler(); ...; return result`. Here, what it is called
around is not a function that the handler could call: it is a block of the caller's own (`async with block():`), which
the caller enters and leaves when it likes. So the hook runs in a task, and its handler only waits until the block is left:

    caller                          task
    await held.open()   ---------->  the function begins
                                     ... and calls its handler: `await held.park()`
    the block goes on   <----------  (waits)
    await held.close(x) ---------->  `park` returns x; the function ends, and returns
    the result          <----------

These hold, whatever the function does, and whichever of the two is cancelled:

* The task belongs to the caller of `open`, who must call one of `close`, `fail` and `cancel` once `open` has returned. All of
  them wait for the task, so that it never outlives them, also when the caller is cancelled a second time. `open` and `cancel`
  do not pass that on to the task, which has been told to end; `close` and `fail` do so with each, as if the function were
  called in the task of the caller.
* `park` never waits after the end: once the caller has ended the wait, every call of it returns or raises the same at once.
  So a function that calls its handler a second time gets the first outcome again. Several calls may wait at the same time.
* Nothing the function does can end the wait for others. If it cancels its handler (a timeout, a task group), that call of
  `park` alone is cancelled, and the block goes on. The caller learns at the end what happened to the function.
* The function may end before the caller does: it never called its handler (`open` then returns `False`), or it left its
  handler early. `close` returns or raises what it ended with; an error of the block counts more than that, so `fail`
  drops it. A caller for whom the block counts more in any case asks `is_done` first. An error of the function before its
  handler is raised by `open`.
* The function sees the very error of the block. If that comes out of it again, it has not recovered, and `fail` returns
  `None` for the caller to raise the error from where it is. If another one comes out, that is raised.
* Nothing is reported as "never retrieved": what the caller does not want to know is dropped.
* An error that is not an `Exception` (a cancellation, `KeyboardInterrupt`) ends the block for good. The function is then
  cancelled, wherever it waits: if that is in its handler, `park` raises the `CancelledError` that the caller has chosen, so
  that a function can tell why. What it raises or returns then is dropped.
* A cancellation of the task from elsewhere, as when its event loop shuts down, is never swallowed here: `park` passes it on.
  If it comes through `close` or `fail`, because their caller is cancelled while they wait, they end when the task does.
* The task begins with a copy of the context variables of the caller, and what it sets in them is seen by the function alone.
  See `variables` for how to share it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar, cast

from .aio import cancel_and_drain

EndT = TypeVar('EndT')
ResultT = TypeVar('ResultT')


class HeldOpen(Generic[EndT, ResultT]):
    """Runs a function in a task, and keeps it waiting in its handler until the caller is done."""

    _task: asyncio.Task[ResultT]

    def __init__(self) -> None:
        self.parked: bool = False
        """Whether `park` was called."""
        self._parked_or_done = asyncio.Event()
        self._ended = asyncio.Event()
        self._end: EndT | None = None
        self._error: BaseException | None = None

    async def open(self, function: Callable[[], Coroutine[Any, Any, ResultT]]) -> bool:
        """Run a function until it waits in `park`, and return whether it does; else it has returned already.

        Args:
            function: Awaits `park` of this object somewhere, directly or as the handler of a hook.

        Raises:
            BaseException: What the function raised.
        """
        self._task = asyncio.ensure_future(function())
        self._task.add_done_callback(self._done)
        try:
            await self._parked_or_done.wait()
        except BaseException:
            await self.cancel()
            raise
        if self._task.done():
            self._task.result()
            return False
        return True

    def _done(self, task: asyncio.Task[ResultT]) -> None:
        self._parked_or_done.set()
        if not task.cancelled():
            task.exception()

    @property
    def is_done(self) -> bool:
        """Whether the function has ended."""
        return self._task.done()

    @property
    def result(self) -> ResultT:
        """What the function has returned, if `open` says so."""
        return self._task.result()

    async def park(self) -> EndT:
        """Wait, inside the function, until the caller is done, and return what it passes to `close`.

        Raises:
            BaseException: What the caller passes to `fail` or `cancel`.
        """
        self.parked = True
        self._parked_or_done.set()
        try:
            await self._ended.wait()
        except asyncio.CancelledError:
            if not isinstance(self._error, asyncio.CancelledError):  # then it does not come from `cancel`
                raise
        if self._error is not None:
            raise self._error
        return cast(EndT, self._end)

    async def close(self, end: EndT) -> ResultT:
        """Let `park` return a value, and return what the function returns.

        Raises:
            BaseException: What the function raised.
        """
        self._end = end
        self._ended.set()
        return await self._task

    async def fail(self, error: BaseException) -> ResultT | None:
        """Let `park` raise an error, and return what the function returns, or `None` if it does not recover.

        Raises:
            BaseException: What the function raised in place of the error.
        """
        if self._task.done() or not isinstance(error, Exception):
            # The error itself goes on in the task of the caller.
            await self.cancel(
                asyncio.CancelledError(*error.args) if isinstance(error, asyncio.CancelledError) else None
            )
            return None
        self._error = error
        self._ended.set()
        try:
            return await self._task
        except BaseException as raised:
            if raised is not error:
                raise
            return None

    async def cancel(self, error: asyncio.CancelledError | None = None) -> None:
        """Cancel the function, and wait until it is done; what it raises or returns is dropped.

        Args:
            error: What `park` raises.
        """
        if not self._task.done():
            self._error = error or asyncio.CancelledError()
            self._ended.set()
        await cancel_and_drain(self._task)
