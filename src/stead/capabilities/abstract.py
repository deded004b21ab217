"""The interface of capabilities, at its public path."""

from __future__ import annotations

from typing import Any

from .._contracts.capability import (
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


def leaf_capabilities(capability: AbstractCapability[Any]) -> list[AbstractCapability[Any]]:
    """Return the leaf capabilities of a capability, in the order of the chain."""
    leaves: list[AbstractCapability[Any]] = []
    capability.apply(leaves.append)
    return leaves


__all__ = (
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
    'leaf_capabilities',
)
