"""Capabilities: reusable units of agent behaviour, and the chain that runs their hooks. Names load on first use."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

_MODULES = {
    '._contracts.output': ('OutputContext',),
    '_dynamic': ('AgentCapability', 'CapabilityFunc', 'DynamicCapability'),
    '_skills': ('skills',),
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
    'deferred_tool_handler': ('HandleDeferredToolCalls',),
    'hooks': ('HookTimeoutError', 'Hooks'),
    'image_generation': ('ImageGeneration',),
    'include_return_schemas': ('IncludeToolReturnSchemas',),
    'instrumentation': ('Instrumentation',),
    'mcp': ('MCP',),
    'native_or_local': ('NativeOrLocalTool',),
    'native_tool': ('NativeTool',),
    'prefix_tools': ('PrefixTools',),
    'prepare_tools': ('PrepareOutputTools', 'PrepareTools'),
    'process_event_stream': ('ProcessEventStream',),
    'process_history': ('HistoryProcessor', 'ProcessHistory'),
    'reinject_system_prompt': ('ReinjectSystemPrompt',),
    '_registry': ('CAPABILITY_TYPES',),
    'set_tool_metadata': ('SetToolMetadata',),
    'thinking': ('Thinking',),
    'thread_executor': ('ThreadExecutor',),
    '_tool_search': (
        'ToolSearch',
        'ToolSearchFunc',
        'ToolSearchLocalStrategy',
        'ToolSearchNativeStrategy',
        'ToolSearchStrategy',
    ),
    'toolset': ('Toolset',),
    'web_fetch': ('WebFetch',),
    'web_search': ('WebSearch',),
    'wrapper': ('WrapperCapability',),
    'x_search': ('XSearch',),
}

__all__ = [name for names in _MODULES.values() for name in names]  # type: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
