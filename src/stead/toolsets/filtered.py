"""`FilteredToolset`: some of the tools."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .wrapper import WrapperToolset


@dataclass
class FilteredToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset for which a function returns true, asked at every step."""

    filter_func: Callable[[RunContext[AgentDepsT], ToolDefinition], bool | Awaitable[bool]]
    """The function, sync or async."""

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools that pass."""
        kept: dict[str, ToolsetTool[AgentDepsT]] = {}
        for name, tool in (await self.wrapped.get_tools(ctx)).items():
            answer = self.filter_func(ctx, tool.tool_def)
            if await answer if inspect.isawaitable(answer) else answer:
                kept[name] = tool
        return kept
