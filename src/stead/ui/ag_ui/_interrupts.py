"""Questions about tool calls, and their answers: a run that waits ends with interrupts, and the next request resumes it.

The interface keeps the conversation. It could invent a call that no model made, and approve it. So the id of an interrupt
is signed, as that of every approval is: see `_approvals.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Union, cast

from ag_ui.core import RunAgentInput
from pydantic import BaseModel, Field, TypeAdapter

from ..._kit.json_types import JsonObject
from ..._kit.records import is_list, is_str_dict
from ..._kit.shown_arguments import question_about
from ...messages import ModelMessage, listed, warn_of_request
from ...tools import DeferredToolResults, ToolApproved, ToolDenied
from .._approvals import Asker, question_of, waiting_calls
from .._inner import AskedAbout

REASON = 'tool_call'
"""Why a run stopped: a call needs an approval."""


class _InterruptAnswer(BaseModel):
    """An answer to an interrupt; packages before 0.1.19 have no class for it."""

    interrupt_id: str = Field(alias='interruptId')
    status: Literal['resolved', 'cancelled']
    payload: Any = None


_ANSWERS: TypeAdapter[list[_InterruptAnswer]] = TypeAdapter(list[_InterruptAnswer])
_Decision = Union[bool, ToolApproved, ToolDenied]


def interrupts_of(asked: Iterable[AskedAbout], asker: Asker, edits: bool) -> list[JsonObject]:
    """Return the questions about calls that wait for an approval, as JSON.

    Args:
        asked: The calls.
        asker: What asks.
        edits: Whether an answer may change the arguments.
    """
    return [
        {
            'id': asker.question(call, run_id, definition),
            'reason': REASON,
            'message': question_about(call),
            'toolCallId': call.tool_call_id,
            'responseSchema': _schema(edits),
        }
        for call, run_id, definition, _ in asked
    ]


def _schema(edits: bool) -> JsonObject:
    properties: JsonObject = {'approved': {'type': 'boolean'}, 'reason': {'type': 'string'}}
    if edits:
        properties['editedArgs'] = {'type': 'object'}
    return {'type': 'object', 'properties': properties, 'required': ['approved']}


def decisions_in(
    run_input: RunAgentInput, history: Sequence[ModelMessage], asker: Asker, *, edits: bool
) -> DeferredToolResults | None:
    """Return what the user decided about calls that wait; answers that no question was asked for are left out, with a warning.

    Args:
        run_input: The request.
        history: The messages whose last response has the calls.
        asker: What knows the questions.
        edits: Whether an answer may change the arguments.

    Raises:
        ValidationError: The answers are not those of the protocol.
    """
    sent: object = getattr(run_input, 'resume', None)
    if not sent:
        return None
    plain = [item.model_dump(by_alias=True) if isinstance(item, BaseModel) else item for item in _items(sent)]
    waiting = waiting_calls(history)
    results = DeferredToolResults()
    refused: list[str] = []
    for answer in _ANSWERS.validate_python(plain):
        about = question_of(answer.interrupt_id)
        call = waiting.get(about.call_id) if about is not None else None
        if call is not None and not asker.was_asked(answer.interrupt_id, call):
            call = None
        decision = None if call is None else _decision(answer, edits)
        if call is None or decision is None:
            refused.append(answer.interrupt_id if call is None else call.tool_name)
        elif results.approvals.get(call.tool_call_id, decision) != decision:  # yes and no: that is not consent
            results.approvals[call.tool_call_id] = False
        else:
            results.approvals[call.tool_call_id] = decision
    if refused:
        warn_of_request(
            f'Answers in the request were left out: {listed(refused)}. An answer needs the id of an '
            'interrupt of this server, for a call that waits and has the same arguments, and a payload such as '
            '`{"approved": true}`. If several processes answer, set the same STEAD_APPROVAL_KEY for all of them.'
        )
    return results if results.approvals else None


def _items(value: object) -> Iterable[Any]:
    return cast('list[Any]', value) if is_list(value) else [value]


def _decision(answer: _InterruptAnswer, edits: bool) -> _Decision | None:
    """Return what an answer says; `None` if it is neither a yes nor a no."""
    if answer.status == 'cancelled':
        return False
    payload: JsonObject = answer.payload if is_str_dict(answer.payload) else {}
    approved, reason, edited = payload.get('approved'), payload.get('reason'), payload.get('editedArgs')
    if approved is False:
        return ToolDenied(reason) if isinstance(reason, str) and reason else False
    if approved is not True:
        return None
    if edited is None:
        return True
    return ToolApproved(override_args=edited) if edits and is_str_dict(edited) else None
