"""Which tools something applies to."""

from __future__ import annotations

import inspect
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from ._types import ToolSelector


async def matches_tool_selector(
    selector: ToolSelector[AgentDepsT], ctx: RunContext[AgentDepsT], tool_def: ToolDefinition
) -> bool:
    """Return whether a tool is selected.

    Args:
        selector: `'all'`, names of tools, entries that the metadata of a tool must have (objects in it are compared
            entry by entry), or a function, sync or async.
        ctx: The run context, for the function.
        tool_def: The definition of the tool.
    """
    if selector == 'all':
        return True
    if isinstance(selector, dict):
        return includes(tool_def.metadata or {}, selector)  # type: ignore[reportUnknownArgumentType]
    if callable(selector):
        answer = selector(ctx, tool_def)
        return bool(await answer if inspect.isawaitable(answer) else answer)
    return tool_def.name in selector


def includes(data: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Return whether an object has all of some entries, those of objects inside of it included."""
    for key, value in wanted.items():
        if key not in data:
            return False
        if isinstance(value, dict) and isinstance(data[key], dict):
            if not includes(data[key], value):  # type: ignore[reportUnknownArgumentType]
                return False
        elif data[key] != value:
            return False
    return True
