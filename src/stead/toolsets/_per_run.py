"""`WrappedForRun`: the wrappers of capabilities around all tools, built again for each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .wrapper import WrapperToolset


def wrapped_in(capability: AbstractCapability[Any], toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
    """Return a toolset with the wrapper of a capability around it, if it has one."""
    return capability.get_wrapper_toolset(toolset) or toolset


@dataclass
class WrappedForRun(WrapperToolset[AgentDepsT]):
    """A toolset that capabilities wrap when a run starts, so that their wrappers can keep the state of one run."""

    capabilities: Sequence[AbstractCapability[AgentDepsT]]
    """The capabilities that wrap the toolset, innermost first."""
    around: Callable[[AbstractCapability[Any], AbstractToolset[Any]], AbstractToolset[Any]] = wrapped_in
    """Puts the wrapper of a capability around a toolset."""

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset with the wrappers of the capabilities around it."""
        toolset = self.wrapped
        for capability in self.capabilities:
            toolset = self.around(capability, toolset)
        return await toolset.for_run(ctx)
