"""`WrappedForRun`: the wrappers of capabilities around all tools, built again for each run."""

from __future__ import annotations

from collections.abc import Sequence

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .._kit.late import dataclass
from .wrapper import WrapperToolset


@dataclass
class WrappedForRun(WrapperToolset[AgentDepsT]):
    """A toolset that capabilities wrap when a run starts, so that their wrappers can keep the state of one run."""

    capabilities: Sequence[AbstractCapability[AgentDepsT]]
    """The capabilities that wrap the toolset, innermost first."""

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset with the wrappers of the capabilities around it."""
        toolset = self.wrapped
        for capability in self.capabilities:
            toolset = capability.get_wrapper_toolset(toolset) or toolset
        return await toolset.for_run(ctx)
