"""Between sync and async: worker threads for sync functions, and event loops for sync callers."""

from __future__ import annotations

import asyncio
import atexit
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any, TypeVar, cast

from typing_extensions import ParamSpec, TypeIs

T = TypeVar('T')
P = ParamSpec('P')

_executor: ContextVar[Executor | None] = ContextVar('stead_executor', default=None)
_no_threads: ContextVar[bool] = ContextVar('stead_no_threads', default=False)


def is_async_callable(obj: Any) -> TypeIs[Callable[..., Awaitable[Any]]]:
    """Return whether calling an object gives something to await: functions, methods, partials, callable objects."""
    while isinstance(obj, partial):
        obj = cast(Any, obj).func
    if inspect.iscoroutinefunction(obj):
        return True
    return not inspect.isroutine(obj) and inspect.iscoroutinefunction(getattr(type(obj), '__call__', None))  # noqa: B004  # type: ignore[reportUnknownArgumentType]


@contextmanager
def using_thread_executor(executor: Executor) -> Iterator[None]:
    """Run sync functions on an executor of the caller's inside the `with` block."""
    token = _executor.set(executor)
    try:
        yield
    finally:
        _executor.reset(token)


@contextmanager
def disable_threads() -> Iterator[None]:
    """Call sync functions in place inside the `with` block, for platforms and sandboxes without threads."""
    token = _no_threads.set(True)
    try:
        yield
    finally:
        _no_threads.reset(token)


async def run_in_executor(func: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a sync function in a worker thread, with the context variables of the caller.

    The threads are those of anyio: at most 40 at once, reused, and gone with the event loop. When the caller is
    cancelled it does not wait for the function, whose result is then dropped.
    """
    if _no_threads.get():
        return func(*args, **kwargs)
    executor = _executor.get()
    if executor is not None:
        call = partial(copy_context().run, func, *args, **kwargs)
        return cast(T, await asyncio.get_running_loop().run_in_executor(executor, call))
    from anyio.to_thread import run_sync

    return await run_sync(partial(func, *args, **kwargs), abandon_on_cancel=True)


async def cancel_and_drain(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until they are done; what they raise is dropped."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def gather(*coroutines: Coroutine[Any, Any, T]) -> list[T]:
    """Run coroutines together and return their results in order.

    When one fails, or the caller is cancelled, the others are cancelled and waited for before the error goes on.
    """
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        unfinished = [task for task in tasks if not task.done()]
        if unfinished:
            await cancel_and_drain(*unfinished)


class _LoopOfThread(threading.local):
    """The event loop that a thread without a running one uses for its synchronous runs.

    One loop serves all runs of a thread, so that what is bound to a loop, such as HTTP connections, stays usable from
    run to run. It closes with the thread.
    """

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            _loops.append(self.loop)
        return self.loop

    def __del__(self) -> None:
        if self.loop is not None and not self.loop.is_running():
            self.loop.close()


_loops: list[asyncio.AbstractEventLoop] = []
_loop_of_thread = _LoopOfThread()


def _close_loops() -> None:
    for loop in _loops:
        if not loop.is_closed() and not loop.is_running():
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


def run_coroutine_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end from sync code and return its result.

    Without a running event loop it runs on a loop that the thread keeps. Inside a running one, as in a notebook, it
    runs in a thread of its own while the caller waits. `KeyboardInterrupt` cancels it and goes on.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run_on_loop(coroutine)
    return _run_in_thread(coroutine)


def _run_on_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    loop = _loop_of_thread.get()
    task = loop.create_task(coroutine)
    try:
        return loop.run_until_complete(task)
    except BaseException:
        if not task.done():
            task.cancel()
            loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        raise
    finally:
        leftover = asyncio.all_tasks(loop)
        if leftover:
            loop.run_until_complete(cancel_and_drain(*leftover))


def _run_in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    context = copy_context()
    outcome: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(context.run(asyncio.run, coroutine))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=target, name='stead-run-sync')
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


class SyncBridge:
    """Lets sync code go back and forth to coroutines that live longer than one call, on an event loop of its own.

    The loop runs in the caller's thread while a call lasts; if that thread runs a loop already, in another thread.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread: threading.Thread | None = None
        self.keeper: asyncio.Task[None] | None = None
        self.done: asyncio.Event | None = None
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        self.thread = threading.Thread(target=self.loop.run_forever, name='stead-stream-sync', daemon=True)
        self.thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end and return its result."""
        if self.thread is not None:
            return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()
        return self.loop.run_until_complete(coroutine)

    def enter(self, context: AbstractAsyncContextManager[T]) -> T:
        """Enter a context manager in a task that keeps it open until `close`, and return what it yields."""
        return self.run(self._enter(context))

    async def _enter(self, context: AbstractAsyncContextManager[T]) -> T:
        entered: asyncio.Future[T] = self.loop.create_future()
        self.done = done = asyncio.Event()

        async def keep() -> None:
            try:
                async with context as value:
                    entered.set_result(value)
                    await done.wait()
            except BaseException as error:
                if entered.done():
                    raise
                entered.set_exception(error)

        self.keeper = asyncio.ensure_future(keep())
        return await entered

    def close(self) -> None:
        """Leave the context manager, and close the loop; does nothing the second time.

        Raises:
            Exception: What leaving the context manager raised.
        """
        if self.loop.is_closed():
            return
        try:
            self.run(self._leave())
        finally:
            if self.thread is not None:
                self.loop.call_soon_threadsafe(self.loop.stop)
                self.thread.join()
            self.loop.close()

    async def _leave(self) -> None:
        try:
            if self.keeper is not None and self.done is not None:
                self.done.set()
                await self.keeper
        finally:
            await cancel_and_drain(*(asyncio.all_tasks() - {cast(Any, asyncio.current_task())}))
            await self.loop.shutdown_asyncgens()


atexit.register(_close_loops)
