"""`DynamicToolset`: a toolset that a function of the run context makes."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from typing_extensions import Self, TypeAlias

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..messages import InstructionPart

ToolsetFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT]],
    Union[AbstractToolset[AgentDepsT], None, Awaitable[Union[AbstractToolset[AgentDepsT], None]]],
]
"""A function of the run context that returns a toolset or `None`, sync or async."""


@dataclass
class DynamicToolset(AbstractToolset[AgentDepsT]):
    """A toolset that a function makes, for every step or once for each run."""

    toolset_func: ToolsetFunc[AgentDepsT]
    """The function."""
    per_run_step: bool = True
    """Whether it is called for every step."""
    _id: str | None = None
    _made: AbstractToolset[AgentDepsT] | None = field(default=None, repr=False, compare=False)

    def __init__(
        self, toolset_func: ToolsetFunc[AgentDepsT], per_run_step: bool = True, *, id: str | None = None
    ) -> None:
        self.toolset_func = toolset_func
        self.per_run_step = per_run_step
        self._id = id
        self._made = None

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    @property
    def has_instructions(self) -> bool:
        """What is made may have some."""
        return True

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return an instance for the run, since what the function makes belongs to it."""
        instance = DynamicToolset(self.toolset_func, self.per_run_step, id=self._id)
        if not self.per_run_step:
            instance._made = await instance._make(ctx)
        return instance

    async def _make(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        made = self.toolset_func(ctx)
        toolset = await made if inspect.isawaitable(made) else made
        return await toolset.for_run(ctx) if toolset is not None else None

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Ask the function again, and exchange what it made before for what it makes now."""
        if self.per_run_step:
            made = await self._make(ctx)
            if made is not self._made:
                old, self._made = self._made, None
                if old is not None:
                    await old.__aexit__(None, None, None)
                if made is not None:
                    await made.__aenter__()
                self._made = made
        if self._made is not None:
            self._made = await self._made.for_run_step(ctx)
        return self

    async def __aenter__(self) -> Self:
        if self._made is not None:
            await self._made.__aenter__()
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        made, self._made = self._made, None
        return await made.__aexit__(*args) if made is not None else None

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of what was made."""
        return await self._made.get_instructions(ctx) if self._made is not None else None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of what was made."""
        return await self._made.get_tools(ctx) if self._made is not None else {}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool of the toolset it came from."""
        return await tool.toolset.call_tool(name, tool_args, ctx, tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of what was made, or on this toolset before that."""
        (self._made or super()).apply(visitor)  # type: ignore[union-attr]

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return this toolset with the leaves of what was made replaced, or what the visitor makes of it."""
        if self._made is None:
            return visitor(self)
        copy = DynamicToolset(self.toolset_func, self.per_run_step, id=self._id)
        copy._made = self._made.visit_and_replace(visitor)
        return copy
