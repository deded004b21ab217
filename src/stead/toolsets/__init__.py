"""Toolsets: collections of tools, and wrappers that change one aspect of another toolset."""

from __future__ import annotations

from .._kit.lazy import late_modules, lazy_exports

globals().update(late_modules(__name__, '_capability_owned'))
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        '._contracts.toolset': ('AgentToolset', 'ToolsetFunc'),
        'abstract': ('AbstractToolset', 'ToolsetTool'),
        '_dynamic': ('DynamicToolset',),
        'approval_required': ('ApprovalRequiredToolset',),
        'combined': ('CombinedToolset',),
        'deferred_loading': ('DeferredLoadingToolset',),
        'external': ('DeferredToolset', 'ExternalToolset'),
        'filtered': ('FilteredToolset',),
        'function': ('FunctionToolset',),
        'include_return_schemas': ('IncludeReturnSchemasToolset',),
        'prefixed': ('PrefixedToolset',),
        'prepared': ('PreparedToolset',),
        'renamed': ('RenamedToolset',),
        'set_metadata': ('EffectToolset', 'SetMetadataToolset'),
        'wrapper': ('Listing', 'WrapperToolset'),
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
    'Listing',
    'PrefixedToolset',
    'PreparedToolset',
    'RenamedToolset',
    'SetMetadataToolset',
    'ToolsetFunc',
    'ToolsetTool',
    'WrapperToolset',
)
