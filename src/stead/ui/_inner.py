"""Calls of agents that run inside of a tool, in protocols that know the calls of one agent.

Such a call is shown to the interface as one of the conversation, so that a person can be asked about it. Its id there says
in which run it is: agents of one conversation may use the same ids. What comes back under such ids never reaches a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .._calls.answers import own_kind
from .._calls.approvals import definitions_of
from ..journal import Journal
from ..messages import ModelMessage, ModelResponse, RetryPromptPart, ToolCallPart, ToolReturnPart
from ..run import AgentRunResult
from ..tools import DeferredToolRequests

_MARK = 'inside-'
_DECIDED = 'It was decided about. The result is in that of the call that it is inside of.'


class AskedAbout(NamedTuple):
    """A call that a person has to be asked about."""

    call: ToolCallPart
    """The call, with the id that it has for the interface."""
    run_id: str | None
    """The run that wants to make it."""
    definition: str = ''
    """The digest of the definition of its tool; empty if it is not known."""
    is_inner: bool = False
    """Whether the interface has not seen it yet, since it is inside of another one."""


def shown_inside(run_id: str, call: ToolCallPart) -> ToolCallPart:
    """Return a call of a run with the id that it has for an interface whose conversation is another run's."""
    return replace(call, tool_call_id=f'{_MARK}{run_id}-{call.tool_call_id}')


def own_id(run_id: str, shown_id: str) -> str:
    """Return the id that a call has in its run."""
    return shown_id.removeprefix(f'{_MARK}{run_id}-')


def without_inner(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return messages of an interface without the calls that were shown to it by `shown_inside`, and their results."""
    left: list[ModelMessage] = []
    for message in messages:
        parts: list[Any] = [part for part in message.parts if not _is_inner(part)]
        if len(parts) == len(message.parts):
            left.append(message)
        elif parts:
            left.append(replace(message, parts=parts))
    return left


def _is_inner(part: object) -> bool:
    return isinstance(part, (ToolCallPart, ToolReturnPart, RetryPromptPart)) and part.tool_call_id.startswith(_MARK)


async def asked_about(result: AgentRunResult[Any], journal: Journal[Any] | None) -> list[AskedAbout]:
    """Return the calls that a run waits for approvals of, and those of runs inside of it.

    Args:
        result: The result of the run.
        journal: What has the runs inside of it, if there is a journal.
    """
    output: object = result.output
    if not isinstance(output, DeferredToolRequests):
        return []
    definitions, own = definitions_of(output), {call.tool_call_id for call in output.approvals}
    asked = [AskedAbout(call, result.run_id, definitions.get(call.tool_call_id, '')) for call in output.approvals]
    waits_inside = any(own_kind(about) in ('run', 'call') for about in output.metadata.values())
    if journal is not None and waits_inside and result.run_id is not None:
        for one in reversed(await journal.waiting(inside=result.run_id)):  # in the order in which they began
            run_id, inner = one.run.run_id, definitions_of(one.requests)
            for call in one.requests.approvals:
                if run_id != result.run_id or call.tool_call_id not in own:
                    definition = inner.get(call.tool_call_id, '')
                    asked.append(AskedAbout(shown_inside(run_id, call), run_id, definition, is_inner=True))
    return asked


def answers_inside(
    run_id: str, messages: Sequence[ModelMessage], shown: Iterable[ToolCallPart], *, has_ended: bool
) -> list[ToolReturnPart | RetryPromptPart]:
    """Return the results of calls that were shown by `shown_inside`, as far as they have one.

    Args:
        run_id: The run that made the calls.
        messages: Its messages.
        shown: The calls, with the ids that they have for the interface.
        has_ended: Whether the calls have ended that they are inside of.
    """
    found: dict[str, ToolReturnPart | RetryPromptPart] = {}
    for message in messages:
        if not isinstance(message, ModelResponse):
            results = (part for part in message.parts if isinstance(part, (ToolReturnPart, RetryPromptPart)))
            found.update((part.tool_call_id, part) for part in results)
    answers: list[ToolReturnPart | RetryPromptPart] = []
    for call in shown:
        part = found.get(own_id(run_id, call.tool_call_id))
        if part is None and has_ended:  # a tool has made it itself, so that no message has its result
            part = ToolReturnPart(call.tool_name, _DECIDED)
        if part is not None and _is_inner(call):
            answers.append(replace(part, tool_call_id=call.tool_call_id))
    return answers
