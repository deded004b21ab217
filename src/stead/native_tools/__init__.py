"""Native tools, which the provider of a model runs itself."""

from __future__ import annotations

from .._kit.lazy import lazy_modules
from ._base import NATIVE_TOOL_TYPES, AbstractNativeTool
from ._media import (
    ImageAspectRatio,
    ImageGenerationModelName,
    ImageGenerationProviderSettings,
    ImageGenerationTool,
    ImageQuality,
    ImageSize,
    OpenAIImageGenerationToolSettings,
)
from ._plain import (
    AdvisorModelName,
    AdvisorProviderSettings,
    AdvisorTool,
    AnthropicAdvisorToolSettings,
    CodeExecutionTool,
    FileSearchProviderSettings,
    FileSearchTool,
    MCPServerTool,
    MemoryTool,
    OpenRouterAdvisorToolSettings,
    ToolSearchTool as ToolSearchTool,
    XaiFileSearchToolSettings,
)
from ._web import (
    AnthropicWebFetchToolSettings,
    AnthropicWebSearchToolSettings,
    OpenRouterWebSearchToolSettings,
    UrlContextTool,
    WebFetchProviderSettings,
    WebFetchTool,
    WebSearchProviderSettings,
    WebSearchTool,
    WebSearchUserLocation,
    XSearchTool,
)

DEPRECATED_NATIVE_TOOLS: frozenset[type[AbstractNativeTool]] = frozenset({UrlContextTool})
"""Deprecated tools."""
SUPPORTED_NATIVE_TOOLS: frozenset[type[AbstractNativeTool]] = (
    frozenset(NATIVE_TOOL_TYPES.values()) - DEPRECATED_NATIVE_TOOLS
)
"""Every current tool."""
NATIVE_TOOLS_REQUIRING_CONFIG: frozenset[type[AbstractNativeTool]] = frozenset(
    {MemoryTool, MCPServerTool, FileSearchTool, AdvisorTool}
)
"""Tools that require settings."""

__all__ = (
    'DEPRECATED_NATIVE_TOOLS',
    'NATIVE_TOOLS_REQUIRING_CONFIG',
    'NATIVE_TOOL_TYPES',
    'SUPPORTED_NATIVE_TOOLS',
    'AbstractNativeTool',
    'AdvisorModelName',
    'AdvisorProviderSettings',
    'AdvisorTool',
    'AnthropicAdvisorToolSettings',
    'AnthropicWebFetchToolSettings',
    'AnthropicWebSearchToolSettings',
    'CodeExecutionTool',
    'FileSearchProviderSettings',
    'FileSearchTool',
    'ImageAspectRatio',
    'ImageGenerationModelName',
    'ImageGenerationProviderSettings',
    'ImageGenerationTool',
    'ImageQuality',
    'ImageSize',
    'MCPServerTool',
    'MemoryTool',
    'OpenAIImageGenerationToolSettings',
    'OpenRouterAdvisorToolSettings',
    'OpenRouterWebSearchToolSettings',
    'UrlContextTool',
    'WebFetchProviderSettings',
    'WebFetchTool',
    'WebSearchProviderSettings',
    'WebSearchTool',
    'WebSearchUserLocation',
    'XSearchTool',
    'XaiFileSearchToolSettings',
)

lazy_modules(__name__)
