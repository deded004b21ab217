"""Bridges between sync and async: worker threads for sync functions, and event loops for sync callers."""

from __future__ import annotations

import asyncio
import atexit
import os
import selectors
import sys
import threading
from asyncio import Future as Future, Lock as Lock, get_running_loop as get_running_loop
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Generator, Iterator
from concurrent.futures import Executor, wait
from contextlib import AbstractAsyncContextManager, _AsyncGeneratorContextManager, contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import partial, wraps
from types import coroutine
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast
from weakref import WeakSet

from typing_extensions import ParamSpec, TypeAlias

from ..exceptions import UnsupportedEventLoopError
from .interrupts import Interrupts
from .shared import Opening, Shared
from .threads import run_in_worker_thread, stop_threads, without_stop_iteration

T = TypeVar('T')
P = ParamSpec('P')

Work: TypeAlias = Coroutine[Any, Any, T]
"""A coroutine that returns a value; what it yields and receives concerns the event loop only."""

AsyncioTimeoutError = asyncio.TimeoutError
"""What asyncio raises when time is up: in Python 3.10, not the `TimeoutError` that is built in."""

_executor: ContextVar[Executor | None] = ContextVar('stead_executor', default=None)
_no_threads: ContextVar[bool] = ContextVar('stead_no_threads', default=False)


@contextmanager
def using_thread_executor(executor: Executor) -> Iterator[None]:
    """Run sync functions on an executor of the caller inside the `with` block.

    Raises:
        TypeError: `executor` has no `submit` method.
    """
    if not callable(getattr(executor, 'submit', None)):
        raise TypeError(f'An executor must have a `submit` method, like a `ThreadPoolExecutor`; {executor!r} has none.')
    token = _executor.set(executor)
    try:
        yield
    finally:
        _executor.reset(token)


@contextmanager
def disable_threads() -> Iterator[None]:
    """Call sync functions in the event loop inside the `with` block, for platforms and sandboxes without threads."""
    token = _no_threads.set(True)
    try:
        yield
    finally:
        _no_threads.reset(token)


async def run_in_executor(func: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a sync function in a worker thread, with the context variables of the caller.

    A caller that is cancelled does not wait for the function, whose result is then discarded. See
    `run_in_worker_thread` for the number of threads.
    """
    if _no_threads.get():
        return without_stop_iteration(func, *args, **kwargs)
    executor = _executor.get()
    if executor is not None:
        call = partial(copy_context().run, without_stop_iteration, func, *args, **kwargs)
        return cast(T, await asyncio.get_running_loop().run_in_executor(executor, call))
    return await run_in_worker_thread(partial(func, *args, **kwargs))


class TimeLimitReached(asyncio.TimeoutError):
    """Work took longer than `within` allows; other errors about time are those of the work itself."""


async def _within_3_10(seconds: float, work: Awaitable[T]) -> T:
    """Implement `within` without `asyncio.timeout`, in the same task: one that `asyncio.wait_for` makes would start later."""
    task = asyncio.current_task()
    assert task is not None, 'coroutines run in tasks'
    expired = False

    def expire() -> None:
        nonlocal expired
        expired = True
        task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, expire)
    try:
        return await work
    except asyncio.CancelledError as error:
        if expired:
            raise TimeLimitReached from error
        raise
    finally:
        timer.cancel()


async def within(seconds: float, work: Awaitable[T]) -> T:
    """Await some work with a time limit, at which it is cancelled and its cleanup awaited.

    Raises:
        TimeLimitReached: It took longer. It is a `TimeoutError`, as the work itself may raise one.
    """
    if sys.version_info < (3, 11):
        return await _within_3_10(seconds, work)
    limit = asyncio.timeout(seconds)
    try:
        async with limit:  # in the same task, so that work starts in the order in which it is requested
            return await work
    except TimeoutError as error:
        if limit.expired() and isinstance(error.__cause__, asyncio.CancelledError):
            raise TimeLimitReached from error.__cause__
        raise


@coroutine
def in_own_context(work: Work[T]) -> Generator[Any, Any, T]:
    """Await a coroutine with its own copy of the context variables, like a task, but without the cost of one."""
    run = copy_context().run
    try:
        awaited = run(work.send, None)
        while True:
            try:
                sent = yield awaited
            except GeneratorExit:
                run(work.close)
                raise
            except BaseException as error:
                awaited = run(work.throw, error)
            else:
                awaited = run(work.send, sent)
    except StopIteration as end:
        return end.value


_cancelled: WeakSet[asyncio.Task[Any]] = WeakSet()
"""Tasks that `cancel_once` has cancelled."""


def cancel_once(task: asyncio.Task[Any]) -> None:
    """Cancel a task, unless this has done so before: what it does to end, such as to close a connection, is not interrupted."""
    if task not in _cancelled:
        _cancelled.add(task)
        task.cancel()


async def cancel_and_drain(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks, each of them once, and wait until they are done; their errors are discarded."""
    unfinished = [task for task in tasks if not _is_over(task)]
    for task in unfinished:
        cancel_once(task)
    if unfinished:
        await drain(*unfinished)


async def drain(*tasks: asyncio.Task[Any]) -> None:
    """Wait until tasks are done; their errors are discarded.

    A caller that is cancelled while it waits learns so when they are done, as with `asyncio.TaskGroup`: it is not passed on to
    the tasks, whose cleanup it would interrupt. Inside a cancelled scope of anyio every wait is cancelled again, so this one is
    shielded.

    A task of a loop that was left never ends. The garbage collector closes who waits for it, in the midst of some task of a
    later loop: nothing is awaited then, and that task's scopes are not touched.
    """
    from anyio import CancelScope

    loop = asyncio._get_running_loop()
    tasks = tuple(task for task in tasks if task.get_loop() is loop)
    cancelled: asyncio.CancelledError | None = None
    while not all(_is_over(task) for task in tasks):
        with CancelScope(shield=True):
            try:
                await asyncio.wait(tasks)
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None:
        raise cancelled


async def gather(*coroutines: Work[T]) -> list[T]:
    """Run coroutines concurrently and return their results in order.

    If one fails, or the caller is cancelled, the others are cancelled and awaited before the error propagates.
    """
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        gathered = asyncio.gather(*tasks)
        gathered.add_done_callback(_is_over)
        # Shielded, as it would cancel them, and then raise when the first of them has ended.
        return list(await asyncio.shield(gathered))
    finally:
        unfinished = [task for task in tasks if not task.done()]
        if unfinished:
            await cancel_and_drain(*unfinished)


async def gather_or_cancel(jobs: list[Work[None]]) -> None:
    """Run coroutines together; when one fails, or the caller is cancelled, cancel the others and wait for them.

    Raises:
        BaseException: What the first failing coroutine raised.
    """
    loop = asyncio.get_running_loop()
    wake: asyncio.Future[None] = loop.create_future()
    failed = False

    async def noted(job: Work[None]) -> None:
        nonlocal failed
        try:
            await job
        except BaseException:
            failed = True
            end(None)
            raise

    def end(_: object) -> None:
        if not wake.done():
            wake.set_result(None)

    # One task is waited for after the other, since a callback for each would cost as much as the task itself. By the time
    # that the first one ends, the others mostly have ended too; a job that fails wakes the caller by itself.
    tasks = [loop.create_task(noted(job)) for job in jobs]
    try:
        for task in tasks:
            while not (task.done() or failed):
                if wake.done():
                    wake = loop.create_future()
                task.add_done_callback(end)
                await wake
            failed = failed or task.cancelled()
        for task in tasks:
            if task.done():
                task.result()
        if not failed:  # then all are done
            tasks = []
    finally:
        unfinished = [task for task in tasks if not _is_over(task)]
        if unfinished:
            await cancel_and_drain(*unfinished)


def _is_over(task: asyncio.Future[Any]) -> bool:
    """Return whether a task is done; its error is retrieved then, so that asyncio does not report it as never retrieved."""
    if task.done() and not task.cancelled():
        task.exception()
    return task.done()


class _LoopOfThread(threading.local):
    """The event loop that a thread without a running one uses for its synchronous runs.

    All runs of a thread use the same loop, so that objects bound to a loop, such as HTTP connections, stay usable in later
    runs. It is closed when the thread ends.
    """

    owned: _OwnedLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        if self.owned is None or self.owned.loop.is_closed():
            self.owned = _OwnedLoop()
        return self.owned.loop


class _OwnedLoop:
    """A loop that is closed with its last reference: the values of a `threading.local` are released when their thread ends."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        _owned_loops.add(self)

    def __del__(self) -> None:
        _close_loop(self.loop)


_owned_loops: WeakSet[_OwnedLoop] = WeakSet()
_loop_of_thread = _LoopOfThread()


def _close_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Close a loop, unless it is closed or runs."""
    if loop.is_closed() or loop.is_running():
        return
    if not _is_running():  # a thread runs one loop at a time
        loop.run_until_complete(loop.shutdown_asyncgens())  # these close objects that are bound to the loop
    loop.close()


def _close_loops() -> None:
    for owned in list(_owned_loops):
        _close_loop(owned.loop)


def _close_inherited_loops() -> None:
    """Close, in a forked process, the loops of the parent without touching the selectors that they share."""
    for owned in list(_owned_loops):
        loop: Any = owned.loop
        if loop.is_closed() or loop.is_running() or not hasattr(loop, '_selector'):
            continue
        # Parent and child share one epoll object: what the child removes from it no longer wakes the parent. There is no
        # public API to replace it.
        loop._selector = selectors.DefaultSelector()
        loop.close()
    _loop_of_thread.owned = None


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_close_inherited_loops)


def run_coroutine_sync(coroutine: Work[T]) -> T:
    """Run a coroutine to its end from sync code and return its result.

    Without a running event loop it runs on a loop that belongs to the thread. Inside a running one, as in a notebook, it
    runs in a thread of its own while the caller waits. Ctrl+C cancels it, and so does any other signal whose handler raises;
    what the handler raised propagates when the coroutine is done. The second time the coroutine is left in the middle.

    Raises:
        UnsupportedEventLoopError: Another program turns the running loop, so it must not wait for a thread.
    """
    if not _is_running():
        return _run_on_loop(coroutine)
    kind = type(asyncio.get_running_loop())
    if kind.run_until_complete is asyncio.AbstractEventLoop.run_until_complete:
        coroutine.close()
        raise UnsupportedEventLoopError(
            f'`run_sync` would block the event loop that runs here ({kind.__name__}): another program turns it, as Temporal '
            'does in a workflow, and waits itself. Await `run` instead.'
        )
    return _call_in_thread(asyncio.run, coroutine)


def _run_until_done(loop: asyncio.AbstractEventLoop, coroutine: Work[T], interrupts: Interrupts) -> T:
    """Run a coroutine on a loop; if the thread is interrupted, it is cancelled and awaited."""
    task = loop.create_task(coroutine)
    interrupts.watch(partial(_cancel_soon, loop, task), loop=loop)
    try:
        return loop.run_until_complete(task)
    except BaseException:
        if not task.done() and interrupts.raised is None:  # or it is cancelled already
            task.cancel()
        # Also if it is done: a `SystemExit` leaves the loop before worker threads hear that they may end.
        _drain_loop(loop, [task], interrupts)
        raise


def _drain_loop(loop: asyncio.AbstractEventLoop, tasks: Collection[asyncio.Task[Any]], interrupts: Interrupts) -> None:
    """Run a loop until tasks are done, however many of them raise a `SystemExit` or `KeyboardInterrupt`, which leaves it."""
    while not interrupts.abandoned:
        try:
            return loop.run_until_complete(drain(*tasks))
        except (KeyboardInterrupt, SystemExit):
            if interrupts.abandoned:
                raise


def _abandon(loop: asyncio.AbstractEventLoop) -> None:
    """Give up a loop that was left in the middle of its work, so that running it again might wait forever."""
    stop_threads(loop)
    with suppress(RuntimeError):  # it was left before it could note that it no longer runs
        loop.close()


def _cancel_soon(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    """Cancel a task from a signal handler or another thread, and wake its loop."""
    with suppress(RuntimeError):  # the loop is closed: the task is done
        loop.call_soon_threadsafe(task.cancel)


def _run_on_loop(coroutine: Work[T]) -> T:
    with Interrupts() as interrupts:
        loop = _loop_of_thread.get()
        try:
            try:
                return _run_until_done(loop, coroutine, interrupts)
            finally:
                if not interrupts.abandoned and (leftover := asyncio.all_tasks(loop)):
                    for task in leftover:
                        cancel_once(task)
                    _drain_loop(loop, leftover, interrupts)
        finally:
            if interrupts.abandoned:
                _abandon(loop)
                _loop_of_thread.owned = None  # only now: with its last reference a loop that is not closed runs again


class _Elsewhere(Generic[T]):
    """A coroutine that runs on the event loop of another thread, where it can be cancelled from this one."""

    def __init__(self, coroutine: Work[T]) -> None:
        self.coroutine = coroutine
        self.cancelled = False
        self._task: asyncio.Task[Any] | None = None

    async def run(self) -> T:
        """Run the coroutine."""
        self._task = asyncio.current_task()
        if self.cancelled:
            self.coroutine.close()
            raise asyncio.CancelledError
        return await self.coroutine

    def cancel(self) -> None:
        """Cancel it, or keep it from starting."""
        self.cancelled = True
        if self._task is not None:
            _cancel_soon(self._task.get_loop(), self._task)

    def wait(
        self, join: Callable[[], object], result: Callable[[], T], *, start: Callable[[], object] | None = None
    ) -> T:
        """Wait for it in this thread; if that is interrupted, it is cancelled and waited for.

        Args:
            join: Returns when it is done.
            result: Returns its result, or raises its error.
            start: Starts it, if it does not run yet. A signal that arrives from then on is not lost.
        """
        with Interrupts(asyncio.current_task() if _is_running() else None) as interrupts:
            interrupts.watch(self.cancel)
            if start is not None:
                start()
            try:
                join()
            except BaseException:
                self.cancel()
                if not interrupts.abandoned:
                    join()
                raise
            return result()


def _call_in_thread(run: Callable[[Work[T]], T], coroutine: Work[T]) -> T:
    context = copy_context()
    work = _Elsewhere(coroutine)
    outcome: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(context.run(run, work.run()))
        except BaseException as error:
            failure.append(error)

    def result() -> T:
        if failure:
            raise failure[0]
        return outcome[0]

    thread = threading.Thread(target=target, name='stead-run-sync')
    return work.wait(thread.join, result, start=thread.start)


class SyncBridge:
    """A bridge from sync code to coroutines that live longer than one call, on an event loop of its own.

    The loop runs in the thread of the caller during each call, or in another thread if that thread already runs a loop.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread: threading.Thread | None = None
        self.opening: Opening[Any] | None = None
        if _is_running():
            self.thread = threading.Thread(target=self._serve, name='stead-stream-sync', daemon=True)
            self.thread.start()

    def _serve(self) -> None:
        self.loop.run_forever()
        self.loop.close()

    def run(self, coroutine: Work[T]) -> T:
        """Run a coroutine to its end and return its result.

        Raises:
            RuntimeError: The bridge is closed.
        """
        if self.loop.is_closed():
            coroutine.close()
            raise RuntimeError('The streamed run is closed, so nothing more can be read from it.')
        if self.thread is not None:
            work = _Elsewhere(coroutine)
            future = asyncio.run_coroutine_threadsafe(work.run(), self.loop)
            return work.wait(partial(wait, [future]), future.result)
        if _is_running():  # the thread has started a loop in the meantime
            return _call_in_thread(self._run_here, coroutine)
        return self._run_here(coroutine)

    def _run_here(self, coroutine: Work[T]) -> T:
        with Interrupts() as interrupts:
            try:
                return _run_until_done(self.loop, coroutine, interrupts)
            finally:
                if interrupts.abandoned:
                    _abandon(self.loop)

    def enter(self, context: AbstractAsyncContextManager[T]) -> T:
        """Enter a context manager in a task that keeps it open until `close`, and return what it yields."""
        return self.run(self._enter(context))

    async def _enter(self, context: AbstractAsyncContextManager[T]) -> T:
        self.opening = await Shared[T]().enter(lambda: context)
        return self.opening.value

    def close(self) -> None:
        """Exit the context manager, and close the loop; does nothing the second time.

        Raises:
            Exception: The exit of the context manager raised it.
        """
        if self.loop.is_closed() or (self.loop.is_running() and self.thread is None):
            return
        if (
            self.thread is threading.current_thread()
        ):  # garbage-collected in the thread of the loop, which cannot wait for itself
            leaving = self.loop.create_task(self._leave())
            leaving.add_done_callback(self._stop)
            return
        try:
            self.run(self._leave())
        finally:
            if self.thread is None:
                self.loop.close()
            else:
                self.loop.call_soon_threadsafe(self.loop.stop)
                self.thread.join()

    def _stop(self, leaving: asyncio.Task[None]) -> None:
        if not leaving.cancelled():
            leaving.exception()  # marks it as retrieved: there is no caller to raise it to
        self.loop.stop()

    async def _leave(self) -> None:
        this = asyncio.current_task()
        try:
            if self.opening is not None and (raised := await self.opening.leave()) is not None:
                raise raised
        finally:
            await cancel_and_drain(*(task for task in asyncio.all_tasks() if task is not this))
            await self.loop.shutdown_asyncgens()


def _is_running() -> bool:
    """Return whether the current thread runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


atexit.register(_close_loops)


class AsyncBlock:
    """Something to be used as `async with ... as name:`, and in no other way."""

    __slots__ = ()
    USE = ''
    """How it is used."""

    if not TYPE_CHECKING:  # type checkers find the mistake by themselves

        def __aiter__(self) -> NoReturn:
            raise TypeError(f'This cannot be looped over with `async for`. {self.USE}')

        def __await__(self) -> NoReturn:
            raise TypeError(f'This cannot be awaited. {self.USE}')


def async_block(
    use: str,
) -> Callable[[Callable[P, AsyncGenerator[T, None]]], Callable[P, AbstractAsyncContextManager[T]]]:
    """Do what `contextlib.asynccontextmanager` does, with an error that says how the block is used.

    Args:
        use: How it is used, as a sentence.
    """

    class NamedBlock(_AsyncGeneratorContextManager[Any], AsyncBlock):
        USE = use

    def decorate(function: Callable[P, AsyncGenerator[T, None]]) -> Callable[P, AbstractAsyncContextManager[T]]:
        @wraps(function)
        def begin(*args: P.args, **kwargs: P.kwargs) -> AbstractAsyncContextManager[T]:
            return NamedBlock(function, args, kwargs)

        return begin

    return decorate
