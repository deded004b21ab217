"""A tool that has X searched by an agent whose model can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._contracts.run_context import RunContext
from ..native_tools import XSearchTool
from ..tools import Tool
from ._subagent import (
    FallbackModel as XSearchFallbackModel,
    FallbackModelFunc as XSearchFallbackModelFunc,
    legacy_native_tool,
    run_subagent,
)

__all__ = ('XSearchFallbackModel', 'XSearchFallbackModelFunc', 'XSearchSubagentTool', 'x_search_tool')

INSTRUCTIONS = 'Search X/Twitter based on the user query. Return a comprehensive summary of the results.'


@dataclass(kw_only=True)
class XSearchSubagentTool:
    """Has X searched by an agent of its own."""

    model: XSearchFallbackModel
    """The model of the agent."""
    native_tool: XSearchTool
    """The tool that it uses, with its settings."""
    instructions: str = INSTRUCTIONS
    """What the agent is told."""

    async def __call__(self, ctx: RunContext[Any], query: str) -> str:
        """Search X/Twitter using a subagent.

        Args:
            ctx: The run context of the call.
            query: The search query to run on X/Twitter.
        """
        return await run_subagent(
            ctx,
            query,
            model=self.model,
            native_tool=self.native_tool,
            instructions=self.instructions,
            output_type=str,
        )


def x_search_tool(
    model: XSearchFallbackModel,
    native_tool: XSearchTool | None = None,
    *,
    instructions: str = INSTRUCTIONS,
    **_deprecated_kwargs: Any,
) -> Tool[Any]:
    """Make a tool that has X searched by an agent whose model can search it.

    Args:
        model: The model, its name, or a function of the run context that returns one.
        native_tool: The search tool of that model, with its settings.
        instructions: What the agent is told.

    Raises:
        TypeError: There is no `native_tool`.
    """
    native: XSearchTool = legacy_native_tool('x_search_tool', native_tool, _deprecated_kwargs)
    return Tool[Any](
        XSearchSubagentTool(model=model, native_tool=native, instructions=instructions).__call__,
        name='x_search',
        description='Search X/Twitter for posts and content based on the given query.',
    )
