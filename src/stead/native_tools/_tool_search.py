"""`ToolSearchTool`: the provider searches for tools that were not sent to the model in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._base import AbstractNativeTool


@dataclass(kw_only=True)
class ToolSearchTool(AbstractNativeTool):
    """Searches the tools of the request whose definitions are deferred. The run adds it where there are any."""

    kind: str = 'tool_search'
    strategy: Literal['bm25', 'regex', 'custom'] | None = None
    """How the provider searches: its default if `None`; `'custom'` if it leaves that to the `search_tools` function."""
