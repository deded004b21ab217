"""`Listing`: the tools of a toolset as a value, which is the same object as long as the tools are the same.

Runs, and the toolsets around a toolset, ask for its `tool_listing` at each step, and recognize by that object that nothing has
changed. A toolset with a `tools_version` is listed again when that changes, one without at each step. A wrapper maps the listing
of the wrapped toolset, and does so again when that is another one, or when what the wrapper depends on has changed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from operator import is_
from typing import Any, Generic

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool


@dataclass(eq=False)
class Listing(Generic[AgentDepsT]):
    """The tools of a toolset at a step, which no one changes."""

    tools: dict[str, ToolsetTool[AgentDepsT]]
    """The tools by name."""
    is_static: bool = False
    """Whether only a change of the toolset changes the tools; else they may be others at each step."""

    @staticmethod
    async def of(toolset: AbstractToolset[Any], ctx: RunContext[Any]) -> Listing[Any]:
        """Return what `get_tools` returns: the same listing as long as `tools_version` and the retries of the run are."""
        version = toolset.tools_version
        if version is None:
            return Listing({**await toolset.get_tools(ctx)})  # it may return a dict that the toolset keeps, and changes
        source, kept = (version, ctx.max_retries, id(toolset)), toolset._last_listing  # type: ignore[reportPrivateUsage]
        if kept is not None and kept[0] == source:
            return kept[1]
        listing = Listing({**await toolset.get_tools(ctx)}, is_static=True)
        toolset._last_listing = source, listing  # type: ignore[reportPrivateUsage]
        return listing


def same_objects(before: Collection[object], now: Collection[object]) -> bool:
    """Return whether two collections hold the same objects in the same order."""
    return len(before) == len(now) and all(map(is_, before, now))
