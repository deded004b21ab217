"""Calls that wait for a decision: the request to decide, and what a decision allows.

A decision is about one call: its id, its tool and its arguments. So the calls of a response have different ids
(`distinct_calls`), a call that waits has an id that its conversation has not used before, and decisions are checked before
anything is run (`check_decisions`): what is not clearly a decision about a call that waits for one is an error of the
program, never consent. `execute_call` then runs a tool that needs approval in an approved context only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._contracts.facts import CallAsked
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RecordedAnswer
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.ids import digest, generate_tool_call_id
from .._kit.short import short_repr
from ..exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed, ToolRetryError, UserError
from ..messages import BaseToolReturnPart, ModelResponse, RetryPromptPart, ToolCallPart, ToolReturn, digest_of
from ..output import OutputSchema
from ..tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from ..toolsets.wrapper import leaves_doubt
from .answers import LONGEST_NAME, answer_to, own_kind
from .around import ask_capabilities
from .execute import execute_apart
from .step_tools import Decisions, StepTools
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
    for_people: bool = False
    """Whether capabilities are not asked, since only a person can know the answer."""
    is_question: bool = False
    """Whether the result is the answer of a person."""
    shown_id: str | None = None
    """The id under which readers of the events have seen the call, if it has another one since."""

    @classmethod
    def by(cls, error: ApprovalRequired | CallDeferred, call: ToolCallPart, tool: ToolsetTool[Any] | None) -> Deferred:
        """Return the call that an error of its tool defers."""
        is_question = isinstance(error, CallDeferred) and error.kind == 'question'
        return cls(call, tool, isinstance(error, ApprovalRequired), error.metadata, error.for_people, is_question)


def requests_for(deferred: Iterable[Deferred]) -> DeferredToolRequests:
    """Return the request to decide about calls, for a handler or as the output of the run."""
    questions: dict[str, Literal['external', 'question']] = {}
    requests, definitions = DeferredToolRequests(_kinds=questions), dict[str, str]()
    for item in deferred:
        (requests.approvals if item.needs_approval else requests.calls).append(item.call)
        if item.is_question:
            questions[item.call.tool_call_id] = 'question'
        if item.metadata is not None:
            requests.metadata[item.call.tool_call_id] = item.metadata
        if item.tool is not None and item.needs_approval:
            definitions[item.call.tool_call_id] = definition_digest(item.tool.tool_def)
    vars(requests)['definitions'] = definitions  # no field: they are for who decides here, and not part of the output
    return requests


def definitions_of(requests: DeferredToolRequests) -> dict[str, str]:
    """Return the digests of the definitions of the tools that calls wait for, by call id, as far as they are known."""
    return vars(requests).get('definitions', {})


def definition_digest(tool: ToolDefinition) -> str:
    """Return a digest of what a tool says of itself to a model or a person."""
    try:
        about = json.dumps(tool.metadata, sort_keys=True)
    except (TypeError, ValueError):
        about = ''  # objects of a program, which have no form of their own
    return digest(tool.name, tool.description, tool.parameters_json_schema, about)[:16]


def check_deferral(requests: DeferredToolRequests, schema: OutputSchema[object], instead: str) -> None:
    """Check that calls which wait may end the run.

    Args:
        requests: The calls.
        schema: The outputs of the run.
        instead: What else the developer may do than allow them as output.

    Raises:
        UserError: The output type of the run does not allow deferred calls.
    """
    if not schema.allows_deferred_tools:
        in_doubt = [data for data in requests.metadata.values() if own_kind(data) == 'reconcile']
        if in_doubt:
            # What recorded the calls says how it takes an answer.
            words = dict.fromkeys(str(data[key]) for key in ('message', 'remedy') for data in in_doubt if key in data)
            raise UserError(
                f'{" ".join(words)} The run waits for a person who knows. Add `DeferredToolRequests` to the `output_type` to get '
                'such questions as output; a tool with `reconcile=`, or with an `effect=` other than "write", raises none.'
            )
        names = sorted({call.tool_name for call in (*requests.calls, *requests.approvals)})
        raise UserError(
            f'Tools {names} wait for an approval or an external result, but the output type of the run does not allow that. Add '
            f'`DeferredToolRequests` to the `output_type`, or {instead}.'
        )


UNDECIDED = object()
"""Stands for the decision about a call that nothing was decided about; `None` is an error."""

ALREADY_ANSWERED = object()
"""Stands for the result of a call that history answers already."""

_RESULTS = (ToolReturn, BaseToolReturnPart, ModelRetry, ToolFailed, RetryPromptPart)


def distinct_calls(response: ModelResponse) -> list[ToolCallPart]:
    """Return the calls of a response, after giving those a new id that have the id of an earlier one.

    Some servers call every call `call_0`, and others do so on purpose: a decision about one call would hold for the others.
    """
    calls = response.tool_calls
    if len({call.tool_call_id for call in calls}) == len(calls):
        return calls
    seen: set[str] = set()
    parts = list(response.parts)
    for index, part in enumerate(parts):
        if isinstance(part, ToolCallPart):
            if part.tool_call_id in seen:
                parts[index] = part = replace(part, tool_call_id=generate_tool_call_id())
            seen.add(part.tool_call_id)
    response.parts = parts
    return response.tool_calls


def digests_of(calls: Sequence[ToolCallPart], decisions: Mapping[str, object]) -> dict[str, str]:
    """Return digests of the calls that there are decisions about, where these are known to be about them.

    Those that a journal recorded are: a person may say what a call did that was approved, and is in doubt.
    """
    return {call.tool_call_id: digest_of(call) for call in calls if call.tool_call_id in decisions}


def check_decisions(step: StepTools[AgentDepsT], calls: Sequence[ToolCallPart], decisions: Decisions) -> Decisions:
    """Check decisions about calls, before any of the calls is run, and return those that count.

    An approval of a tool whose definition has changed since it was asked about does not: the call is asked about again.

    Args:
        step: The tools of the step.
        calls: The calls of the response.
        decisions: The decisions; those of the run itself were checked when they were made.

    Raises:
        UserError: A decision is neither an approval nor a denial nor a result; or it is not about the call of its id: several
            calls have that id, or the call has another tool or other arguments, or it is executed outside of the run.
    """
    often, digests = Counter(call.tool_call_id for call in calls), decisions.digests
    for call in calls:
        call_id = call.tool_call_id
        decision = decisions.about.get(call_id, UNDECIDED)
        if decision is UNDECIDED or decision is ALREADY_ANSWERED:
            continue
        if often[call_id] > 1:
            raise UserError(
                f'{often[call_id]} calls have the id {_shown(call_id)}, so that a decision cannot say which of them it is about. '
                'Nothing was executed. Continue without `deferred_tool_results` to be asked again: every call then has an '
                'id of its own.'
            )
        known = (digests or {}).get(call_id)
        about, _, definition = (known or '').partition('+')
        if known is not None and about != digest_of(call):
            raise UserError(
                f'The decision about the tool call {_shown(call_id)} was about another call: the message history has a call of '
                f'{_shown(call.tool_name)} with this id that '
                'is not the one that was asked about. Nothing was executed. '
                'Pass the messages of the run that returned the `DeferredToolRequests`.'
            )
        tool = step.listed().get(call.tool_name)
        kind = tool.tool_def.kind if tool is not None else None
        if definition and tool is not None and isinstance(decision, ToolApproved):
            if definition != definition_digest(tool.tool_def):
                left = {other: value for other, value in decisions.about.items() if other != call_id}
                decisions = decisions._replace(about=left)
                continue
        is_result = isinstance(decision, (ToolReturn, BaseToolReturnPart))
        is_unasked = kind == 'unapproved' and digests is not None and known is None
        if is_result and is_unasked and not leaves_doubt(step.toolset):
            raise UserError(
                f'The tool call {_shown(call_id)} of {_shown(call.tool_name)} has a result in `DeferredToolResults.calls`, but '
                'its tool needs an approval: pass `True`, `False` or a `ToolDenied` in `approvals`. Nothing was executed. If the '
                'tool was approved and then deferred the call, make the results with `DeferredToolRequests.build_results`.'
            )
        if isinstance(decision, ToolApproved):
            if kind == 'external':
                raise UserError(
                    f'The tool call {_shown(call_id)} of {_shown(call.tool_name)} was approved, but the tool is executed '
                    'outside of the run. Pass its result in `DeferredToolResults.calls`, or a `ToolDenied` in `approvals`.'
                )
        elif not isinstance(decision, (ToolDenied, RecordedAnswer, *_RESULTS)):
            raise UserError(
                f'The decision about the tool call {_shown(call_id)} is a `{type(decision).__name__}`. It must be a '
                '`ToolApproved`, a `ToolDenied` or the result of the call as a `ToolReturn`.'
            )
    return decisions


def _shown(name: str) -> str:
    """Return an id or a name, which a model or a request has chosen, as an error shows it."""
    return short_repr(name, LONGEST_NAME)


def consent(
    step: StepTools[AgentDepsT],
    call: ToolCallPart,
    tool: ToolsetTool[AgentDepsT] | None,
    decision: object = UNDECIDED,
    metadata: object = None,
) -> tuple[ToolCallPart, RunContext[AgentDepsT]] | None:
    """Return the call that may be validated and executed, and its context; `None` if the decision is its result.

    Every function call that may be executed passes here, and nothing else makes a context in which `tool_call_approved` is true.

    Args:
        step: The tools of the step.
        call: The call as the model sent it.
        tool: Its tool, or `None` if there is none of that name.
        decision: An approval, a denial, or the result of the call; `UNDECIDED` if nothing was decided.
        metadata: What the tool sees as `ctx.tool_call_metadata`.
    """
    if decision is UNDECIDED:
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
    permit = consent(step, call, tool, ToolApproved() if approved else UNDECIDED, metadata)
    assert permit is not None, 'a call may continue if it was approved, or nothing was decided'
    return await validate_call(step, call, tool, permit[1], wrap_errors=wrap_errors)


def validate_watched(
    step: StepTools[AgentDepsT], call: ToolCallPart, tool: object, ctx: RunContext[AgentDepsT]
) -> Awaitable[ValidatedToolCall[AgentDepsT]]:
    """Validate a call that `consent` permits through the public method, which a program has replaced and finds the tool."""
    assert step.watched is not None, 'a method was replaced'
    return step.watched.validate_tool_call(call, approved=ctx.tool_call_approved, metadata=ctx.tool_call_metadata)


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
    watched = step.watched
    work = (
        validate_with_consent(step, call, approved=approved, metadata=metadata, wrap_errors=wrap_errors)
        if watched is None
        else watched.validate_tool_call(call, approved=approved, metadata=metadata, wrap_validation_errors=wrap_errors)
    )
    validated = await work
    tool = validated.tool
    try:
        if watched is None:
            return await execute_apart(step, validated, wrap_errors=wrap_errors)
        return await watched.execute_tool_call(validated, wrap_validation_errors=wrap_errors)
    except (ApprovalRequired, CallDeferred) as error:
        deferral = error
    if deferral.for_people:
        raise deferral
    call = _with_id_of_its_own(step, call)
    step.asked_inside |= {call.tool_call_id}
    deferred = Deferred.by(deferral, call, tool)
    results = await ask_capabilities(step, requests_for([deferred]))
    call_id = call.tool_call_id
    if not _decides(results, call_id) and step.chain.record:
        about = tool.tool_def if tool is not None else None
        asked = CallAsked(
            call, deferred.needs_approval, deferral.metadata, validated.begun, about, is_question=deferred.is_question
        )
        await step.chain.announce(validated.ctx, asked)
        results = asked.results
    if results is None or not _decides(results, call_id):
        raise deferral
    decisions = check_decisions(step, [call], Decisions.of(results))
    if call_id not in decisions.about:
        raise deferral
    if call_id in results.calls:
        value = results.calls[call_id]
        if isinstance(value, (ModelRetry, RetryPromptPart)):
            raise ToolRetryError(answer_to(call, value)[0])
        if isinstance(value, ToolFailed):
            raise value
        return value
    decision = decisions.about[call_id]
    permit = consent(step, call, tool, decision, decisions.metadata.get(call_id))
    if permit is None:
        return decision
    validated = await validate_call(step, permit[0], tool, permit[1], wrap_errors=wrap_errors)
    return await execute_apart(step, validated, wrap_errors=wrap_errors)


def _with_id_of_its_own(step: StepTools[Any], call: ToolCallPart) -> ToolCallPart:
    """Return a call that a tool makes and that is asked about: with a new id, if a call of the model has its id.

    Tools choose ids as they like. A decision about the one call, which is known by the id, would hold for the other.
    """
    messages = step.ctx.messages if step.ctx is not None else []
    responses = (message for message in messages if isinstance(message, ModelResponse))
    if any(call.tool_call_id == other.tool_call_id for response in responses for other in response.tool_calls):
        return replace(call, tool_call_id=generate_tool_call_id())
    return call


def _decides(results: DeferredToolResults | None, call_id: str) -> bool:
    return results is not None and (call_id in results.calls or call_id in results.approvals)
