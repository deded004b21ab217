"""A tool that searches X with a subagent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Union

from typing_extensions import TypeAlias

from .._contracts.run_context import RunContext
from .._kit.deprecated import warn_deprecated
from ..native_tools import XSearchTool
from ..tools import Tool
from ._subagent import (
    FallbackModel as XSearchFallbackModel,
    FallbackModelFunc as XSearchFallbackModelFunc,
    legacy_native_tool,
    run_subagent,
)

__all__ = (
    'XSearchFallbackModel',
    'XSearchFallbackModelFunc',
    'XSearchNativeTool',
    'XSearchSubagentTool',
    'x_search_tool',
)

XSearchNativeTool: TypeAlias = Union[
    XSearchTool, Callable[[RunContext[Any]], Union[Awaitable[Union[XSearchTool, None]], XSearchTool, None]]
]
"""The native tool that searches X, or a function of the run context that returns it, or `None`."""

INSTRUCTIONS = 'Search X/Twitter based on the user query. Return a comprehensive summary of the results.'


@dataclass(kw_only=True)
class XSearchSubagentTool:
    """An X search tool that runs a subagent."""

    model: XSearchFallbackModel
    """The model of the subagent."""
    native_tool: XSearchTool
    """The native tool of the subagent, with its settings."""
    instructions: str = INSTRUCTIONS
    """The instructions of the subagent."""

    @property
    def builtin_tool(self) -> XSearchTool:
        """The old name of `native_tool`."""
        warn_deprecated('`builtin_tool` is an old name; use `native_tool`.')
        return self.native_tool

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
    """Create a tool that searches X with a subagent, whose model supports that.

    Args:
        model: The model, its name, or a function of the run context that returns one.
        native_tool: The search tool of that model, with its settings.
        instructions: The instructions of the subagent.

    Raises:
        TypeError: `native_tool` is missing.
    """
    native: XSearchTool = legacy_native_tool('x_search_tool', native_tool, _deprecated_kwargs)
    return Tool[Any](
        XSearchSubagentTool(model=model, native_tool=native, instructions=instructions).__call__,
        name='x_search',
        description='Search X/Twitter for posts and content based on the given query.',
        effect='read',
    )
