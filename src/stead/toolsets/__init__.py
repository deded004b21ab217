"""Toolsets: collections of tools, and wrappers that change one aspect of another toolset."""

from __future__ import annotations

from .._contracts.toolset import AgentToolset, ToolsetFunc
from .._kit.lazy import lazy_exports
from ._dynamic import DynamicToolset
from .abstract import AbstractToolset, ToolsetTool
from .combined import CombinedToolset
from .function import FunctionToolset
from .prepared import PreparedToolset
from .wrapper import WrapperToolset

# Agents need only those above, so the rest loads on first use.
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        'approval_required': ('ApprovalRequiredToolset',),
        'deferred_loading': ('DeferredLoadingToolset',),
        'external': ('DeferredToolset', 'ExternalToolset'),
        'filtered': ('FilteredToolset',),
        'include_return_schemas': ('IncludeReturnSchemasToolset',),
        'prefixed': ('PrefixedToolset',),
        'renamed': ('RenamedToolset',),
        'set_metadata': ('EffectToolset', 'SetMetadataToolset'),
    },
)

__all__ = (
    'AbstractToolset',
    'AgentToolset',
    'ApprovalRequiredToolset',
    'CombinedToolset',
    'DeferredLoadingToolset',
    'DeferredToolset',
    'DynamicToolset',
    'EffectToolset',
    'ExternalToolset',
    'FilteredToolset',
    'FunctionToolset',
    'IncludeReturnSchemasToolset',
    'PrefixedToolset',
    'PreparedToolset',
    'RenamedToolset',
    'SetMetadataToolset',
    'ToolsetFunc',
    'ToolsetTool',
    'WrapperToolset',
)
