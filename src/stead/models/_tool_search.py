"""Tool search for vendors that implement it natively."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._contracts.model import ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from .._kit.json_types import as_dict, as_list
from ..messages import NATIVE_TOOL_SEARCH, SEARCH_TOOLS
from ..native_tools import ToolSearchTool

NOTHING_FOUND = 'No matching tools found. The tools you need may not be available.'
"""The result of a search without matches, for the model."""


@dataclass
class NativeSearch:
    """The native tool search in a request."""

    tool: ToolSearchTool | None = None
    """The native tool, if the request has it."""
    managed: dict[str, ToolDefinition] = field(default_factory=lambda: {})
    """The tools to search, by name. Tools that were found remain deferred, which keeps caches valid."""
    function: ToolDefinition | None = None
    """The function that searches, if the provider calls back for the search."""

    @property
    def is_ours(self) -> bool:
        """Whether stead searches, with a function that the provider calls."""
        return self.tool is not None and self.tool.strategy == 'custom'


def native_search(params: ModelRequestParameters) -> NativeSearch:
    """Return the native tool search in a request; without one, an empty record."""
    tool = next((tool for tool in params.native_tools if isinstance(tool, ToolSearchTool)), None)
    if tool is None:
        return NativeSearch()
    managed = {tool.name: tool for tool in params.function_tools if tool.with_native == NATIVE_TOOL_SEARCH}
    function = params.tool_defs.get(SEARCH_TOOLS)
    return NativeSearch(tool, managed, function if function and function.tool_kind == 'tool-search' else None)


def found_names(content: object) -> list[str]:
    """Return the names of tools in the result of a search. Invalid data, as in a stored history, is ignored."""
    names = (as_dict(match).get('name') for match in as_list(as_dict(content).get('discovered_tools')))
    return [name for name in names if isinstance(name, str)]
