"""`RenamedToolset`: some tools under other names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ..exceptions import UserError
from .wrapper import StaticWrapperToolset


@dataclass
class RenamedToolset(StaticWrapperToolset[AgentDepsT]):
    """The tools of another toolset, some of them renamed."""

    name_map: dict[str, str]
    """New names to original names."""

    @property
    def tool_name_conflict_hint(self) -> str:
        """What to do about names that clash."""
        return 'Change the `name_map` attribute to avoid name conflicts.'

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools under their new names.

        Raises:
            UserError: A name to change is not that of a tool.
        """
        tools = await self.wrapped.get_tools(ctx)
        new_names = {original: new for new, original in self.name_map.items()}
        renamed: dict[str, ToolsetTool[AgentDepsT]] = {}
        for name, tool in tools.items():
            new = new_names.pop(name, name)
            if new in renamed or (new != name and new in tools and new not in self.name_map.values()):
                raise UserError(f'{self.label} gives two tools the name {new!r}. {self.tool_name_conflict_hint}')
            renamed[new] = (
                tool
                if new == name
                else replace(tool, toolset=self, tool_def=replace(tool.tool_def, name=new), wraps=tool)
            )
        if new_names:
            raise UserError(
                f'{self.label} renames {sorted(new_names)}, but there are no such tools; there are {sorted(tools)}. '
                '`name_map` maps new names to original names.'
            )
        return renamed

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool by its own name."""
        own = self.name_map.get(name, name)
        inner = tool.wraps or replace(tool, tool_def=replace(tool.tool_def, name=own))
        return await self.wrapped.call_tool(own, tool_args, ctx.fork(tool_name=own), inner)
