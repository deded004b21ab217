"""Capabilities: reusable units of agent behaviour, and the chain that runs their hooks."""

from __future__ import annotations

from .._contracts.output import OutputContext
from ._dynamic import AgentCapability, CapabilityFunc, DynamicCapability
from .abstract import (
    AbstractCapability,
    AgentNode,
    CapabilityDescription,
    CapabilityOrdering,
    CapabilityPosition,
    CapabilityRef,
    NodeResult,
    RawOutput,
    RawToolArgs,
    ValidatedToolArgs,
    WrapModelRequestHandler,
    WrapNodeRunHandler,
    WrapOutputProcessHandler,
    WrapOutputValidateHandler,
    WrapRunHandler,
    WrapToolExecuteHandler,
    WrapToolValidateHandler,
)
from .capability import Capability
from .combined import CombinedCapability
from .prefix_tools import PrefixTools
from .prepare_tools import PrepareOutputTools, PrepareTools
from .process_history import HistoryProcessor, ProcessHistory
from .wrapper import WrapperCapability

__all__ = (
    'AbstractCapability',
    'AgentCapability',
    'AgentNode',
    'Capability',
    'CapabilityDescription',
    'CapabilityFunc',
    'CapabilityOrdering',
    'CapabilityPosition',
    'CapabilityRef',
    'CombinedCapability',
    'DynamicCapability',
    'HistoryProcessor',
    'NodeResult',
    'OutputContext',
    'PrefixTools',
    'PrepareOutputTools',
    'PrepareTools',
    'ProcessHistory',
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
    'WrapperCapability',
)
