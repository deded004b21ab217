"""Native tools with few settings: code execution, memory, file search, MCP servers, tool search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .._kit.keywords import hinted
from ._base import AbstractNativeTool


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class CodeExecutionTool(AbstractNativeTool):
    """A tool that runs code."""

    kind: str = 'code_execution'


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class MemoryTool(AbstractNativeTool):
    """A tool that stores memories across conversations."""

    kind: str = 'memory'


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class MCPServerTool(AbstractNativeTool):
    """A tool that gives access to an MCP server."""

    kind: str = 'mcp_server'
    id: str
    """The name of the server in the request."""
    url: str
    """The URL of the server, or of a connector of the provider."""
    authorization_token: str | None = None
    """The token with which the provider authenticates to the server."""
    description: str | None = None
    """A description of the server."""
    allowed_tools: list[str] | None = None
    """The only tools that may be used."""
    headers: dict[str, str] | None = None
    """HTTP headers to send to the server."""

    @property
    def unique_id(self) -> str:
        """The id of the server in a request."""
        return f'{self.kind}:{self.id}'

    @property
    def label(self) -> str:
        """The display name of the server."""
        return f'MCP: {self.id}'


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class FileSearchTool(AbstractNativeTool):
    """A tool that searches files uploaded to the provider."""

    kind: str = 'file_search'
    file_store_ids: Sequence[str]
    """The ids of the stores to search."""


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class ToolSearchTool(AbstractNativeTool):
    """A tool that searches the deferred tools of the request. Runs add it if there are any."""

    kind: str = 'tool_search'
    strategy: Literal['bm25', 'regex', 'custom'] | None = None
    """The search strategy: `None` for the default of the provider, `'custom'` for the `search_tools` function."""
