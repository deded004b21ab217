"""`Shared`: what several users have open at once, opened by the first of them and closed after the last.

It is a context manager (a connection, a toolset) that is entered once for all who use it at the same time on an event loop.
These hold, in whatever order users come, leave and are cancelled:

* A task of its own enters and exits it, because some things (anyio's task groups, for one) must be exited by the task that
  entered them, and the first user is not always the last. No user owns the task: it ends when the last user has left.
* Every `enter` that returns is followed by one `leave`. One that fails, or is cancelled, has left already.
* Users wait for the opening, never for each other: if one is cancelled meanwhile, the others get what it asked for. If the
  last one is cancelled, the opening is cancelled too. An error of the opening reaches all who wait for it; the next user
  tries again.
* `leave` waits for the close if the user is the last, also inside a cancelled scope of anyio. When that wait is cancelled
  anyway, the close continues without it, for to be cut off in the middle of it is worse than to be late.
* While it is being closed no one gets it: a user who comes then waits, and opens it again.
* It may break while it is in use: a task group in it fails, and cancels the task that it was entered in. It is exited at
  once. Its users are not interrupted; they find out when they use it. The next user opens another one, although not all users
  of the broken one have left.
* What the exit raises is returned by the `leave` of the last user, who decides what it is worth. Until then nothing is
  reported as "never retrieved", for there may be no user left to see it.
* An event loop that shuts down cancels the task, and it is exited like after an error.
* Context variables that the entering has set are at `Opening.variables`, for users to set on their side.
* Event loops share nothing, for what is open is bound to one of them; nor is an event loop kept by what was open on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar, copy_context
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from .variables import variables_set_since

T = TypeVar('T')

_lock = Lock()
"""Held while the entry of an event loop is made or looked for, since each has a thread of its own."""


class Shared(Generic[T]):
    """Keeps context managers entered as long as they have users, one for each key and event loop."""

    def __init__(self) -> None:
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, Opening[T]]] = WeakKeyDictionary()

    def _here(self) -> dict[Hashable, Opening[T]]:
        loop = asyncio.get_running_loop()
        with _lock:
            return self._by_loop.setdefault(loop, {})

    @property
    def users(self) -> int:
        """How many there are, of all keys and on all event loops."""
        with _lock:
            return sum(opening.users for openings in self._by_loop.values() for opening in list(openings.values()))

    def get(self, key: Hashable = None) -> Opening[T] | None:
        """Return what is open on the running event loop, is being opened, or closed."""
        return self._here().get(key)

    async def enter(self, manager: Callable[[], AbstractAsyncContextManager[T]], key: Hashable = None) -> Opening[T]:
        """Become a user; `leave` of what this returns ends that.

        Args:
            manager: Returns what to enter, if it is not open.
            key: What tells it from others.

        Raises:
            BaseException: What entering it raised.
        """
        openings = self._here()
        while (opening := openings.get(key)) is not None and opening.is_closing:
            await asyncio.wait([opening.task])
        if opening is None or opening.task.done():
            opening = openings[key] = Opening(manager(), openings, key)
        opening.users += 1
        try:
            await opening.wait()
        except BaseException as error:
            await opening.leave(error)
            raise
        return opening

    async def renew(self, lost: Opening[T], manager: Callable[[], AbstractAsyncContextManager[T]]) -> Opening[T]:
        """Return another opening in place of one that no longer works: what was opened since, or a new one.

        Args:
            lost: What no longer works. It is closed, and its users become those of the other one.
            manager: Returns what to enter.

        Raises:
            BaseException: What entering it raised.
        """
        openings, key = self._here(), lost.key
        if openings.get(key) is lost and not lost.is_closing:
            opening = openings[key] = Opening(manager(), openings, key)
            opening.users, lost.users = lost.users, 0
            await lost.close()
        opening = openings[key]
        await opening.wait()
        return opening


class Opening(Generic[T]):
    """A context manager that is entered, or about to be, and the task that does it."""

    value: T
    """What entering it returned."""

    def __init__(
        self, manager: AbstractAsyncContextManager[T], openings: dict[Hashable, Opening[T]], key: Hashable
    ) -> None:
        self.users = 0
        """How many there are, those included who wait for it."""
        self.variables: dict[ContextVar[Any], Any] = {}
        """The context variables that entering has set."""
        self._manager = manager
        self._openings = openings
        self.key = key
        self._opened = asyncio.Event()
        self._leaving = asyncio.Event()
        self._failure: BaseException | None = None
        self._last_error: BaseException | None = None
        self.task = asyncio.ensure_future(self._keep())
        self.task.add_done_callback(self._done)

    @property
    def is_closing(self) -> bool:
        """Whether its last user has left, but the task is not done."""
        return self._leaving.is_set() and not self.task.done()

    async def _keep(self) -> None:
        before = copy_context()
        try:
            self.value = await self._manager.__aenter__()
        except BaseException as error:
            self._failure = error
            if isinstance(error, Exception):  # which is for the users
                return
            raise
        finally:
            self._opened.set()
        self.variables = variables_set_since(before)
        try:
            await self._leaving.wait()
        except asyncio.CancelledError as error:
            self._last_error = error
            raise
        finally:
            error = self._last_error
            await self._manager.__aexit__(error and type(error), error, error and error.__traceback__)

    def _done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()
        if not self.users:
            self._forget()

    def _forget(self) -> None:
        if self._openings.get(self.key) is self:
            del self._openings[self.key]

    async def wait(self) -> None:
        """Wait until it is open.

        Raises:
            BaseException: What entering it raised.
        """
        await self._opened.wait()
        if self._failure is not None:
            raise self._failure

    async def leave(self, error: BaseException | None = None) -> BaseException | None:
        """Stop being a user, and wait until it is closed if there are no others; returns what closing it raised.

        Args:
            error: What ended the use, for the exit to see.
        """
        self.users -= 1
        if self.users > 0:
            return None
        self._last_error = error
        await self.close()
        self._forget()
        return None if self.task.cancelled() else self.task.exception()

    async def close(self) -> None:
        """Close it, whether or not it has users, and wait until it is closed."""
        self._leaving.set()
        if not self._opened.is_set():
            self.task.cancel()
        # A task of a loop that was left does not end; see `aio.drain`.
        if not self.task.done() and self.task.get_loop() is asyncio._get_running_loop():
            from anyio import CancelScope

            with CancelScope(shield=True):
                await asyncio.wait([self.task])
