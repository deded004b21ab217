"""The facts of a run, with what is in its state at that moment; made only if a capability takes note of facts.

A fact holds data, and not the state: messages that were added since the fact before, or the whole history, if messages of it
were replaced by hooks or by a program that drives the run. So what is made of facts, such as the records of a journal, needs
nothing else of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, Literal

from .._contracts.facts import RequestReady, ResponseTaken, RunEnded
from .._kit.tracked import TrackedList
from ..messages import ModelMessage, ModelRequest
from ..usage import RunUsage
from .state import GraphAgentState, begin_calls


def _news(state: GraphAgentState) -> tuple[Sequence[ModelMessage], Sequence[ModelMessage] | None]:
    """Return the messages that were added since the fact before, and the whole history if others are no longer the same."""
    history, known = state.message_history, state.caches.announced
    # Most histories only grow: then nothing is compared. A program may have put another list in place of the tracked one.
    kept = history.kept if isinstance(history, TrackedList) else 0
    is_same = len(known) <= len(history) and all(map(is_, known[kept:], history[kept : len(known)]))
    new = history[len(known) :] if is_same else [*history]
    known[len(known) if is_same else 0 :] = new
    if isinstance(history, TrackedList):
        history.keep()
    return (new, None) if is_same else ((), new)


def _used(state: GraphAgentState) -> RunUsage:
    """Return what was used since the fact before that has it."""
    used = state.caches.untold
    state.caches.untold = RunUsage()
    return used if used is not None else RunUsage()


def request_ready(state: GraphAgentState, request: ModelRequest) -> RequestReady:
    """Return the fact that a request is about to be sent."""
    messages, history = _news(state)
    begin_calls(state, state.step.context.retries, dict(state.step.tools.call_counts))
    return RequestReady(
        step=state.run_step,
        request=request,
        messages=messages,
        history=history,
        following=state.following,
        new_message_index=state.new_message_index,
        output_retries=state.output_retries_used,
        retries=state.retries or {},
        call_counts=state.call_counts or {},
        pending=[*state.pending_messages],
        usage=_used(state),
    )


def response_taken(state: GraphAgentState) -> ResponseTaken:
    """Return the fact that a response is part of the history."""
    messages, history = _news(state)
    return ResponseTaken(messages, history, [*state.pending_messages], state.last_max_tokens, _used(state))


def run_ended(
    state: GraphAgentState,
    how: Literal['done', 'failed', 'left'],
    output: Any = None,
    error: BaseException | None = None,
) -> RunEnded:
    """Return the fact that a run has ended."""
    messages, history = _news(state)
    return RunEnded(how, messages, history, state.metadata, _used(state), output, error)


def run_failed(state: GraphAgentState, error: BaseException) -> RunEnded:
    """Return the fact that a run has ended with an error, or was left before its end."""
    return run_ended(state, 'failed' if isinstance(error, Exception) else 'left', error=error)
