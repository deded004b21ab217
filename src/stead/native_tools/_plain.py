"""Native tools with few settings: code, memory, files, MCP servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._base import AbstractNativeTool


@dataclass(kw_only=True)
class CodeExecutionTool(AbstractNativeTool):
    """Runs code."""

    kind: str = 'code_execution'


@dataclass(kw_only=True)
class MemoryTool(AbstractNativeTool):
    """Remembers things between conversations."""

    kind: str = 'memory'


@dataclass(kw_only=True)
class MCPServerTool(AbstractNativeTool):
    """Uses an MCP server."""

    kind: str = 'mcp_server'
    id: str
    """The name of the server in the request."""
    url: str
    """The URL of the server, or of a connector of the provider."""
    authorization_token: str | None = None
    """What the provider shows to the server."""
    description: str | None = None
    """What the server is for."""
    allowed_tools: list[str] | None = None
    """The only tools to use."""
    headers: dict[str, str] | None = None
    """HTTP headers to send to the server."""

    @property
    def unique_id(self) -> str:
        """What tells this server from others of a request."""
        return f'{self.kind}:{self.id}'

    @property
    def label(self) -> str:
        """The name of the server for people."""
        return f'MCP: {self.id}'


@dataclass(kw_only=True)
class FileSearchTool(AbstractNativeTool):
    """Searches files that were uploaded to the provider."""

    kind: str = 'file_search'
    file_store_ids: Sequence[str]
    """The stores to search."""
