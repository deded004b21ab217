"""Tools: a function becomes a tool with a schema; calls that wait for somebody."""

from __future__ import annotations

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ObjectJsonSchema, ToolDefinition, ToolKind, ToolPartKind
from .._kit.docstrings import DocstringFormat
from .deferred import (
    DeferredToolApprovalResult,
    DeferredToolCallResult,
    DeferredToolRequests,
    DeferredToolResult,
    DeferredToolResults,
    ToolApproved,
    ToolDenied,
)
from .schema import GenerateToolJsonSchema
from .selector import matches_tool_selector
from .tool import Tool
from .types import (
    AgentNativeTool,
    ArgsValidatorFunc,
    NativeToolFunc,
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
    'DeferredToolApprovalResult',
    'DeferredToolCallResult',
    'DeferredToolRequests',
    'DeferredToolResult',
    'DeferredToolResults',
    'DocstringFormat',
    'GenerateToolJsonSchema',
    'NativeToolFunc',
    'ObjectJsonSchema',
    'RunContext',
    'SystemPromptFunc',
    'Tool',
    'ToolAgentDepsT',
    'ToolApproved',
    'ToolDefinition',
    'ToolDenied',
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
