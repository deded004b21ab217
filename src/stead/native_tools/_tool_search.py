"""`ToolSearchTool`: a search by the provider for tools whose definitions are deferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .._kit.keywords import hinted
from ._base import AbstractNativeTool


@hinted
@dataclass(kw_only=True)
class ToolSearchTool(AbstractNativeTool):
    """A tool that searches the deferred tools of the request. Runs add it if there are any."""

    kind: str = 'tool_search'
    strategy: Literal['bm25', 'regex', 'custom'] | None = None
    """The search strategy: `None` for the default of the provider, `'custom'` for the `search_tools` function."""
