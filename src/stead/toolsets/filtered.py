"""`FilteredToolset`: the tools that pass a filter function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.plain_copies import changed, have_changed, own_copy
from ._copies import still_waiting
from .wrapper import Listing, WrapperToolset, check_callable, same_objects


@dataclass
class FilteredToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset for which a function returns true. The function is called at every step."""

    filter_func: Callable[[RunContext[AgentDepsT], ToolDefinition], bool | Awaitable[bool]]
    """The function of the run context and the definition, sync or async."""

    def __post_init__(self) -> None:
        check_callable(self.filter_func, 'filter_func', self.wrapped)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools that the function returns true for."""
        return await self._passing(ctx, await self.wrapped.get_tools(ctx))

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the same listing as long as the same tools pass, unless `get_tools` is overridden."""
        inner = await self.wrapped.tool_listing(ctx)
        passing, kept = await self._passing(ctx, inner.tools), self._last_listing
        members = [*passing.values()]
        if kept is not None and kept[0] is inner and same_objects(kept[1].tools.values(), members):
            return kept[1]
        listing = Listing(passing)
        self._last_listing = inner, listing
        return listing

    async def _passing(
        self, ctx: RunContext[AgentDepsT], tools: dict[str, ToolsetTool[AgentDepsT]]
    ) -> dict[str, ToolsetTool[AgentDepsT]]:
        kept: dict[str, ToolsetTool[AgentDepsT]] = {}
        for name, tool in tools.items():
            # The function may change the definition in place, which is for this step, and other runs have the same one.
            definition = own_copy(tool.tool_def)
            keep = self.filter_func(ctx, definition)
            if not isinstance(keep, bool) and inspect.isawaitable(keep):
                keep = await keep
            if keep:
                if have_changed(vars(tool.tool_def), vars(definition)):
                    tool = changed(tool, tool_def=still_waiting(definition, tool.tool_def))
                kept[name] = tool
        return kept
