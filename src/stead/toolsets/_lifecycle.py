"""Toolsets in use: entered by the first that needs one, exited when the last of them is done with it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, cast

from .._contracts.toolset import AbstractToolset
from .._kit.shared import Opening, Shared
from .._kit.variables import BorrowedVariables
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


_shared: Shared[Any] = Shared()
"""What is entered, by the id of the toolset, which its opening keeps alive."""


class _Use(AbstractAsyncContextManager[Any]):
    """One use of a toolset."""

    opening: Opening[Any]
    variables: BorrowedVariables

    def __init__(self, toolset: AbstractToolset[Any]) -> None:
        self.toolset = toolset

    async def __aenter__(self) -> AbstractToolset[Any]:
        self.opening = await _shared.enter(lambda: self.toolset, id(self.toolset))
        # What entering has set is meant for the tools, as if it had been done in the task of the run.
        self.variables = BorrowedVariables(self.opening.variables)
        return self.toolset

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.variables.reset()
        if (raised := await self.opening.leave(error)) is not None:
            raise raised
