"""Agents on Temporal: runs inside of workflows, whose requests and tool calls are activities."""

from __future__ import annotations

from ..._kit.extras import naming_extra

with naming_extra('temporalio', extra='temporal', what='`stead.durable_exec.temporal`'):
    from ._agent import PayloadTooLarge, TemporalAgent, TemporalWrapperToolset
    from ._context import TemporalRunContext
    from ._plugins import AgentPlugin, LogfirePlugin, PydanticAIPlugin, PydanticAIWorkflow

__all__ = (
    'AgentPlugin',
    'LogfirePlugin',
    'PayloadTooLarge',
    'PydanticAIPlugin',
    'PydanticAIWorkflow',
    'TemporalAgent',
    'TemporalRunContext',
    'TemporalWrapperToolset',
)
