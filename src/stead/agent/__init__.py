"""Agents: construction, the run methods, decorators, overrides and wrappers. Names load on first use."""

from __future__ import annotations

from .._kit.lazy import late_modules, lazy_exports

globals().update(
    late_modules(__name__, '_explain', '_planner', '_rare_options', '_runs', '_scope', '_streaming', '_tracing')
)
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        '_agent': ('Agent',),
        '_explain': ('Explanation',),
        'for_all': ('log',),
        '_options': (
            'AgentInstructions',
            'AgentMetadata',
            'AgentModelSettings',
            'AgentRetries',
            'EventOptions',
            'RunOptions',
            'StreamOptions',
        ),
        '_scope': ('capture_run_messages',),
        '_rare_options': ('AgentOptions', 'FromSpecOptions', 'OverrideOptions'),
        'abstract': ('AbstractAgent', 'EventStreamHandler', 'EventStreamProcessor'),
        'wrapper': ('WrapperAgent',),
        '._contracts.call_policy': ('EndStrategy', 'ParallelExecutionMode'),
        '.exceptions': ('PydanticAIDeprecationWarning',),
        '._loop.nodes': ('CallToolsNode', 'ModelRequestNode', 'UserPromptNode'),
        '.models.instrumented': ('InstrumentationSettings',),
        '.result': ('AgentRunEvents',),
        '.run': ('AgentRun', 'AgentRunResult'),
        '.tools': ('NativeToolFunc', 'ToolDenied', 'ToolsPrepareFunc'),
    },
)

__all__ = (
    'AbstractAgent',
    'Agent',
    'AgentInstructions',
    'AgentMetadata',
    'AgentModelSettings',
    'AgentOptions',
    'AgentRetries',
    'AgentRun',
    'AgentRunEvents',
    'AgentRunResult',
    'CallToolsNode',
    'EndStrategy',
    'EventOptions',
    'EventStreamHandler',
    'EventStreamProcessor',
    'Explanation',
    'FromSpecOptions',
    'InstrumentationSettings',
    'ModelRequestNode',
    'NativeToolFunc',
    'OverrideOptions',
    'ParallelExecutionMode',
    'PydanticAIDeprecationWarning',
    'RunOptions',
    'StreamOptions',
    'ToolDenied',
    'ToolsPrepareFunc',
    'UserPromptNode',
    'WrapperAgent',
    'capture_run_messages',
    'log',
)
