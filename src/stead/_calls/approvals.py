"""Calls that wait for a decision: the request to decide, and what a decision allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import ToolsetTool
from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolRetryError
from ..messages import RetryPromptPart, ToolCallPart
from ..tools import DeferredToolRequests, DeferredToolResults, ToolApproved
from .execute import execute_call
from .step_tools import StepTools
from .validate import ValidatedToolCall, validate_call


@dataclass
class Deferred:
    """A call that waits for an approval, or for a result from outside of the run."""

    call: ToolCallPart
    """The call as the model sent it."""
    tool: ToolsetTool[Any] | None
    """Its tool, or `None` if there is none of that name."""
    needs_approval: bool
    """Whether it waits for an approval; otherwise for a result."""
    metadata: dict[str, object] | None = None
    """What its tool adds, for whatever decides about the call."""

    @classmethod
    def by(cls, error: ApprovalRequired | CallDeferred, call: ToolCallPart, tool: ToolsetTool[Any] | None) -> Deferred:
        """Return the call that an error of its tool defers."""
        return cls(call, tool, isinstance(error, ApprovalRequired), error.metadata)


def requests_for(deferred: Iterable[Deferred]) -> DeferredToolRequests:
    """Return the request to decide about calls, for a handler or as the output of the run."""
    requests = DeferredToolRequests()
    for item in deferred:
        (requests.approvals if item.needs_approval else requests.calls).append(item.call)
        if item.metadata is not None:
            requests.metadata[item.call.tool_call_id] = item.metadata
    return requests


async def ask_capabilities(step: StepTools[AgentDepsT], requests: DeferredToolRequests) -> DeferredToolResults | None:
    """Return the results that the capabilities of the run have for deferred calls; `None` if they have none."""
    if not step.chain.handle_deferred_tool_calls:
        return None
    assert step.ctx is not None, 'deferred calls belong to a step'
    return await step.chain.resolve_deferred(step.ctx, requests)


def consent(
    step: StepTools[AgentDepsT],
    call: ToolCallPart,
    tool: ToolsetTool[AgentDepsT] | None,
    decision: object = None,
    metadata: object = None,
) -> tuple[ToolCallPart, RunContext[AgentDepsT]] | None:
    """Return the call that may be validated and executed, and its context; `None` if the decision is its result.

    Every function call that may be executed passes here, and nothing else makes a context in which `tool_call_approved` is true.

    Args:
        step: The tools of the step.
        call: The call as the model sent it.
        tool: Its tool, or `None` if there is none of that name.
        decision: An approval, a denial, or the result of the call; `None` if nothing was decided.
        metadata: What the tool sees as `ctx.tool_call_metadata`.
    """
    if decision is None:
        return call, step.call_context(call, tool, metadata=metadata)
    if not isinstance(decision, ToolApproved):
        return None
    if decision.override_args is not None:
        call = replace(call, args=decision.override_args)
    return call, step.call_context(call, tool, approved=True, metadata=metadata)


async def validate_with_consent(
    step: StepTools[AgentDepsT], call: ToolCallPart, *, approved: bool, metadata: object, wrap_errors: bool
) -> ValidatedToolCall[AgentDepsT]:
    """Validate a call by itself; `approved` says whether it was approved. Errors as for `validate_call`."""
    tool = step.find(call.tool_name)
    permit = consent(step, call, tool, ToolApproved() if approved else None, metadata)
    assert permit is not None, 'a call may go on if it was approved, or nothing was decided'
    return await validate_call(step, call, tool, permit[1], wrap_errors=wrap_errors)


async def handle_call(
    step: StepTools[AgentDepsT],
    call: ToolCallPart,
    *,
    approved: bool = False,
    metadata: object = None,
    wrap_errors: bool = True,
) -> Any:
    """Validate and execute a call that a tool makes itself; if it is deferred, its decision is asked for at once.

    Returns:
        What the tool returned, or what was decided in its place; `ToolDenied` if the call was denied.

    Raises:
        ToolRetryError: The model has to try again.
        ApprovalRequired, CallDeferred: Nothing was decided, or the approved call was deferred again.
    """
    validated = await validate_with_consent(step, call, approved=approved, metadata=metadata, wrap_errors=wrap_errors)
    tool = validated.tool
    try:
        return await execute_call(step, validated, wrap_errors=wrap_errors)
    except (ApprovalRequired, CallDeferred) as error:
        deferral = error
    results = await ask_capabilities(step, requests_for([Deferred.by(deferral, call, tool)]))
    call_id = call.tool_call_id
    if results is None or (call_id not in results.calls and call_id not in results.approvals):
        raise deferral
    if call_id in results.calls:
        value = results.calls[call_id]
        if isinstance(value, ModelRetry):
            value = RetryPromptPart(content=value.message, tool_name=call.tool_name, tool_call_id=call_id)
        if isinstance(value, RetryPromptPart):
            raise ToolRetryError(value)
        return value
    decision = results.to_tool_call_results()[call_id]
    permit = consent(step, call, tool, decision, results.metadata.get(call_id))
    if permit is None:
        return decision
    validated = await validate_call(step, permit[0], tool, permit[1], wrap_errors=wrap_errors)
    return await execute_call(step, validated, wrap_errors=wrap_errors)
