"""Capabilities of the reference that do here without being one; programs ask whether a capability is of their class."""

from __future__ import annotations

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT


class DeferredCapabilityLoader(AbstractCapability[AgentDepsT]):
    """Does nothing: capabilities on demand are loaded by the run itself."""


class PendingMessageDrainCapability(AbstractCapability[AgentDepsT]):
    """Does nothing: messages that were enqueued are sent by the run itself."""


__all__ = ('DeferredCapabilityLoader', 'PendingMessageDrainCapability')
