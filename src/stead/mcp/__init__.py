"""MCP: the tools, resources and prompts of servers that speak the Model Context Protocol."""

from __future__ import annotations

from .._kit.deprecated import warn_caller
from .._kit.lazy import missing_name
from ._config import load_mcp_servers, load_mcp_toolsets
from ._records import (
    ContentBlock,
    EmbeddedResource,
    Icon,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptResult,
    PromptRole,
    Resource,
    ResourceAnnotations,
    ResourceLink,
    ResourceTemplate,
    ServerCapabilities,
)
from ._server_toolset import CallToolFunc, ProcessToolCallback, ToolResult
from ._servers import MCPServer, MCPServerHTTP, MCPServerSSE, MCPServerStdio, MCPServerStreamableHTTP
from ._toolset import MCPToolset, MCPToolsetClient
from ._wire import MCPError


def __getattr__(name: str) -> object:
    if name != 'MCPServerConfig':
        missing_name(__name__, name)
    from ._config import MCPServerConfig

    warn_caller('`MCPServerConfig` is deprecated: pass the file to `load_mcp_toolsets`.')
    return MCPServerConfig


__all__ = (
    'CallToolFunc',
    'ContentBlock',
    'EmbeddedResource',
    'Icon',
    'MCPError',
    'MCPServer',
    'MCPServerHTTP',
    'MCPServerSSE',
    'MCPServerStdio',
    'MCPServerStreamableHTTP',
    'MCPToolset',
    'MCPToolsetClient',
    'ProcessToolCallback',
    'Prompt',
    'PromptArgument',
    'PromptMessage',
    'PromptResult',
    'PromptRole',
    'Resource',
    'ResourceAnnotations',
    'ResourceLink',
    'ResourceTemplate',
    'ServerCapabilities',
    'ToolResult',
    'load_mcp_servers',
    'load_mcp_toolsets',
)
