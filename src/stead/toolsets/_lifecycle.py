"""Sharing of entered toolsets: the first user enters a toolset, and the last one exits it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any

from .._contracts.toolset import AbstractToolset
from .._kit.shared import Opening, Shared
from .._kit.variables import BorrowedVariables
from .wrapper import implementing


def in_use(toolset: AbstractToolset[Any]) -> AbstractAsyncContextManager[Any] | None:
    """Return a context manager that keeps a toolset entered, or `None` if there is nothing to enter.

    However many users a toolset has on an event loop at the same time, it is entered once: from the first to the last.
    """
    if implementing(toolset, '__aenter__') is (inner := implementing(toolset, '__aexit__')):
        toolset = inner  # the same toolset may be in use inside other wrappers
    kind = type(toolset)
    if kind.__aenter__ is AbstractToolset.__aenter__ and kind.__aexit__ is AbstractToolset.__aexit__:
        return None
    return toolset if getattr(kind, 'enters_others', False) else _Use(toolset)


_shared: Shared[object] = Shared()
"""The entered toolsets by id. The opening of each keeps it alive, so that the id stays valid."""


class _Use(AbstractAsyncContextManager[Any]):
    """One use of a toolset."""

    opening: Opening[object]
    variables: BorrowedVariables

    def __init__(self, toolset: AbstractToolset[Any]) -> None:
        self.toolset = toolset

    async def __aenter__(self) -> AbstractToolset[Any]:
        self.opening = await _shared.enter(lambda: self.toolset, id(self.toolset))
        # A toolset may set context variables for its tools while it is entered, which happens in a task of its own: set them
        # in the task of the run, too.
        self.variables = BorrowedVariables(self.opening.variables)
        return self.toolset

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.variables.reset()
        if (raised := await self.opening.leave(error)) is not None:
            raise raised
