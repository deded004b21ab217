"""Toolsets in use: entered by the first that needs one, exited when the last of them is done with it."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import ContextVar, Token, copy_context
from threading import Lock
from types import TracebackType
from typing import Any, cast
from weakref import WeakKeyDictionary

from .._contracts.toolset import AbstractToolset
from .wrapper import WrapperToolset


def in_use(toolset: AbstractToolset[Any]) -> AbstractAsyncContextManager[Any] | None:
    """Return a context manager that keeps a toolset entered, or `None` if there is nothing to enter.

    However many use a toolset on an event loop at once, it is entered once: by the first of them, until the last is done.
    """
    if answering(toolset, '__aenter__') is (inner := answering(toolset, '__aexit__')):
        toolset = inner  # the same toolset may be in use under other wrappers
    kind = type(toolset)
    if kind.__aenter__ is AbstractToolset.__aenter__ and kind.__aexit__ is AbstractToolset.__aexit__:
        return None
    return toolset if getattr(kind, 'enters_others', False) else _Use(toolset)


def answering(toolset: AbstractToolset[Any], method: str) -> AbstractToolset[Any]:
    """Return the toolset that answers a method in the end, where wrappers only pass it on."""
    passing_on = getattr(WrapperToolset, method)
    while getattr(type(toolset), method) is passing_on:
        toolset = cast('WrapperToolset[Any]', toolset).wrapped
    return toolset


class _Opening:
    """A toolset that is entered, and the task that entered it and will exit it.

    A task of its own does both, because some things (anyio's task groups, for one) must be exited by the task that
    entered them, and the first user of a toolset is not always the last.
    """

    def __init__(self, toolset: AbstractToolset[Any], openings: dict[int, _Opening]) -> None:
        self.toolset = toolset
        self.openings = openings
        self.users = 0
        self.error: BaseException | None = None
        self.leaving = asyncio.Event()
        self.variables: dict[ContextVar[Any], Any] = {}
        self.entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.task = asyncio.ensure_future(self._keep())

    async def _keep(self) -> None:
        try:
            if await self._enter():
                await self._stay()
        finally:
            del self.openings[id(self.toolset)]

    async def _enter(self) -> bool:
        before = copy_context()
        try:
            await self.toolset.__aenter__()
        except asyncio.CancelledError:
            self.entered.cancel()
            raise
        except BaseException as error:
            self.entered.set_exception(error)
            self.entered.exception()  # those who waited may be gone
            if isinstance(error, Exception):
                return False
            raise
        self.variables = {
            variable: value for variable, value in copy_context().items() if before.get(variable, self) is not value
        }
        self.entered.set_result(None)
        return True

    async def _stay(self) -> None:
        try:
            await self.leaving.wait()
        except asyncio.CancelledError as error:  # the event loop shuts down
            self.error = error
            raise
        finally:
            error = self.error
            await self.toolset.__aexit__(error and type(error), error, error and error.__traceback__)

    async def left(self, error: BaseException | None) -> None:
        """Note that a user is done, and wait for the exit if it was the last.

        Raises:
            Exception: What the exit of the toolset raised.
        """
        self.users -= 1
        if self.users:
            return
        self.error = error
        self.leaving.set()
        if not self.entered.done():
            self.task.cancel()
        await asyncio.wait([self.task])
        if not self.task.cancelled() and (raised := self.task.exception()) is not None:
            raise raised


_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Opening]] = WeakKeyDictionary()
_guard = Lock()


def _openings() -> dict[int, _Opening]:
    """Return what is open on the running loop by the id of the toolset, which its opening keeps alive."""
    with _guard:
        return _by_loop.setdefault(asyncio.get_running_loop(), {})


class _Use(AbstractAsyncContextManager[Any]):
    """One use of a toolset."""

    def __init__(self, toolset: AbstractToolset[Any]) -> None:
        self.toolset = toolset
        self.opening: _Opening | None = None
        self.tokens: list[tuple[ContextVar[Any], Token[Any]]] = []

    async def __aenter__(self) -> AbstractToolset[Any]:
        openings = _openings()
        while (opening := openings.get(id(self.toolset))) is not None and opening.leaving.is_set():
            await asyncio.wait([opening.task])
        if opening is None:
            opening = openings[id(self.toolset)] = _Opening(self.toolset, openings)
        opening.users += 1
        try:
            await asyncio.shield(opening.entered)
        except BaseException as error:
            await opening.left(error)
            raise
        self.opening = opening
        # What entering has set is meant for the tools, as if it had been done in the task of the run.
        self.tokens = [(variable, variable.set(value)) for variable, value in opening.variables.items()]
        return self.toolset

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        opening = self.opening
        assert opening is not None, 'exited without having been entered'
        for variable, token in reversed(self.tokens):
            with suppress(ValueError):  # exited in another task than it was entered in
                variable.reset(token)
        await opening.left(error)
