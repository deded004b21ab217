"""`DynamicToolset`: a toolset that a function of the run context builds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetFunc, ToolsetTool
from ..exceptions import UserError
from ..messages import InstructionPart
from .wrapper import in_use


@dataclass
class DynamicToolset(AbstractToolset[AgentDepsT]):
    """A toolset that a function builds, for every step or once for each run."""

    toolset_func: ToolsetFunc[AgentDepsT]
    """The function, sync or async; returns a toolset, or `None` for no tools."""
    per_run_step: bool = True
    """Whether the function is called for every step, or once for each run."""
    _id: str | None = None
    _returned: AbstractToolset[AgentDepsT] | None = field(default=None, init=False, repr=False, compare=False)
    """The toolset that the function returned last."""
    _toolset: AbstractToolset[AgentDepsT] | None = field(default=None, init=False, repr=False, compare=False)
    """The same toolset as `for_run` and `for_run_step` returned it."""
    _open: AsyncExitStack = field(default_factory=AsyncExitStack, init=False, repr=False, compare=False)
    enters_others: ClassVar[bool] = True
    """Entering this only enters other toolsets, which are shared where they are used."""

    def __init__(
        self, toolset_func: ToolsetFunc[AgentDepsT], per_run_step: bool = True, *, id: str | None = None
    ) -> None:
        """Build a toolset.

        Args:
            toolset_func: Returns a toolset, or `None` for no tools; sync or async.
            per_run_step: Whether the function is called for every step, or once for each run.
            id: An id for the toolset.
        """
        self.toolset_func = toolset_func
        self.per_run_step = per_run_step
        self._id = id
        self._open = AsyncExitStack()

    def _copy(self) -> DynamicToolset[AgentDepsT]:
        new = copy(self)
        new._returned = new._toolset = None
        new._open = AsyncExitStack()
        return new

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    @property
    def has_instructions(self) -> bool:
        """`True`, because the toolset that the function returns may have instructions."""
        return True

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a copy for the run, because the toolset that the function returns belongs to one run.

        Raises:
            UserError: The function returned something that is not a toolset.
        """
        new = self._copy()
        if not self.per_run_step:
            new._returned = await self._build(ctx)
            new._toolset = await new._returned.for_run(ctx) if new._returned is not None else None
        return new

    async def _build(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        toolset: object = self.toolset_func(ctx)
        if inspect.isawaitable(toolset):
            toolset = await toolset
        if toolset is not None and not isinstance(toolset, AbstractToolset):
            name = getattr(self.toolset_func, '__qualname__', repr(self.toolset_func))
            raise UserError(
                f'The toolset function {name!r} returned {type(toolset).__name__}: {toolset!r}. Return a toolset, or `None` '
                'for no tools; put functions into a `FunctionToolset`.'
            )
        return cast('AbstractToolset[AgentDepsT] | None', toolset)

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Call the function again, and replace the toolset that it returned before with the one it returns now.

        Raises:
            UserError: The function returned something that is not a toolset.
        """
        if self.per_run_step:
            returned = await self._build(ctx)
            if returned is not self._returned:
                toolset = await returned.for_run(ctx) if returned is not None else None
                self._returned = self._toolset = None
                await self._open.aclose()
                await self._enter(toolset)
                self._returned, self._toolset = returned, toolset
        if self._toolset is not None:
            self._toolset = await self._toolset.for_run_step(ctx)
        return self

    async def _enter(self, toolset: AbstractToolset[AgentDepsT] | None) -> None:
        use = in_use(toolset) if toolset is not None else None
        if use is not None:
            await self._open.enter_async_context(use)

    async def __aenter__(self) -> Self:
        await self._enter(self._toolset)
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        self._returned = self._toolset = None
        await self._open.aclose()
        return None

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of the toolset that the function returned."""
        return await self._toolset.get_instructions(ctx) if self._toolset is not None else None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the toolset that the function returned."""
        return await self._toolset.get_tools(ctx) if self._toolset is not None else {}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call a tool of the toolset that the function returned.

        Raises:
            UserError: The function was not called yet, or returned `None`.
        """
        if self._toolset is None:
            raise UserError(
                f'{self.label} has no tool {name!r}: its function has not returned a toolset for this step. Call tools on the '
                'toolset that `for_run` and `for_run_step` return.'
            )
        return await self._toolset.call_tool(name, tool_args, ctx, tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of the toolset that the function returned, or on this toolset if there is none."""
        if self._toolset is None:
            visitor(self)
        else:
            self._toolset.apply(visitor)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return a copy with the leaves of the function's toolset replaced, or what the visitor returns for this one if none."""
        if self._toolset is None:
            return visitor(self)
        new = self._copy()
        new._returned, new._toolset = self._returned, self._toolset.visit_and_replace(visitor)
        return new
