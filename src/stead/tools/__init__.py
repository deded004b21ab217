"""Tools: functions that a model can call, their schemas, and calls that are answered later."""

from __future__ import annotations

from collections.abc import Callable

from .._contracts.call_policy import (
    CallOptions,
    Done,
    Effect,
    NotDone,
    OnToolError,
    Reconcile,
    ToolErrorAction,
    ToolErrors,
)
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import (
    AgentNativeTool,
    NativeToolFunc,
    ObjectJsonSchema,
    ToolDefinition,
    ToolKind,
    ToolPartKind,
)
from .._kit.docstrings import DocstringFormat
from .._kit.lazy import old_names
from ..messages import (
    DeferredToolApprovalResult,
    DeferredToolCallResult,
    DeferredToolRequests,
    DeferredToolResult,
    DeferredToolResults,
    ToolApproved,
    ToolDenied,
)
from ._schema import GenerateToolJsonSchema
from ._selector import matches_tool_selector
from ._tool import Tool
from ._types import (
    ArgsValidatorFunc,
    SystemPromptFunc,
    ToolAgentDepsT,
    ToolFuncContext,
    ToolFuncEither,
    ToolFuncPlain,
    ToolParams,
    ToolPrepareFunc,
    ToolSelector,
    ToolSelectorFunc,
    ToolsPrepareFunc,
)

__all__ = (
    'AgentDepsT',
    'AgentNativeTool',
    'ArgsValidatorFunc',
    'CallOptions',
    'DeferredToolApprovalResult',
    'DeferredToolCallResult',
    'DeferredToolRequests',
    'DeferredToolResult',
    'DeferredToolResults',
    'DocstringFormat',
    'Done',
    'Effect',
    'GenerateToolJsonSchema',
    'NativeToolFunc',
    'NotDone',
    'ObjectJsonSchema',
    'OnToolError',
    'Reconcile',
    'RunContext',
    'SystemPromptFunc',
    'Tool',
    'ToolAgentDepsT',
    'ToolApproved',
    'ToolDefinition',
    'ToolDenied',
    'ToolErrorAction',
    'ToolErrors',
    'ToolFuncContext',
    'ToolFuncEither',
    'ToolFuncPlain',
    'ToolKind',
    'ToolParams',
    'ToolPartKind',
    'ToolPrepareFunc',
    'ToolSelector',
    'ToolSelectorFunc',
    'ToolsPrepareFunc',
    'matches_tool_selector',
)

__getattr__: Callable[[str], object] = old_names(
    __name__,
    {'AgentBuiltinTool': (__name__, 'AgentNativeTool'), 'BuiltinToolFunc': (__name__, 'NativeToolFunc')},
)
