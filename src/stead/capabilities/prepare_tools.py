"""`PrepareTools` and `PrepareOutputTools`: a function changes or filters the tools of each step."""

from __future__ import annotations

from dataclasses import field

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.keywords import dataclass
from ..tools import ToolsPrepareFunc
from ..toolsets.prepared import prepared_definitions


@dataclass
class PrepareTools(AbstractCapability[AgentDepsT]):
    """A function that changes or filters the function tools of each step."""

    prepare_func: ToolsPrepareFunc[AgentDepsT] = field(kw_only=False)
    """The function, sync or async."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    async def prepare_tools(self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return the definitions that the function returns."""
        return await prepared_definitions(self.prepare_func, ctx, tool_defs)


@dataclass
class PrepareOutputTools(AbstractCapability[AgentDepsT]):
    """A function that changes or filters the output tools of each step."""

    prepare_func: ToolsPrepareFunc[AgentDepsT] = field(kw_only=False)
    """The function, sync or async."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    async def prepare_output_tools(
        self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return the definitions that the function returns."""
        return await prepared_definitions(self.prepare_func, ctx, tool_defs)
