"""Agents: construction, the run methods, decorators, overrides and wrappers."""

from __future__ import annotations

from .._calls.batch import EndStrategy
from .._calls.running import ParallelExecutionMode
from .._kit.warnings import PydanticAIDeprecationWarning
from .._loop.capture import capture_run_messages
from .._loop.nodes import CallToolsNode, ModelRequestNode, UserPromptNode
from ..models.instrumented import InstrumentationSettings
from ..run import AgentRun, AgentRunResult
from ..tools import NativeToolFunc, ToolsPrepareFunc
from ._agent import Agent
from ._explain import Explanation
from ._instrument import log
from ._options import (
    AgentInstructions,
    AgentMetadata,
    AgentModelSettings,
    AgentOptions,
    AgentRetries,
    EventOptions,
    FromSpecOptions,
    OverrideOptions,
    RunOptions,
    StreamOptions,
)
from .abstract import AbstractAgent, EventStreamHandler, EventStreamProcessor
from .wrapper import WrapperAgent

__all__ = (
    'AbstractAgent',
    'Agent',
    'AgentInstructions',
    'AgentMetadata',
    'AgentModelSettings',
    'AgentOptions',
    'AgentRetries',
    'AgentRun',
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
    'ToolsPrepareFunc',
    'UserPromptNode',
    'WrapperAgent',
    'capture_run_messages',
    'log',
)
