"""`PreparedToolset`: a function changes or filters the definitions of tools."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.deprecated import warn_deprecated
from .._kit.plain_copies import changed
from ..exceptions import UserError
from ..tools import ToolsPrepareFunc
from ._copies import still_waiting
from .wrapper import WrapperToolset, check_callable

NONE_HIDES = True
"""Whether a prepare function that returns `None` hides all tools, with a warning; in 2.x that is an error."""


async def prepared_definitions(
    function: ToolsPrepareFunc[AgentDepsT], ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]
) -> list[ToolDefinition]:
    """Return the definitions that a function, sync or async, returns; none, with a warning, if it returns `None` in 1.x.

    Raises:
        UserError: It returns `None`, in 2.x.
    """
    definitions = function(ctx, tool_defs)
    if inspect.isawaitable(definitions):
        definitions = await definitions
    if definitions is None:
        name = getattr(function, '__name__', repr(function)).removeprefix('run_')  # that of the hook, if it runs hooks
        if not NONE_HIDES:
            raise UserError(
                f'The prepare function {name!r} returned `None`. Return `[]` to hide all tools of the step, or the definitions '
                'that it receives to leave them unchanged.'
            )
        warn_deprecated(
            f'The prepare function {name!r} returned `None`, which hides all tools of this step and is deprecated. '
            'Return `[]` to hide them, or the definitions that it receives to leave them unchanged.'
        )
        return []
    return definitions


@dataclass
class PreparedToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset with definitions that a function changes or leaves out at every step.

    The function may make calls of a tool wait, with `kind='unapproved'`, but a tool that requires approval keeps requiring it.
    """

    prepare_func: ToolsPrepareFunc[AgentDepsT]
    """The function of the run context and the definitions, sync or async; an empty list hides all tools."""

    def __post_init__(self) -> None:
        check_callable(self.prepare_func, 'prepare_func', self.wrapped)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools with the definitions that the function returns.

        Raises:
            UserError: The function renamed or added a tool, or returned `None` in 2.x.
        """
        tools = (await self.wrapped.tool_listing(ctx)).tools
        # The function may change definitions in place, and the wrapped toolset may list the same ones again: pass copies.
        copies = {name: changed(tool.tool_def) for name, tool in tools.items()}
        definitions = list(await prepared_definitions(self.prepare_func, ctx, list(copies.values())))
        renamed = {name: definition.name for name, definition in copies.items() if definition.name != name}
        unknown = {definition.name for definition in definitions if definition.name not in tools}
        if unknown or any(definition.name in renamed.values() for definition in definitions):
            names = sorted(unknown or set(renamed.values()))
            raise UserError(
                f'The prepare function of {self.wrapped.label} returned tools {names}, where the tools are '
                f'{sorted(tools)}. It may change or leave out definitions, but not rename or add tools: use '
                '`RenamedToolset` or `FunctionToolset.add_function` for that.'
            )
        return {
            definition.name: changed(tool, tool_def=still_waiting(definition, tool.tool_def))
            for definition, tool in ((definition, tools[definition.name]) for definition in definitions)
        }
