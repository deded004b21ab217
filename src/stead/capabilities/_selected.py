"""The tools of an agent in the wrappers of its capabilities, and the base class of those that change selected tools."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from ..tools import ToolSelector, matches_tool_selector
from ..toolsets import PreparedToolset
from ..toolsets.wrapper import WrapperToolset
from ._tool_search import ToolSearch


class SelectedTools(AbstractCapability[AgentDepsT]):
    """A capability that changes the definitions of the tools that a selector matches."""

    tools: ToolSelector[AgentDepsT]
    """Which tools to change."""

    @abstractmethod
    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the changed definition of a selected tool."""

    @abstractmethod
    def around(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return a toolset that changes all tools; called if the selector is `'all'`."""

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        """Return a toolset with the selected tools changed."""
        if self.tools == 'all':
            return self.around(toolset)  # no need to select tools again at every step

        async def change_selected(ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
            return [
                self.change(definition) if await matches_tool_selector(self.tools, ctx, definition) else definition
                for definition in tool_defs
            ]

        return PreparedToolset(toolset, change_selected)


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


def wrapped_by(
    capability: AbstractCapability[Any],
    toolset: AbstractToolset[Any],
    around: Callable[[AbstractCapability[Any], AbstractToolset[Any]], AbstractToolset[Any]] = wrapped_in,
) -> AbstractToolset[Any]:
    """Return a toolset with the wrapper of a capability around it.

    Wrappers of the capabilities of stead have no state of a run, and are built once; others are built for each run.

    Args:
        capability: The capability.
        toolset: The toolset.
        around: Puts the wrapper around the toolset.
    """
    if isinstance(toolset, WrappedForRun):
        return WrappedForRun(toolset.wrapped, [*toolset.capabilities, capability], around)
    if isinstance(capability, (SelectedTools, ToolSearch)):
        return around(capability, toolset)
    return WrappedForRun(toolset, [capability], around)
