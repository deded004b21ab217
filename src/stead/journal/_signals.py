"""A journal raises these exceptions in place of a tool, so that its call waits. The texts about such calls are here, too."""

from __future__ import annotations

from collections.abc import Sequence

from .._contracts.facts import CallStarting
from .._kit.json_types import JsonObject
from ..exceptions import ApprovalRequired, CallDeferred, UserError
from ..messages import ModelRequest, ModelRequestPart, RetryPromptPart, ToolCallPart, ToolReturnPart
from ._call import CallUnderWay


class CallInDoubt(ApprovalRequired):
    """A call was started, its end is not recorded, and it may have been done. What allows the tool does not allow it twice."""

    for_people = True


class ToolChanged(ApprovalRequired):
    """The definition of the tool of a call is not the one that a person was shown."""


class InnerRunWaits(CallDeferred):
    """A run inside of the call waits for decisions."""

    for_people = True


class InnerCallWaits(CallDeferred):
    """A call that the tool of the call makes itself waits for a decision."""

    for_people = True


def recorded_answers(request: ModelRequest) -> dict[str, Sequence[ModelRequestPart]]:
    """Return the answers in a request by call id; what tools add to the conversation is with the last one."""
    answers = [part for part in request.parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]
    rest = [part for part in request.parts if not isinstance(part, (ToolReturnPart, RetryPromptPart))]
    return {part.tool_call_id: [part, *(rest if part is answers[-1] else ())] for part in answers}


def what_is_in_doubt(call: ToolCallPart, key: str, started_at: float) -> JsonObject:
    """Return the metadata of a call in doubt."""
    return {
        'kind': 'reconcile',
        'message': f'Tool {call.tool_name!r} was started, and its process died, was stopped or is paused: whether it did its '
        'work is not known.',
        'remedy': 'Record what it returned with `journal.answer`, or approve the call to make it again, and resume the run.',
        'started_at': started_at,
        'arguments': call.args_as_dict(),
        'idempotency_key': key,
    }


def cancel_call(fact: CallStarting, reason: str | None) -> None:
    """Cancel a call that is under way. Only of one that reads it is known that it has done nothing then."""
    if fact.task is None or fact.cancelled is not None:
        return
    is_read = fact.policy is not None and fact.policy.effect == 'read'
    unknown = '' if is_read else ' It is not known what it has done until then.'
    fact.cancelled = f'The call was cancelled{f": {reason}" if reason else ""}.{unknown}'
    fact.task.cancel()


def check_may_repeat(call: CallUnderWay, question: str) -> None:
    """Refuse a question inside of a tool that must not run again, as it would after the answer.

    Args:
        call: The call that is under way.
        question: What is asked about, for the error.

    Raises:
        UserError: The tool, or one that it is inside of, has the effect `'write'`.
    """
    if call.once is not None:
        raise UserError(
            f"Tool {call.once!r} has the effect 'write', so it must not run twice, and {question} has to wait for a decision. "
            'After that the tool would run again from its beginning. If it may, since it only runs agents and calls tools, '
            "give it `effect='idempotent'`; what it does itself belongs into steps, which are not done again: "
            "`await ctx.step('pay', function)`."
        )
