"""`PreparedToolset`: a function changes or filters the definitions of tools."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ..exceptions import UserError
from ..tools import ToolsPrepareFunc
from ._copies import changed
from .wrapper import WrapperToolset, check_callable


@dataclass
class PreparedToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset with definitions that a function changes or leaves out at every step."""

    prepare_func: ToolsPrepareFunc[AgentDepsT]
    """The function of the run context and the definitions, sync or async; `None` or an empty list hides all tools."""

    def __post_init__(self) -> None:
        check_callable(self.prepare_func, 'prepare_func', self.wrapped)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools with the definitions that the function returns.

        Raises:
            UserError: The function renamed or added a tool.
        """
        tools = await self.wrapped.get_tools(ctx)
        # The function may change definitions in place, and the wrapped toolset may list the same ones again: pass copies.
        copies = {name: changed(tool.tool_def) for name, tool in tools.items()}
        prepared = self.prepare_func(ctx, list(copies.values()))
        definitions = list((await prepared if inspect.isawaitable(prepared) else prepared) or ())
        renamed = {name: definition.name for name, definition in copies.items() if definition.name != name}
        unknown = {definition.name for definition in definitions if definition.name not in tools}
        if unknown or any(definition.name in renamed.values() for definition in definitions):
            names = sorted(unknown or set(renamed.values()))
            raise UserError(
                f'The prepare function of {self.wrapped.label} returned tools {names}, where the tools are '
                f'{sorted(tools)}. It may change or leave out definitions, but not rename or add tools: use '
                '`RenamedToolset` or `FunctionToolset.add_function` for that.'
            )
        return {definition.name: changed(tools[definition.name], tool_def=definition) for definition in definitions}
