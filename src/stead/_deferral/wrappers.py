"""What a deferred capability wraps around the tools of a run: without effect until the capability is loaded."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from ..messages import InstructionPart
from ..toolsets import WrapperToolset


@dataclass
class _Inside(WrapperToolset[AgentDepsT]):
    """What the wrapper of a deferred capability wraps: the tools as they are while it is not loaded."""

    key: object = field(default_factory=object)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        if isinstance(visitor, _FindInside):
            if visitor.key is self.key:
                visitor.found = self
                return
        self.wrapped.apply(visitor)


class _FindInside:
    """A visitor that finds what the wrapper of a deferred capability wraps."""

    def __init__(self, key: object) -> None:
        self.key = key
        self.found: _Inside[Any] | None = None

    def __call__(self, toolset: AbstractToolset[Any]) -> None:
        """Pass over leaves."""


@dataclass
class DeferredWrapper(WrapperToolset[AgentDepsT]):
    """Tools that a deferred capability wraps when a run begins; its wrapper may keep the state of one run."""

    capability: AbstractCapability[AgentDepsT]
    capability_id: str

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return the toolset with the wrapper around it, not in force yet."""
        key = object()
        wrapper = self.capability.get_wrapper_toolset(_Inside(self.wrapped, key))
        if wrapper is None:
            return await self.wrapped.for_run(ctx)
        return await _WrappedWhenLoaded(wrapper, self.capability_id, key).for_run(ctx)


@dataclass
class _WrappedWhenLoaded(WrapperToolset[AgentDepsT]):
    """Tools with the wrapper of a deferred capability around them, which does nothing until the capability is loaded."""

    capability_id: str
    key: object = field(repr=False)
    is_loaded: bool = False
    """Whether the capability was loaded when the step began."""

    def _active(self, is_loaded: bool) -> AbstractToolset[AgentDepsT]:
        if is_loaded:
            return self.wrapped
        search = _FindInside(self.key)
        self.wrapped.apply(search)
        return self.wrapped if search.found is None else search.found.wrapped

    @property
    def tools_version(self) -> Hashable | None:
        """That of the toolset in force."""
        version = self._active(self.is_loaded).tools_version
        return None if version is None else (self.is_loaded, version)

    @property
    def has_instructions(self) -> bool:
        """Whether there are any, loaded or not."""
        return self.wrapped.has_instructions

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Return this toolset with the wrapper in force if the capability is loaded."""
        wrapped = await self.wrapped.for_run_step(ctx)
        is_loaded = self.capability_id in ctx.loaded_capability_ids
        if is_loaded == self.is_loaded and wrapped is self.wrapped:
            return self
        return replace(self, wrapped=wrapped, is_loaded=is_loaded)

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """Return the instructions of the toolset in force."""
        is_loaded = (
            self.capability_id in ctx.loaded_capability_ids
        )  # the toolset of a run is asked at each of its steps
        return await self._active(is_loaded).get_instructions(ctx)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the toolset in force."""
        return await self._active(self.is_loaded).get_tools(ctx)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the tool of the toolset in force."""
        return await self._active(self.is_loaded).call_tool(name, tool_args, ctx, tool)
