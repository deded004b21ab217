"""Wrappers that deferred capabilities put around the tools of a run: they have no effect until the capability is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..messages import InstructionPart
from ..toolsets import Listing, WrapperToolset


@dataclass
class _MarkedToolset(WrapperToolset[AgentDepsT]):
    """A marker around the tools that a deferred capability wraps, by which they are found inside its wrapper."""

    key: object = field(default_factory=object)
    """The identity of the marker, which copies of this toolset keep."""

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        if isinstance(visitor, _MarkerVisitor):
            if visitor.key is self.key:
                visitor.found = self
                return
        self.wrapped.apply(visitor)


class _MarkerVisitor:
    """A visitor that finds the marker with a key."""

    def __init__(self, key: object) -> None:
        self.key = key
        self.found: _MarkedToolset[Any] | None = None

    def __call__(self, toolset: AbstractToolset[Any]) -> None:
        """Ignore leaves."""


@dataclass
class DeferredWrapper(WrapperToolset[AgentDepsT]):
    """A toolset that a deferred capability wraps when a run starts, so that its wrapper can keep the state of one run."""

    capability: AbstractCapability[AgentDepsT]
    """The deferred capability."""
    capability_id: str
    """The id of the capability in the run."""

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset with the wrapper around it, which is not active yet."""
        key = object()
        wrapper = self.capability.get_wrapper_toolset(_MarkedToolset(self.wrapped, key))
        if wrapper is None:
            return await self.wrapped.for_run(ctx)
        return await _WrappedWhenLoaded(wrapper, self.capability_id, key).for_run(ctx)


@dataclass
class _WrappedWhenLoaded(WrapperToolset[AgentDepsT]):
    """A toolset in the wrapper of a deferred capability, which is bypassed until the capability is loaded."""

    capability_id: str
    """The id of the capability in the run."""
    key: object = field(repr=False)
    """The key of the marker around the tools inside the wrapper."""
    is_loaded: bool = False
    """Whether the capability was loaded when the step started."""

    def _active(self, is_loaded: bool) -> AbstractToolset[AgentDepsT]:
        if is_loaded:
            return self.wrapped
        search = _MarkerVisitor(self.key)
        self.wrapped.apply(search)
        return self.wrapped if search.found is None else search.found.wrapped

    async def tool_listing(self, ctx: RunContext[AgentDepsT]) -> Listing[AgentDepsT]:
        """Return the listing of the active toolset."""
        return await self._active(self.is_loaded).tool_listing(ctx)

    @property
    def has_instructions(self) -> bool:
        """Whether the wrapped toolset has instructions, whether it is active or not."""
        return self.wrapped.has_instructions

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this toolset with the wrapper active if the capability is loaded."""
        wrapped = await self.wrapped.for_run_step(ctx)
        is_loaded = self.capability_id in ctx.loaded_capability_ids
        if is_loaded == self.is_loaded and wrapped is self.wrapped:
            return self
        return replace(self, wrapped=wrapped, is_loaded=is_loaded)

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of the active toolset."""
        # Not `self.is_loaded`: instructions come from the toolset of the run, which `for_run_step` does not update.
        is_loaded = self.capability_id in ctx.loaded_capability_ids
        return await self._active(is_loaded).get_instructions(ctx)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the active toolset."""
        return await self._active(self.is_loaded).get_tools(ctx)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool of the active toolset."""
        return await self._active(self.is_loaded).call_tool(name, tool_args, ctx, tool)
