"""`HandleDeferredToolCalls`: a function answers the calls that wait for somebody, so that the run goes on."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Union

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from ..tools import DeferredToolRequests, DeferredToolResults

DeferredToolHandler: TypeAlias = Callable[
    [RunContext[AgentDepsT], DeferredToolRequests],
    Union[DeferredToolResults, None, Awaitable[Union[DeferredToolResults, None]]],
]
"""A function of the run context and the requests, sync or async; returns results for some of them, or `None`."""


@dataclass
class HandleDeferredToolCalls(AbstractCapability[AgentDepsT]):
    """Answers deferred tool calls with a function; what it leaves open goes on to the next capability, or the caller."""

    handler: DeferredToolHandler[AgentDepsT] = field(kw_only=False)
    """The function."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: functions cannot stand in a spec."""
        return None

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AgentDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return what the function has for the calls."""
        answer: Any = self.handler(ctx, requests)
        return await answer if inspect.isawaitable(answer) else answer
