"""`FilteredToolset`: the tools that pass a filter function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.late import dataclass
from .wrapper import WrapperToolset, check_callable


@dataclass
class FilteredToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset for which a function returns true. The function is called at every step."""

    filter_func: Callable[[RunContext[AgentDepsT], ToolDefinition], bool | Awaitable[bool]]
    """The function of the run context and the definition, sync or async."""

    def __post_init__(self) -> None:
        check_callable(self.filter_func, 'filter_func', self.wrapped)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools that the function returns true for."""
        kept: dict[str, ToolsetTool[AgentDepsT]] = {}
        for name, tool in (await self.wrapped.get_tools(ctx)).items():
            keep = self.filter_func(ctx, tool.tool_def)
            if not isinstance(keep, bool) and inspect.isawaitable(keep):
                keep = await keep
            if keep:
                kept[name] = tool
        return kept
