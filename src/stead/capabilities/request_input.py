"""`RequestInput`: asks for decisions about deferred calls, and waits for them as for an event from outside."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import field
from datetime import timedelta
from functools import cache
from typing import Any, Union

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json
from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.keywords import dataclass
from ..exceptions import ToolFailed, UserError
from ..external_events import ExternalEventError, wait_for_external_event
from ..tools import DeferredToolRequests, DeferredToolResults, ToolDenied

RequestInputFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT], DeferredToolRequests, str],
    Union[DeferredToolResults, None, Awaitable[Union[DeferredToolResults, None]]],
]
"""A function, sync or async, that asks about calls and passes on a token to answer with; it may return the results at once."""


@cache
def _results() -> TypeAdapter[DeferredToolResults]:
    return TypeAdapter(DeferredToolResults)


@dataclass
class RequestInput(AbstractCapability[AgentDepsT]):
    """A function that asks for results of deferred calls; the run waits until `resolve_external_event` passes them on.

    Calls that the results leave out go to the next capability, or the caller. If no results arrive, approvals count as denied and
    other calls as failed, and the model reads why.
    """

    ask: RequestInputFunc[AgentDepsT] = field(kw_only=False)
    """Asks."""
    timeout: timedelta | None = None
    """The longest time to wait; `None` for no limit."""
    name: str = 'deferred_tool_calls'
    """What is waited for, for people and logs."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AgentDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Ask, and return the results that arrive.

        Raises:
            UserError: What arrived is not results of these calls.
        """

        async def ask(token: str) -> object:
            results = self.ask(ctx, requests, token)
            results = await results if inspect.isawaitable(results) else results
            return results if results is None else _results().dump_python(results, mode='json')

        try:
            payload: Any = await wait_for_external_event(self.name, ask=ask, timeout=self.timeout)
        except ExternalEventError as error:
            reason = f'No decision on this tool call arrived: {error}'
            return DeferredToolResults(
                calls={call.tool_call_id: ToolFailed(reason) for call in requests.calls},
                approvals={call.tool_call_id: ToolDenied(reason) for call in requests.approvals},
            )
        try:
            results = _results().validate_json(to_json(payload))  # where bytes are text
            return requests.build_results(
                calls=results.calls,
                approvals=results.approvals,
                metadata=results.metadata,
                answered_by=results.answered_by,
            )
        except (ValidationError, ValueError) as error:
            raise UserError(f'What was sent for the calls that wait is not valid: {error}') from error
