"""The toolset of the tools that are registered with an agent itself."""

from __future__ import annotations

from .._contracts.run_context import AgentDepsT
from ..toolsets import FunctionToolset


class AgentFunctionToolset(FunctionToolset[AgentDepsT]):
    """The toolset of the tools that are registered with an agent itself."""

    @property
    def id(self) -> str:
        """The id of the toolset."""
        return '<agent>'

    @property
    def label(self) -> str:
        """The name of the toolset in error messages."""
        return 'the agent'
