"""Capabilities: reusable units of agent behaviour, and the chain that runs their hooks. Names load on first use."""

from __future__ import annotations

from .._kit.lazy import late_modules, lazy_exports

# Names by module. Specs can use the classes of these modules, under the names that `get_serialization_name` returns.
_SPEC_MODULES: dict[str, tuple[str, ...]] = {
    'caching': ('Caching',),
    'citations': ('Citations',),
    'compaction': ('Compaction',),
    'image_generation': ('ImageGeneration',),
    'include_return_schemas': ('IncludeToolReturnSchemas',),
    'instrumentation': ('Instrumentation',),
    'local_workspace': ('LocalWorkspace',),
    'mcp': ('MCP',),
    'native_tool': ('NativeTool',),
    'keep_last': ('KeepLast',),
    'no_progress': ('NoProgress', 'NoProgressError', 'NoProgressWarning'),
    'offload_tool_results': ('OffloadToolResults',),
    'prefix_tools': ('PrefixTools',),
    'reinject_system_prompt': ('ReinjectSystemPrompt',),
    'set_tool_metadata': ('SetToolMetadata',),
    'summarise': ('Summarise', 'SummaryFailed'),
    'thinking': ('Thinking',),
    '_tool_search': (
        'ToolSearch',
        'ToolSearchFunc',
        'ToolSearchLocalStrategy',
        'ToolSearchNativeStrategy',
        'ToolSearchStrategy',
    ),
    'truncate_tool_results': ('TruncateToolResults',),
    'web_fetch': ('WebFetch',),
    'web_search': ('WebSearch',),
    'x_search': ('XSearch',),
}
_MODULES = {
    **_SPEC_MODULES,
    'terminal_approvals': ('ReadLine', 'TerminalApprovals'),
    '_context.pins': ('pin',),
    'prompt_cache': ('CacheBust', 'CacheBustError', 'CacheBustWarning', 'PromptCache'),
    'abstract': (
        'AbstractCapability',
        'AgentNode',
        'CapabilityDescription',
        'CapabilityOrdering',
        'CapabilityPosition',
        'CapabilityRef',
        'NodeResult',
        'RawOutput',
        'RawToolArgs',
        'ValidatedToolArgs',
        'WrapModelRequestHandler',
        'WrapNodeRunHandler',
        'WrapOutputProcessHandler',
        'WrapOutputValidateHandler',
        'WrapRunHandler',
        'WrapToolExecuteHandler',
        'WrapToolValidateHandler',
    ),
    'approval_policy': ('ApprovalPolicy', 'ApprovalRule', 'ApprovalScope'),
    'capability': ('Capability',),
    'combined': ('CombinedCapability',),
    '._contracts.model': ('AgentModel', 'ModelSelection', 'ModelSelector'),
    '._contracts.output': ('OutputContext',),
    '.journal': ('Journal',),
    'log': ('Log',),
    'content_filter': ('RaiseContentFilterError',),
    'deferred_tool_handler': ('HandleDeferredToolCalls',),
    '_dynamic': ('AgentCapability', 'CapabilityFunc', 'DynamicCapability'),
    '_event_methods': ('on_event',),
    'hooks': ('HookTimeoutError', 'Hooks'),
    'model_fallback': ('ModelFallback',),
    'native_or_local': ('NativeOrLocalTool',),
    'prepare_tools': ('PrepareOutputTools', 'PrepareTools'),
    'process_event_stream': ('ProcessEventStream',),
    'process_history': ('HistoryProcessor', 'ProcessHistory'),
    '_registry': ('CAPABILITY_TYPES',),
    '_skills': ('skills',),
    'request_input': ('RequestInput',),
    'resolve_model_id': ('ModelIdResolver', 'ResolveModelId'),
    'select_model': ('SelectModel',),
    'thread_executor': ('ThreadExecutor', 'UseThreadExecutor'),
    'toolset': ('Toolset',),
    'wrapper': ('WrapperCapability',),
}

__all__ = [name for names in _MODULES.values() for name in names]  # type: ignore[reportUnsupportedDunderAll]

_OLD_NAMES = {'BuiltinOrLocalTool': 'NativeOrLocalTool', 'BuiltinTool': 'NativeTool'}

globals().update(late_modules(__name__, '_selected'))
__getattr__, __dir__ = lazy_exports(__name__, _MODULES, _OLD_NAMES)
