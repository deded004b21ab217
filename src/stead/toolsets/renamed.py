"""`RenamedToolset`: some tools under other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ..exceptions import UserError
from ._copies import with_name
from .wrapper import Listing, WrapperToolset, check_names


@dataclass
class RenamedToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset, some of them renamed."""

    name_map: dict[str, str]
    """Original names by new name."""

    def __post_init__(self) -> None:
        if not isinstance(self.name_map, Mapping):  # type: ignore[reportUnnecessaryIsInstance]
            raise UserError(
                f'The name_map for {self.wrapped.label} must be a dict of original names by new name, not {self.name_map!r}.'
            )

    def depends_on(self) -> object:
        """Return the entries of the map, which may be changed in place."""
        return [*self.name_map.items()]

    @property
    def tool_name_conflict_hint(self) -> str:
        """Advice for error messages about two tools with the same name."""
        return 'Change the `name_map` attribute to avoid name conflicts.'

    def map_tools(self, listing: Listing[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools under their new names.

        Raises:
            UserError: Two tools would have the same name, or a tool to rename does not exist and the wrapped toolset always
                lists the same tools.
        """
        new_names = {original: new for new, original in self.name_map.items()}
        check_names(self, new_names, listing)
        renamed: dict[str, ToolsetTool[AgentDepsT]] = {}
        originals: dict[str, str] = {}
        for name, tool in listing.tools.items():
            new = new_names.get(name, name)
            if new in renamed:
                raise UserError(
                    f'{self.label} gives two tools the name {new!r}: those that {self.wrapped.label} lists as '
                    f'{originals[new]!r} and {name!r}. {self.tool_name_conflict_hint}'
                )
            originals[new] = name
            renamed[new] = tool if new == name else with_name(tool, new, toolset=self)
        return renamed

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool by its original name."""
        own = self.name_map.get(name, name)
        if own != name:
            ctx, tool = ctx.fork(tool_name=own), with_name(tool, own)
        return await self.wrapped.call_tool(own, tool_args, ctx, tool)
