"""The changes of the state of a run. Nothing else writes a field of `RunState`; `tests/test_records.py` holds that.

A run makes each change when it happens, since hooks see the state between two of them, and needs no fact for it. What has
only the facts of a run makes the same changes with `apply`, and has the same state after each fact. Whatever happened between
two facts, such as a response that hooks refused, is part of the next one that has messages. How the calls of a response
stand is not told that way until they have their answers: a run that continues handles that response again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from .._contracts.facts import CallAnswered, RequestReady, ResponseTaken, RunBegan, RunEnded, RunFact
from .._contracts.run_state import RunState
from .._kit.json_types import JsonObject
from ..messages import ModelMessage, ModelRequest, UserContent
from ..usage import RequestUsage
from .state import GraphAgentState

# Changes that a run makes


def set_metadata(state: RunState, metadata: JsonObject | None) -> None:
    """Set the metadata of the run."""
    state.metadata = metadata


def set_prompt(state: RunState, prompt: str | Sequence[UserContent] | None) -> None:
    """Set the prompt that run contexts show."""
    state.prompt = prompt


def add_message(state: GraphAgentState, message: ModelMessage) -> None:
    """Add a message to the history."""
    history, kind = state.message_history, message.kind
    if history and history[-1].kind == kind:
        state.caches.needs_cleaning = True
    history.append(message)
    if kind == 'response':
        state.following = 0


def take_last(state: RunState) -> None:
    """Take the last message off the history: it is a request, which is about to be sent and added again."""
    state.message_history.pop()


def replace_history(state: RunState, messages: Sequence[ModelMessage]) -> None:
    """Replace the history. The list stays the same, since contexts share it."""
    state.message_history[:] = messages


def set_new_message_index(state: RunState, index: int) -> None:
    """Set where in the history the messages of the run begin."""
    state.new_message_index = index


def add_usage(state: GraphAgentState, used: RequestUsage | None = None, requests: int = 0) -> None:
    """Add what was used to the usage. The object stays the same, since contexts and other runs may share it."""
    state.usage.requests += requests
    if used is not None:
        state.usage.incr(used)
    if (untold := state.caches.untold) is not None:
        untold.requests += requests
        if used is not None:
            untold.incr(used)


def begin_step(state: RunState) -> None:
    """Begin the next step."""
    state.run_step += 1
    state.following = 0
    state.is_fresh = False


def begin_calls(state: RunState, retries: Mapping[str, int], call_counts: Mapping[str, int]) -> None:
    """Set how often tools were retried and called before the current step, whose tools are listed."""
    state.retries, state.call_counts, state.calls_of_step = retries, call_counts, None


def set_following(state: RunState, request: ModelRequest) -> None:
    """Set how many messages of the history follow the request that is about to be sent."""
    state.following = next((n for n, one in enumerate(reversed(state.message_history)) if one is request), 0)


def note_max_tokens(state: RunState, max_tokens: int | None) -> None:
    """Note `max_tokens` of the request that is sent."""
    state.last_max_tokens = max_tokens


def take_calls_of_step(state: RunState) -> Mapping[str, int]:
    """Return how often tools were called in the current step by an earlier process, once: the step counts them from then on."""
    calls, state.calls_of_step = state.calls_of_step, None
    return calls or {}


def use_output_retries(state: RunState, count: int = 1) -> None:
    """Count requests for another output."""
    state.output_retries_used += count


def take_pending(state: RunState, *, idle: bool) -> list[ModelMessage]:
    """Return enqueued messages that are due, and take them off the queue.

    Args:
        state: The state.
        idle: Whether the run would end otherwise, so that messages for that moment are due too.
    """
    if not state.pending_messages:
        return []
    due = [item for item in state.pending_messages if item.priority == 'asap']
    if idle:
        due += [item for item in state.pending_messages if item.priority == 'when_idle']
    due_ids = {id(item) for item in due}
    state.pending_messages[:] = [item for item in state.pending_messages if id(item) not in due_ids]
    return [message for item in due for message in item.messages]


_SHARED = ('message_history', 'usage', 'pending_messages')
"""What contexts share with the state; of usage, what the run had used is added, since other runs may count in it, too."""
_IF_KNOWN = ('metadata', 'prompt')


def restore(state: RunState, known: RunState) -> None:
    """Set the state of a run that was set up to what is known of it."""
    replace_history(state, known.message_history)
    state.usage.incr(known.usage)
    state.pending_messages.extend(known.pending_messages)
    for name in (field.name for field in fields(RunState)):
        value = getattr(known, name)
        if name not in _SHARED and (name not in _IF_KNOWN or value is not None):
            setattr(state, name, value)


# Changes that facts tell of


def _take_messages(state: RunState, fact: RequestReady | ResponseTaken | RunEnded) -> None:
    if fact.history is not None:
        replace_history(state, fact.history)
    state.message_history.extend(fact.messages)
    state.usage.incr(fact.usage)


def _run_began(state: RunState, fact: RunBegan) -> None:
    if fact.restored is not None:
        restore(state, fact.restored)
    state.conversation_id, state.new_message_index = fact.conversation_id, fact.new_message_index
    replace_history(state, fact.messages)
    set_metadata(state, fact.metadata)
    if fact.prompt is not None:
        set_prompt(state, fact.prompt)


def _request_ready(state: RunState, fact: RequestReady) -> None:
    _take_messages(state, fact)
    begin_calls(state, fact.retries, fact.call_counts)
    state.run_step, state.following, state.is_fresh = fact.step, fact.following, False
    state.new_message_index, state.output_retries_used = fact.new_message_index, fact.output_retries
    state.pending_messages[:] = fact.pending


def _response_taken(state: RunState, fact: ResponseTaken) -> None:
    _take_messages(state, fact)
    state.following, state.last_max_tokens, state.pending_messages[:] = 0, fact.max_tokens, fact.pending


def _call_answered(state: RunState, fact: CallAnswered) -> None:
    state.usage.tool_calls += fact.is_counted
    state.pending_messages[:] = fact.pending


def _run_ended(state: RunState, fact: RunEnded) -> None:
    _take_messages(state, fact)
    set_metadata(state, fact.metadata)


_CHANGES: dict[type[RunFact], Callable[[RunState, Any], None]] = {
    RunBegan: _run_began,
    RequestReady: _request_ready,
    ResponseTaken: _response_taken,
    CallAnswered: _call_answered,
    RunEnded: _run_ended,
}
"""What facts change; other facts only say how the calls of the last response stand."""


def apply(state: RunState, fact: RunFact) -> None:
    """Change a state as a fact tells."""
    if (change := _CHANGES.get(type(fact))) is not None:
        change(state, fact)
