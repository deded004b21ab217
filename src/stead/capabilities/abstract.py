"""The interface of capabilities, at its public path."""

from __future__ import annotations

from typing import Any

from .. import workspaces
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
from .._contracts.run_context import AgentDepsT, RunContext
from ..messages import WorkspaceRef


def leaf_capabilities(capability: AbstractCapability[Any]) -> list[AbstractCapability[Any]]:
    """Return the leaf capabilities of a capability, in the order of the chain."""
    leaves: list[AbstractCapability[Any]] = []
    capability.apply(leaves.append)
    return leaves


def select_workspace(
    capability: AbstractCapability[AgentDepsT],
    ctx: RunContext[AgentDepsT],
    *,
    ref: WorkspaceRef | None,
    run_layer: AbstractCapability[AgentDepsT] | None = None,
) -> workspaces.Workspace | None:
    """Return the workspace that a capability has for a run, or `None`.

    Args:
        capability: The capability, or all of an agent as one.
        ctx: The context of the run.
        ref: The workspace that it must be, or `None` for any.
        run_layer: The capabilities of the run, which are asked first.

    Raises:
        UserError: What a capability returned is not a workspace, or another one than was asked for.
    """
    from ..workspaces.choice import as_workspace

    for layer in (run_layer, capability):
        if layer is not None and (found := layer.get_workspace(ctx, ref=ref)) is not None:
            return as_workspace(found, ref)
    return None


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
    'select_workspace',
)
