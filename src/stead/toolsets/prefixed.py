"""`PrefixedToolset`: the same tools under names with a prefix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from .wrapper import StaticWrapperToolset


@dataclass
class PrefixedToolset(StaticWrapperToolset[AgentDepsT]):
    """The tools of another toolset under names that start with a prefix and an underscore."""

    prefix: str
    """The prefix."""

    @property
    def tool_name_conflict_hint(self) -> str:
        """What to do about names that clash."""
        return 'Change the `prefix` attribute to avoid name conflicts.'

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools under their new names."""
        tools = await self.wrapped.get_tools(ctx)
        return {
            new: replace(tool, toolset=self, tool_def=replace(tool.tool_def, name=new), wraps=tool)
            for tool, new in ((tool, f'{self.prefix}_{name}') for name, tool in tools.items())
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool by its own name."""
        own = name.removeprefix(f'{self.prefix}_')
        inner = tool.wraps or replace(tool, tool_def=replace(tool.tool_def, name=own))
        return await self.wrapped.call_tool(own, tool_args, ctx.fork(tool_name=own), inner)
