"""Whose a tool is: ids of capabilities, and the mark that they leave on the tools they contribute."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ..exceptions import UserError
from ..toolsets.wrapper import StaticWrapperToolset

_WORD = re.compile(r'[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+')


def capability_ids(capabilities: Sequence[AbstractCapability[Any]]) -> dict[str, AbstractCapability[Any]]:
    """Return capabilities by id, in their order.

    Those without an id are named after their class, in snake case, and numbered where that name is taken.

    Raises:
        UserError: Two capabilities have one id, or a deferred one has none.
    """
    taken: dict[str, AbstractCapability[Any]] = {}
    for capability in capabilities:
        if capability.id is None:
            if capability.defer_loading:
                raise UserError(
                    f'{type(capability).__name__} has `defer_loading=True` but no `id`. Give it a stable id: message '
                    'history refers to loaded capabilities by it.'
                )
            continue
        if capability.id in taken:
            raise UserError(
                f'Two capabilities have the id {capability.id!r}: {type(taken[capability.id]).__name__} and '
                f'{type(capability).__name__}. Give one of them another id.'
            )
        taken[capability.id] = capability
    named: dict[str, AbstractCapability[Any]] = {}
    for capability in capabilities:
        name = capability.id
        if name is None:
            base = name = snake_case(type(capability).__name__)
            number = 1
            while name in taken or name in named:
                number += 1
                name = f'{base}_{number}'
        named[name] = capability
    return named


def snake_case(name: str) -> str:
    """Return the words of a class name in lower case, joined by underscores."""
    return '_'.join(_WORD.findall(name)).lower() or name.lower()


@dataclass
class CapabilityOwnedToolset(StaticWrapperToolset[AgentDepsT]):
    """The tools of a capability, marked with its id."""

    capability_id: str
    """The id of the capability in the run."""

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools with definitions that say whose they are."""
        tools = await self.wrapped.get_tools(ctx)
        return {
            name: tool
            if tool.tool_def.capability_id is not None
            else replace(tool, tool_def=replace(tool.tool_def, capability_id=self.capability_id))
            for name, tool in tools.items()
        }
