"""Deferred calls that a tool makes itself, through `ToolManager.handle_call`: capabilities are asked at once."""

from __future__ import annotations

from typing import Any

from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolRetryError
from ..messages import RetryPromptPart, ToolCallPart
from ..tools import DeferredToolRequests, DeferredToolResults


def request_for(call: ToolCallPart, deferral: ApprovalRequired | CallDeferred) -> DeferredToolRequests:
    """Return the request that a deferred call comes to."""
    metadata = {} if deferral.metadata is None else {call.tool_call_id: deferral.metadata}
    if isinstance(deferral, ApprovalRequired):
        return DeferredToolRequests(approvals=[call], metadata=metadata)
    return DeferredToolRequests(calls=[call], metadata=metadata)


def outcome_of(call: ToolCallPart, results: DeferredToolResults | None, deferral: Exception) -> Any:
    """Return what was decided about a deferred call: an approval, a denial, or the value it returns.

    Raises:
        ToolRetryError: The model shall try again.
        ApprovalRequired, CallDeferred: Nothing was decided.
    """
    call_id = call.tool_call_id
    if results is None or (call_id not in results.calls and call_id not in results.approvals):
        raise deferral
    if call_id not in results.calls:
        return results.to_tool_call_results()[call_id]
    value = results.calls[call_id]
    if isinstance(value, ModelRetry):
        value = RetryPromptPart(content=value.message, tool_name=call.tool_name, tool_call_id=call_id)
    if isinstance(value, RetryPromptPart):
        raise ToolRetryError(value)
    return value
