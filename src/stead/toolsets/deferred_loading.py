"""`DeferredLoadingToolset`: tools are hidden until tool search finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .._contracts.run_context import AgentDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from ._definitions import DefinitionsToolset


@dataclass(init=False)
class DeferredLoadingToolset(DefinitionsToolset[AgentDepsT]):
    """The tools of another toolset, some or all of them hidden until tool search finds them."""

    tool_names: frozenset[str] | None = field(default=None)
    """The tools to hide; all of them if `None`."""

    def __init__(
        self, wrapped: AbstractToolset[AgentDepsT], *, tool_names: Sequence[str] | frozenset[str] | None = None
    ) -> None:
        self.wrapped = wrapped
        self.tool_names = frozenset(tool_names) if tool_names is not None else None

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition, hidden if it is to be."""
        if self.tool_names is not None and definition.name not in self.tool_names:
            return definition
        return replace(definition, defer_loading=True)
