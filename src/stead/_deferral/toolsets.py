"""The tools of deferred capabilities, which are deferred as well and marked with the id of their capability."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import chain
from operator import is_not
from typing import Any, cast

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.plain_copies import changed
from ..exceptions import UserError
from ..tools import Tool
from ..toolsets import CombinedToolset, FunctionToolset
from ..toolsets._capability_owned import CapabilityOwnedToolset


class ToolsetsOf:
    """A visitor that collects the toolsets of a deferred capability, which recognize it in their `apply`."""

    def __init__(self, capability_id: str) -> None:
        self.capability_id = capability_id
        self.toolsets: list[AbstractToolset[Any]] = []

    def __call__(self, toolset: AbstractToolset[Any]) -> None:
        """Ignore toolsets that do not belong to a deferred capability."""


def _owned_definition(definition: ToolDefinition, capability_id: str) -> ToolDefinition:
    """Return a definition that is deferred and has the id of a capability."""
    return changed(definition, defer_loading=True, capability_id=definition.capability_id or capability_id)


@dataclass
class DeferredCapabilityToolset(CapabilityOwnedToolset[AgentDepsT]):
    """The tools of a deferred capability. The model reads their instructions when it loads the capability."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition, deferred and with the id of the capability."""
        return _owned_definition(definition, self.capability_id)

    @property
    def has_instructions(self) -> bool:
        """`False`, because the instructions of a deferred capability are not part of every request."""
        return False

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> None:
        """Return `None`: the model reads the instructions when it loads the capability."""

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on the leaves of the wrapped toolset."""
        if isinstance(visitor, ToolsetsOf):
            if visitor.capability_id == self.capability_id:
                visitor.toolsets.append(self.wrapped)
        else:
            self.wrapped.apply(visitor)


class DeferredFunctions(AbstractToolset[AgentDepsT]):
    """The function tools of many deferred capabilities, listed once, so that hundreds of them cost a step nothing.

    Functions that are added take effect when the next run starts, not at the next step.
    """

    def __init__(self, members: dict[str, FunctionToolset[AgentDepsT]] | None = None) -> None:
        """Build a toolset from toolsets by the ids of their capabilities."""
        self.members = members or {}
        self._seen: list[Tool[Any]] | None = None
        self._changes = 0
        self._is_static = True

    @property
    def id(self) -> str | None:
        """`None`: it has no id of its own."""
        return None

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return f'the deferred capabilities {sorted(self.members)}'

    @property
    def tools_version(self) -> Hashable | None:
        """A value that changes with the functions as they were when the last run started."""
        if self._seen is None:
            self._check_members()
        return self._changes if self._is_static else None

    def _check_members(self) -> None:
        functions = [*chain.from_iterable([member.tools.values() for member in self.members.values()])]
        seen = self._seen
        if seen is None or len(seen) != len(functions) or any(map(is_not, seen, functions)):
            self._seen = functions
            self._changes += 1
            self._is_static = all(member.tools_version is not None for member in self.members.values())

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Check whether functions were added, and return this toolset."""
        self._check_members()
        return self

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the functions, deferred and marked with the capability they belong to.

        Raises:
            UserError: Two functions have the same name.
        """
        tools: dict[str, ToolsetTool[AgentDepsT]] = {}
        for name, member in self.members.items():
            for tool_name, tool in (await member.get_tools(ctx)).items():
                if (other := tools.get(tool_name)) is not None:
                    raise UserError(
                        f'Two tools have the name {tool_name!r}: one of the capability {other.tool_def.capability_id!r}, '
                        f'and one of {name!r}. {member.tool_name_conflict_hint}'
                    )
                tools[tool_name] = changed(tool, tool_def=_owned_definition(tool.tool_def, name))
        return tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the function."""
        return await tool.toolset.call_tool(name, tool_args, ctx, tool)

    def apply(self, visitor: Callable[[AbstractToolset[AgentDepsT]], None]) -> None:
        """Call a visitor on every member."""
        if isinstance(visitor, ToolsetsOf):
            if visitor.capability_id in self.members:
                visitor.toolsets.append(self.members[visitor.capability_id])
            return
        for member in self.members.values():
            visitor(member)

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[AgentDepsT]], AbstractToolset[AgentDepsT]]
    ) -> AbstractToolset[AgentDepsT]:
        """Return the members with each replaced by what the visitor returns for it."""
        replaced = {name: visitor(member) for name, member in self.members.items()}
        if all(type(member) is FunctionToolset for member in replaced.values()):
            return DeferredFunctions(cast('dict[str, FunctionToolset[AgentDepsT]]', replaced))
        return CombinedToolset([DeferredCapabilityToolset(member, name) for name, member in replaced.items()])


def add_deferred(toolsets: list[AbstractToolset[Any]], toolset: AbstractToolset[Any], name: str) -> None:
    """Add the toolset of a deferred capability to a list; adjacent function toolsets are combined in one entry.

    Args:
        toolsets: The list to add to.
        toolset: The toolset of the capability.
        name: The id of the capability.
    """
    if type(toolset) is not FunctionToolset:
        toolsets.append(DeferredCapabilityToolset(toolset, name))
        return
    last = next(
        (added for added in reversed(toolsets) if isinstance(added, (DeferredFunctions, DeferredCapabilityToolset))),
        None,
    )
    if not isinstance(last, DeferredFunctions):  # tools keep the order of their capabilities
        last = DeferredFunctions[Any]()
        toolsets.append(last)
    last.members[name] = toolset
