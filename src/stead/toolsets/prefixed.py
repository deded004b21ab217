"""`PrefixedToolset`: the same tools under names with a prefix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ._copies import with_name
from .wrapper import Listing, WrapperToolset


@dataclass
class PrefixedToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset under names that start with a prefix and an underscore."""

    prefix: str
    """The prefix, without the underscore."""

    @property
    def tool_name_conflict_hint(self) -> str:
        """Advice for error messages about two tools with the same name."""
        return 'Change the `prefix` attribute to avoid name conflicts.'

    def map_tools(self, listing: Listing[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools under their new names."""
        new_names = ((f'{self.prefix}_{name}', tool) for name, tool in listing.tools.items())
        return {name: with_name(tool, name, toolset=self) for name, tool in new_names}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool by its name without the prefix."""
        own = name.removeprefix(f'{self.prefix}_')
        return await self.wrapped.call_tool(own, tool_args, ctx.fork(tool_name=own), with_name(tool, own))
