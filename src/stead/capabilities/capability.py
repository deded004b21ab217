"""`Capability`: instructions, tools and toolsets in one object, without a class of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._contracts.capability import AbstractCapability, CapabilityDescription
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from ..tools import Tool, ToolFuncEither
from ..toolsets import AgentToolset, CombinedToolset, DynamicToolset, FunctionToolset


@dataclass(init=False)
class Capability(AbstractCapability[AgentDepsT]):
    """A bundle of instructions, function tools and toolsets."""

    def __init__(
        self,
        *,
        id: str | None = None,
        description: CapabilityDescription[AgentDepsT] | None = None,
        instructions: Any = None,
        tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = (),
        toolsets: Sequence[AgentToolset[AgentDepsT]] = (),
        defer_loading: bool = False,
    ) -> None:
        """Bundle instructions and tools.

        Args:
            id: A stable id; required with `defer_loading`.
            description: What the model reads before the capability is loaded.
            instructions: Text, a function, or a sequence of these.
            tools: Functions and `Tool` objects.
            toolsets: Toolsets, or functions of the run context that return one.
            defer_loading: Whether the capability stays hidden until the model loads it.
        """
        self.id = id
        self.description = description
        self.defer_loading = defer_loading
        several = isinstance(instructions, Sequence) and not isinstance(instructions, str)
        self._instructions: list[Any] = list(instructions) if several else [instructions] if instructions else []  # type: ignore[reportUnknownArgumentType]
        self._function_toolset = FunctionToolset[AgentDepsT](tools, id=id)
        self._toolsets = list(toolsets)

    def tool(self, func: Any = None, /, **options: Any) -> Any:
        """Register a function as a tool; it takes the run context as its first argument. As `FunctionToolset.tool`."""
        return self._function_toolset.tool(func, **options) if func else self._function_toolset.tool(**options)

    def tool_plain(self, func: Any = None, /, **options: Any) -> Any:
        """Register a function as a tool; it does not take the run context. As `FunctionToolset.tool_plain`."""
        toolset = self._function_toolset
        return toolset.tool_plain(func, **options) if func else toolset.tool_plain(**options)

    def instructions(self, func: Any, /) -> Any:
        """Register a function that returns instructions; called for every request."""
        self._instructions.append(func)
        return func

    def get_instructions(self) -> Any | None:
        """Return the instructions."""
        return list(self._instructions) or None

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """Return the tools and toolsets as one toolset."""
        made: list[AbstractToolset[AgentDepsT]] = [
            toolset if isinstance(toolset, AbstractToolset) else DynamicToolset(toolset) for toolset in self._toolsets
        ]
        if not made:
            return self._function_toolset
        return CombinedToolset([self._function_toolset, *made])

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None
