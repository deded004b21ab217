"""`PrepareTools` and `PrepareOutputTools`: a function changes or filters the tools of every step."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from ..tools import ToolsPrepareFunc


async def _prepared(function: Any, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
    answer = function(ctx, tool_defs)
    return (await answer if inspect.isawaitable(answer) else answer) or []


@dataclass
class PrepareTools(AbstractCapability[AgentDepsT]):
    """Passes the function tools of every step through a function."""

    prepare_func: ToolsPrepareFunc[AgentDepsT] = field(kw_only=False)
    """The function, sync or async; `None` leaves no tool."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None

    async def prepare_tools(self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return what the function makes of the tools."""
        return await _prepared(self.prepare_func, ctx, tool_defs)


@dataclass
class PrepareOutputTools(AbstractCapability[AgentDepsT]):
    """Passes the output tools of every step through a function."""

    prepare_func: ToolsPrepareFunc[AgentDepsT] = field(kw_only=False)
    """The function, sync or async; `None` leaves no tool."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None

    async def prepare_output_tools(
        self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return what the function makes of the tools."""
        return await _prepared(self.prepare_func, ctx, tool_defs)
