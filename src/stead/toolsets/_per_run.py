"""`WrappedForRun`: what capabilities wrap around all tools, built again for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .wrapper import WrapperToolset


@dataclass
class WrappedForRun(WrapperToolset[AgentDepsT]):
    """Tools that capabilities wrap when a run begins, so that their wrappers may keep the state of one run."""

    capabilities: Sequence[AbstractCapability[AgentDepsT]]
    """Those that wrap, innermost first."""

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset that the capabilities make of the wrapped one for this run."""
        toolset = self.wrapped
        for capability in self.capabilities:
            toolset = capability.get_wrapper_toolset(toolset) or toolset
        return await toolset.for_run(ctx)
