"""`PrepareTools` and `PrepareOutputTools`: a function changes or filters the tools of every step."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.deprecated import warn_deprecated
from ..tools import ToolsPrepareFunc


async def prepared(function: Any, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
    """Return what a function, sync or async, makes of definitions; none, with a warning, if it returns `None`."""
    answer = function(ctx, tool_defs)
    if inspect.isawaitable(answer):
        answer = await answer
    if answer is None:
        name = getattr(function, '__name__', repr(function))
        warn_deprecated(
            f'The prepare function {name!r} returned `None`, which hides all tools of this step and is deprecated. '
            'Return `[]` to hide them, or the definitions it was given to leave them as they are.'
        )
        return []
    return answer


@dataclass
class PrepareTools(AbstractCapability[AgentDepsT]):
    """Passes the function tools of every step through a function."""

    prepare_func: ToolsPrepareFunc[AgentDepsT] = field(kw_only=False)
    """The function, sync or async."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None

    async def prepare_tools(self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return what the function makes of the tools."""
        return await prepared(self.prepare_func, ctx, tool_defs)


@dataclass
class PrepareOutputTools(AbstractCapability[AgentDepsT]):
    """Passes the output tools of every step through a function."""

    prepare_func: ToolsPrepareFunc[AgentDepsT] = field(kw_only=False)
    """The function, sync or async."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None

    async def prepare_output_tools(
        self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return what the function makes of the tools."""
        return await prepared(self.prepare_func, ctx, tool_defs)
