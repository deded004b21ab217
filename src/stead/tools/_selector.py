"""Tool selectors: choosing the tools that a capability or toolset applies to."""

from __future__ import annotations

import inspect

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.json_types import JsonObject
from ._types import ToolSelector


async def matches_tool_selector(
    selector: ToolSelector[AgentDepsT], ctx: RunContext[AgentDepsT], tool_def: ToolDefinition
) -> bool:
    """Return whether a tool is selected.

    Args:
        selector: `'all'`, the name of a tool, names of tools, entries that the metadata of the tool must have (nested
            dicts are compared entry by entry), or a function, sync or async.
        ctx: The run context, for the function.
        tool_def: The definition of the tool.
    """
    if selector == 'all':
        return True
    if isinstance(selector, dict):
        return includes(tool_def.metadata or {}, selector)  # type: ignore[reportUnknownArgumentType]
    if callable(selector):
        selected = selector(ctx, tool_def)
        return bool(await selected if inspect.isawaitable(selected) else selected)
    return tool_def.name == selector if isinstance(selector, str) else tool_def.name in selector


def includes(data: JsonObject, wanted: JsonObject) -> bool:
    """Return whether an object has all the wanted entries; nested objects may have others as well."""
    for key, value in wanted.items():
        if key not in data:
            return False
        if isinstance(value, dict) and isinstance(data[key], dict):
            if not includes(data[key], value):  # type: ignore[reportUnknownArgumentType]
                return False
        elif data[key] != value:
            return False
    return True
