"""`HandleDeferredToolCalls`: a function provides results for deferred calls, so that the run continues."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import Union

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.keywords import dataclass
from ..tools import DeferredToolRequests, DeferredToolResults

DeferredToolHandler: TypeAlias = Callable[
    [RunContext[AgentDepsT], DeferredToolRequests],
    Union[DeferredToolResults, None, Awaitable[Union[DeferredToolResults, None]]],
]
"""A function of the run context and the requests, sync or async, that returns results for any of them, or `None`."""


@dataclass
class HandleDeferredToolCalls(AbstractCapability[AgentDepsT]):
    """A function that provides results for deferred tool calls. Calls without one go to the next capability, or the caller."""

    handler: DeferredToolHandler[AgentDepsT] = field(kw_only=False)
    """The function."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AgentDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return the results that the function provides."""
        results = self.handler(ctx, requests)
        return await results if inspect.isawaitable(results) else results
