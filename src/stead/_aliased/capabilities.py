"""Capabilities of the reference that stead does not need; programs ask whether a capability is an instance of them."""

from __future__ import annotations

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT


class DeferredCapabilityLoader(AbstractCapability[AgentDepsT]):
    """Does nothing: the run itself loads capabilities on demand."""


class PendingMessageDrainCapability(AbstractCapability[AgentDepsT]):
    """Does nothing: the run itself sends enqueued messages."""


__all__ = ('DeferredCapabilityLoader', 'PendingMessageDrainCapability')
