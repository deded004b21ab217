"""What the models of vendors that search tools themselves share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._contracts.model import ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from .._kit.plain import as_dict, as_list
from ..messages import NATIVE_TOOL_SEARCH, SEARCH_TOOLS
from ..native_tools import ToolSearchTool

NOTHING_FOUND = 'No matching tools found. The tools you need may not be available.'
"""What a model reads where a search found nothing that it can use."""


@dataclass
class NativeSearch:
    """The provider's search for tools in one request."""

    tool: ToolSearchTool | None = None
    """The native tool, if the request has it."""
    managed: dict[str, ToolDefinition] = field(default_factory=lambda: {})
    """The tools that it searches, found ones too: they are sent as deferred ones, which keeps caches."""
    function: ToolDefinition | None = None
    """The function that does the searching where the provider leaves it to us."""

    @property
    def is_ours(self) -> bool:
        """Whether the provider leaves the searching to us."""
        return self.tool is not None and self.tool.strategy == 'custom'


def native_search(params: ModelRequestParameters) -> NativeSearch:
    """Return what a request has to do with the provider's search for tools."""
    tool = next((tool for tool in params.native_tools if isinstance(tool, ToolSearchTool)), None)
    if tool is None:
        return NativeSearch()
    managed = {tool.name: tool for tool in params.function_tools if tool.with_native == NATIVE_TOOL_SEARCH}
    function = params.tool_defs.get(SEARCH_TOOLS)
    return NativeSearch(tool, managed, function if function and function.tool_kind == 'tool-search' else None)


def found_names(content: Any) -> list[str]:
    """Return the names of the tools that a search found, by what it returned; a stored history may hold anything."""
    names = (as_dict(match).get('name') for match in as_list(as_dict(content).get('discovered_tools')))
    return [name for name in names if isinstance(name, str)]
