"""`PreparedToolset`: the definitions of tools pass through a function."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ..exceptions import UserError
from ..tools import ToolsPrepareFunc
from .wrapper import WrapperToolset


@dataclass
class PreparedToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset with definitions that a function changes or leaves out, asked at every step."""

    prepare_func: ToolsPrepareFunc[AgentDepsT]
    """The function, sync or async."""

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools with the definitions that the function returns.

        Raises:
            UserError: The function renamed a tool, or added one.
        """
        tools = await self.wrapped.get_tools(ctx)
        answer = self.prepare_func(ctx, [tool.tool_def for tool in tools.values()])
        definitions = (await answer if inspect.isawaitable(answer) else answer) or []
        if unknown := sorted({definition.name for definition in definitions} - tools.keys()):
            raise UserError(
                f'The prepare function of {self.wrapped.label} returned tools {unknown}, which are not among '
                f'{sorted(tools)}. It may change or leave out definitions, but not rename or add tools: use '
                '`FunctionToolset.add_function` or `RenamedToolset` for that.'
            )
        return {
            definition.name: tools[definition.name]
            if definition is tools[definition.name].tool_def
            else replace(tools[definition.name], tool_def=definition)
            for definition in definitions
        }
