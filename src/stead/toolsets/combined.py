"""`CombinedToolset`: several toolsets as one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import Self

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..exceptions import UserError
from ..messages import InstructionPart


@dataclass
class CombinedToolset(AbstractToolset[AgentDepsT]):
    """The tools of several toolsets.

    It may be entered by several runs at once; the toolsets are entered with the first and left with the last of them.
    """

    toolsets: Sequence[AbstractToolset[AgentDepsT]]
    """The toolsets."""
    _users: int = field(default=0, init=False, repr=False, compare=False)
    _stack: AsyncExitStack | None = field(default=None, init=False, repr=False, compare=False)
    _guard: Any = field(default_factory=threading.Lock, init=False, repr=False, compare=False)
    _turns: dict[Any, asyncio.Lock] = field(default_factory=lambda: {}, init=False, repr=False, compare=False)

    @property
    def id(self) -> str | None:
        """A combination has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'{type(self).__name__}({", ".join(toolset.label for toolset in self.toolsets)})'

    @property
    def tools_version(self) -> Hashable | None:
        """Those of all toolsets together, if each of them has one."""
        if type(self).get_tools is not CombinedToolset.get_tools:
            return None
        versions = [toolset.tools_version for toolset in self.toolsets]
        return None if None in versions else (id(self), *versions)

    @property
    def has_instructions(self) -> bool:
        """Whether any of the toolsets has instructions."""
        return any(toolset.has_instructions for toolset in self.toolsets)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a combination of what the toolsets return."""
        return self._of([await toolset.for_run(ctx) for toolset in self.toolsets])

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a combination of what the toolsets return."""
        return self._of([await toolset.for_run_step(ctx) for toolset in self.toolsets])

    def _of(self, toolsets: list[AbstractToolset[AgentDepsT]]) -> AbstractToolset[AgentDepsT]:
        if all(new is old for new, old in zip(toolsets, self.toolsets)):
            return self
        return CombinedToolset(toolsets)

    def _turn(self) -> asyncio.Lock:
        """Return the lock of the running loop; an `asyncio.Lock` serves one loop only."""
        loop = asyncio.get_running_loop()
        with self._guard:
            for other in [other for other in self._turns if other.is_closed()]:
                del self._turns[other]
            return self._turns.setdefault(loop, asyncio.Lock())

    async def __aenter__(self) -> Self:
        if all(type(toolset).__aenter__ is AbstractToolset.__aenter__ for toolset in self.toolsets):
            return self  # nothing to open
        async with self._turn():
            if self._users == 0:
                async with AsyncExitStack() as stack:
                    for toolset in self.toolsets:
                        await stack.enter_async_context(toolset)
                    self._stack = stack.pop_all()
            self._users += 1
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        if all(type(toolset).__aenter__ is AbstractToolset.__aenter__ for toolset in self.toolsets):
            return None
        async with self._turn():
            self._users -= 1
            if self._users == 0 and self._stack is not None:
                stack, self._stack = self._stack, None
                await stack.aclose()
        return None

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[str | InstructionPart] | None:
        """Return the instructions of all toolsets."""
        found: list[str | InstructionPart] = []
        for toolset in self.toolsets:
            if not toolset.has_instructions:
                continue
            said = await toolset.get_instructions(ctx)
            if isinstance(said, (str, InstructionPart)):
                found.append(said)
            elif said:
                found.extend(said)
        return found or None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of all toolsets.

        Raises:
            UserError: Two tools have one name.
        """
        tools: dict[str, ToolsetTool[AgentDepsT]] = {}
        owners: dict[str, AbstractToolset[AgentDepsT]] = {}
        for toolset in self.toolsets:
            for name, tool in (await toolset.get_tools(ctx)).items():
                if name in tools:
                    raise UserError(
                        f'Two tools have the name {name!r}: one of {owners[name].label}, and one of '
                        f'{toolset.label}. {toolset.tool_name_conflict_hint}'
                    )
                tools[name] = tool
                owners[name] = toolset
        return tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool of the toolset it came from."""
        return await tool.toolset.call_tool(name, tool_args, ctx, tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of all toolsets."""
        for toolset in self.toolsets:
            toolset.apply(visitor)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return a combination of the toolsets with their leaves replaced."""
        return CombinedToolset([toolset.visit_and_replace(visitor) for toolset in self.toolsets])
