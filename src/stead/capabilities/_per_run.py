"""Wrappers that capabilities put around all tools, made anew for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from ..toolsets import WrapperToolset
from ._selected import SelectedTools
from ._tool_search import ToolSearch


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


def wrapped_by(capability: AbstractCapability[Any], toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
    """Return a toolset with what a capability wraps around it; ready-made wrappers have no state and are made once."""
    if isinstance(toolset, WrappedForRun):
        return WrappedForRun(toolset.wrapped, [*toolset.capabilities, capability])
    if isinstance(capability, (SelectedTools, ToolSearch)):
        return capability.get_wrapper_toolset(toolset) or toolset
    return WrappedForRun(toolset, [capability])
