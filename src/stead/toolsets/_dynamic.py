"""`DynamicToolset`: a toolset that a function of the run context makes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetFunc, ToolsetTool
from ..exceptions import UserError
from ..messages import InstructionPart
from ._lifecycle import in_use


@dataclass
class DynamicToolset(AbstractToolset[AgentDepsT]):
    """A toolset that a function makes, for every step or once for each run."""

    toolset_func: ToolsetFunc[AgentDepsT]
    """The function."""
    per_run_step: bool = True
    """Whether it is called for every step."""
    _id: str | None = None
    _made: AbstractToolset[AgentDepsT] | None = field(default=None, init=False, repr=False, compare=False)
    """What the function returned last."""
    _toolset: AbstractToolset[AgentDepsT] | None = field(default=None, init=False, repr=False, compare=False)
    """What that is in this run and step."""
    _open: AsyncExitStack = field(default_factory=AsyncExitStack, init=False, repr=False, compare=False)
    enters_others: ClassVar[bool] = True
    """Entering it is nothing but entering toolsets that others may be using too."""

    def __init__(
        self, toolset_func: ToolsetFunc[AgentDepsT], per_run_step: bool = True, *, id: str | None = None
    ) -> None:
        """Build a toolset.

        Args:
            toolset_func: Returns a toolset, or `None` for no tools; sync or async.
            per_run_step: Whether it is called for every step, or once for each run.
            id: An id for the toolset.
        """
        self.toolset_func = toolset_func
        self.per_run_step = per_run_step
        self._id = id
        self._made = self._toolset = None
        self._open = AsyncExitStack()

    def _copy(self) -> DynamicToolset[AgentDepsT]:
        new = copy(self)
        new._made = new._toolset = None
        new._open = AsyncExitStack()
        return new

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    @property
    def has_instructions(self) -> bool:
        """What is made may have some."""
        return True

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return an instance for the run, since what the function makes belongs to it.

        Raises:
            UserError: The function returned something that is not a toolset.
        """
        new = self._copy()
        if not self.per_run_step:
            new._made = await self._make(ctx)
            new._toolset = await new._made.for_run(ctx) if new._made is not None else None
        return new

    async def _make(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        answer = self.toolset_func(ctx)
        made: Any = await answer if inspect.isawaitable(answer) else answer
        if made is not None and not isinstance(made, AbstractToolset):
            name = getattr(self.toolset_func, '__qualname__', repr(self.toolset_func))
            raise UserError(
                f'The toolset function {name!r} returned {type(made).__name__}: {made!r}. Return a toolset, or `None` '
                'for no tools; put functions into a `FunctionToolset`.'
            )
        return made  # type: ignore[reportUnknownVariableType]

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Ask the function again, and exchange what it made before for what it makes now.

        Raises:
            UserError: The function returned something that is not a toolset.
        """
        if self.per_run_step:
            made = await self._make(ctx)
            if made is not self._made:
                toolset = await made.for_run(ctx) if made is not None else None
                self._made = self._toolset = None
                await self._open.aclose()
                await self._enter(toolset)
                self._made, self._toolset = made, toolset
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

    async def __aexit__(self, *args: Any) -> bool | None:
        self._made = self._toolset = None
        await self._open.aclose()
        return None

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of what was made."""
        return await self._toolset.get_instructions(ctx) if self._toolset is not None else None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of what was made."""
        return await self._toolset.get_tools(ctx) if self._toolset is not None else {}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call a tool of what was made.

        Raises:
            UserError: Nothing was made yet, or `None` was.
        """
        if self._toolset is None:
            raise UserError(
                f'{self.label} has no tool {name!r}: its function has made no toolset for this step. Call tools on the '
                'toolset that `for_run` and `for_run_step` return.'
            )
        return await self._toolset.call_tool(name, tool_args, ctx, tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of what was made, or on this toolset before that."""
        if self._toolset is None:
            visitor(self)
        else:
            self._toolset.apply(visitor)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return this toolset with the leaves of what was made replaced, or what the visitor makes of it."""
        if self._toolset is None:
            return visitor(self)
        new = self._copy()
        new._made, new._toolset = self._made, self._toolset.visit_and_replace(visitor)
        return new
