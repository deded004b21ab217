"""The old name of `stead.native_tools`: its names still work, with a warning."""

from __future__ import annotations

from collections.abc import Callable

from ._kit.lazy import old_names

_NATIVE = 'stead.native_tools'
_NAMES = {
    'AbstractBuiltinTool': 'AbstractNativeTool',
    'BUILTIN_TOOLS_REQUIRING_CONFIG': 'NATIVE_TOOLS_REQUIRING_CONFIG',
    'BUILTIN_TOOL_TYPES': 'NATIVE_TOOL_TYPES',
    'CodeExecutionTool': 'CodeExecutionTool',
    'DEPRECATED_BUILTIN_TOOLS': 'DEPRECATED_NATIVE_TOOLS',
    'FileSearchTool': 'FileSearchTool',
    'ImageAspectRatio': 'ImageAspectRatio',
    'ImageGenerationModelName': 'ImageGenerationModelName',
    'ImageGenerationTool': 'ImageGenerationTool',
    'MCPServerTool': 'MCPServerTool',
    'MemoryTool': 'MemoryTool',
    'SUPPORTED_BUILTIN_TOOLS': 'SUPPORTED_NATIVE_TOOLS',
    'UrlContextTool': 'UrlContextTool',
    'WebFetchTool': 'WebFetchTool',
    'WebSearchTool': 'WebSearchTool',
    'WebSearchUserLocation': 'WebSearchUserLocation',
    'XSearchTool': 'XSearchTool',
}

__getattr__: Callable[[str], object] = old_names(__name__, {old: (_NATIVE, new) for old, new in _NAMES.items()})
__all__ = tuple(_NAMES)  # type: ignore[reportUnsupportedDunderAll]
