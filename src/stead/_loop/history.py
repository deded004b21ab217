"""Message histories: making them fit to send, and bringing dynamic system prompts up to date."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Literal, cast

from .. import messages as all_messages
from .._calls.answers import MAY_HAVE_RUN
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.run_state import RunState
from ..messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from .prompts import SystemPromptRunner
from .state import replace_history

NOT_EXECUTED: tuple[str, Literal['failed', 'interrupted']] = ('Tool not executed - the run was interrupted.', 'failed')
"""The text and the outcome of the answer to a call that was left open."""
_RAISED = 'stead_raised'
"""The key in the metadata of a response for the ids of the calls whose tools raised the error that ended the run."""
_CUT = 'stead_cut'
"""The key in the metadata of a response that has lost some of its calls, because they were too many."""


def has_neighbours_of_one_kind(messages: Sequence[ModelMessage]) -> bool:
    """Return whether two requests or two responses follow each other."""
    previous = ''
    for message in messages:
        if message.kind == previous:
            return True
        previous = message.kind
    return False


def merge_neighbours(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return messages with neighbours of the same kind merged where that loses nothing.

    Two requests merge unless both carry instructions and these differ; tool results come first in the merged
    request, since providers want them right after the calls. Two responses merge if they cannot be told apart by
    response id, provider or model. The messages passed in are not changed.
    """
    merged: list[ModelMessage] = []
    group: list[ModelMessage] = []
    instructions: str | None = None
    for message in messages:
        if group and not _joins(group[0], instructions, message):
            merged.append(_as_one(group))
            group, instructions = [], None
        group.append(message)
        if instructions is None and isinstance(message, ModelRequest):
            instructions = message.instructions
    if group:
        merged.append(_as_one(group))
    return merged


def _joins(first: ModelMessage, instructions: str | None, message: ModelMessage) -> bool:
    """Return whether a message can be merged with those from `first` on, which have these instructions."""
    if isinstance(message, ModelRequest) and isinstance(first, ModelRequest):
        return instructions is None or message.instructions is None or instructions == message.instructions
    if isinstance(message, ModelResponse) and isinstance(first, ModelResponse):
        return _responses_merge(first, message)
    return False


def _as_one(group: list[ModelMessage]) -> ModelMessage:
    if len(group) == 1:
        return group[0]
    last = group[-1]
    if isinstance(last, ModelResponse):
        return _merged_responses(cast('list[ModelResponse]', group))
    return _merged_requests(cast('list[ModelRequest]', group))


def _merged_responses(group: list[ModelResponse]) -> ModelResponse:
    usage = group[0].usage
    for response in group[1:]:
        usage = usage + response.usage
    parts = [part for response in group for part in response.parts]
    return dataclasses.replace(group[0], parts=parts, usage=usage, timestamp=group[-1].timestamp)


def _merged_requests(group: list[ModelRequest]) -> ModelRequest:
    parts = [part for request in group for part in request.parts]
    parts.sort(key=_answers_no_call)
    return ModelRequest(
        parts=parts,
        instructions=next((request.instructions for request in group if request.instructions), None),
        timestamp=next((request.timestamp for request in reversed(group) if request.timestamp), None),
    )


def _answers_no_call(part: ModelRequestPart) -> bool:
    return not isinstance(part, (ToolReturnPart, RetryPromptPart))


def _responses_merge(first: ModelResponse, second: ModelResponse) -> bool:
    return (
        first.provider_response_id is None
        and second.provider_response_id is None
        and first.provider_name == second.provider_name
        and first.model_name == second.model_name
    )


async def renew_dynamic_prompts(
    messages: list[ModelMessage],
    runners: Mapping[str, SystemPromptRunner[AgentDepsT]],
    run_context: RunContext[AgentDepsT],
) -> list[ModelMessage]:
    """Return messages with dynamic system prompts evaluated again.

    Args:
        messages: The history; neither the list nor its messages are changed.
        runners: The dynamic system prompt functions, by the reference to them in the history.
        run_context: What the functions receive.
    """
    renewed = messages
    for index, message in enumerate(messages):
        if not isinstance(message, ModelRequest):
            continue
        parts: list[ModelRequestPart] | None = None
        for position, part in enumerate(message.parts):
            if isinstance(part, SystemPromptPart) and part.dynamic_ref and part.dynamic_ref in runners:
                text = await runners[part.dynamic_ref].run(run_context)
                parts = parts if parts is not None else list(message.parts)
                parts[position] = SystemPromptPart(content=text or '', dynamic_ref=part.dynamic_ref)
        if parts is not None:
            if renewed is messages:
                renewed = list(messages)
            renewed[index] = dataclasses.replace(message, parts=parts)
    return renewed


def prompt_to_resume(history: Sequence[ModelMessage]) -> str | list[all_messages.UserContent] | None:
    """Return the prompt of the request that a history ends in: a single one as it is, several as one list.

    Returns:
        The prompt, or `None` if the history ends in something else, or the request has none.
    """
    if not history or not isinstance(last := history[-1], ModelRequest):
        return None
    prompts = [part.content for part in last.parts if isinstance(part, UserPromptPart)]
    if len(prompts) == 1:
        prompt = prompts[0]
        return prompt if isinstance(prompt, str) else list(prompt)
    items: list[all_messages.UserContent] = []
    for prompt in prompts:
        items.extend([prompt] if isinstance(prompt, str) else prompt)
    return items or None


def last_response(
    history: Sequence[ModelMessage], *, before_prompts: bool = False
) -> tuple[ModelResponse, set[str]] | None:
    """Return the last response of a history, and the ids of its calls that requests after it answer.

    Args:
        history: The messages.
        before_prompts: Whether user prompts may follow it. Otherwise there is no such response if anything but answers
            to its calls follows it.
    """
    answered: set[str] = set()
    for message in reversed(history):
        if isinstance(message, ModelResponse):
            return message, answered
        for part in message.parts:
            if isinstance(part, ToolReturnPart) or (isinstance(part, RetryPromptPart) and part.tool_name is not None):
                answered.add(part.tool_call_id)
            elif not isinstance(part, UserPromptPart) or not (answered or before_prompts):
                return None
    return None


def has_whole_calls(response: ModelResponse) -> bool:
    """Return whether all calls of a response that is not complete are complete.

    Arguments that are a JSON object are whole, since nothing can follow them. Of those that are empty, no one can say whether
    they had come; `mark_interrupted` writes the empty object for those of a response that had.
    """
    if response.metadata and _CUT in response.metadata:
        return False
    for call in response.tool_calls:
        if not call.args:
            if call.args != {}:
                return False
            continue
        try:
            call.args_as_dict(raise_if_invalid=True)
        except (ValueError, AssertionError):
            return False
    return True


def _write_out_empty_args(response: ModelResponse) -> None:
    """Write the arguments of calls without any as the empty object, in a response that is complete."""
    if any(call.args in (None, '') for call in response.tool_calls):
        response.parts = [
            dataclasses.replace(part, args={}) if isinstance(part, ToolCallPart) and part.args in (None, '') else part
            for part in response.parts
        ]


def answers_to_interrupted_calls(history: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    """Return answers to the calls that a run left open when it was interrupted, so that another prompt can follow."""
    last = last_response(history)
    if last is None or last[0].state == 'complete':
        return []
    response, answered = last
    return [interrupted(call, response) for call in response.tool_calls if call.tool_call_id not in answered]


def interrupted(call: ToolCallPart, response: ModelResponse) -> ToolReturnPart:
    """Return the answer to a call that has none: what is known of it."""
    raised = (response.metadata or {}).get(_RAISED)
    begun = isinstance(raised, list) and call.tool_call_id in raised
    text, outcome = NOT_EXECUTED
    return ToolReturnPart(call.tool_name, MAY_HAVE_RUN if begun else text, call.tool_call_id, outcome=outcome)


def cut(response: ModelResponse, most: int | None = None) -> ModelResponse:
    """Return a response with too many calls as a history keeps it: marked, so that no run executes some of its calls.

    Args:
        response: The response.
        most: How many of the calls to keep; by default all.
    """
    places = count()
    parts = [
        part for part in response.parts if most is None or not isinstance(part, ToolCallPart) or next(places) < most
    ]
    metadata = {**(response.metadata or {}), _CUT: len(response.tool_calls)}
    return dataclasses.replace(response, parts=parts, state='interrupted', metadata=metadata)


def mark_interrupted(state: RunState, raised: Sequence[str] = (), *, foreign: bool = False) -> None:
    """Mark the last response of a history as interrupted if it has calls without an answer.

    Args:
        state: The state of the run; a response of another run is replaced in its history, and not changed.
        raised: The ids of calls whose tools raised what interrupts the run.
        foreign: Whether that is done to the response of another run, too.
    """
    last = last_response(state.message_history)
    if last is None:
        return
    response, answered = last
    if {call.tool_call_id for call in response.tool_calls} <= answered:
        return
    if response.run_id != state.run_id:
        if not foreign:
            return
        response = dataclasses.replace(before := response)
        replace_history(state, [response if message is before else message for message in state.message_history])
    if response.state == 'complete':
        _write_out_empty_args(response)
    response.state = 'interrupted'
    if raised:
        response.metadata = {**(response.metadata or {}), _RAISED: [*raised]}
