"""Native tools, which the provider of a model runs itself."""

from __future__ import annotations

from .._kit.lazy import lazy_modules
from ._base import NATIVE_TOOL_TYPES, AbstractNativeTool
from ._media import ImageAspectRatio, ImageGenerationModelName, ImageGenerationTool
from ._plain import CodeExecutionTool, FileSearchTool, MCPServerTool, MemoryTool, ToolSearchTool as ToolSearchTool
from ._web import UrlContextTool, WebFetchTool, WebSearchTool, WebSearchUserLocation, XSearchTool

DEPRECATED_NATIVE_TOOLS: frozenset[type[AbstractNativeTool]] = frozenset({UrlContextTool})
"""Deprecated tools."""
SUPPORTED_NATIVE_TOOLS: frozenset[type[AbstractNativeTool]] = (
    frozenset(NATIVE_TOOL_TYPES.values()) - DEPRECATED_NATIVE_TOOLS
)
"""Every current tool."""
NATIVE_TOOLS_REQUIRING_CONFIG: frozenset[type[AbstractNativeTool]] = frozenset(
    {MemoryTool, MCPServerTool, FileSearchTool}
)
"""Tools that require settings."""

__all__ = (
    'DEPRECATED_NATIVE_TOOLS',
    'NATIVE_TOOLS_REQUIRING_CONFIG',
    'NATIVE_TOOL_TYPES',
    'SUPPORTED_NATIVE_TOOLS',
    'AbstractNativeTool',
    'CodeExecutionTool',
    'FileSearchTool',
    'ImageAspectRatio',
    'ImageGenerationModelName',
    'ImageGenerationTool',
    'MCPServerTool',
    'MemoryTool',
    'UrlContextTool',
    'WebFetchTool',
    'WebSearchTool',
    'WebSearchUserLocation',
    'XSearchTool',
)

lazy_modules(__name__)
