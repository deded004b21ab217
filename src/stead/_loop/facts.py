"""The facts of a run, with what is in its state at that moment; made only if a capability takes note of facts.

A fact holds data, and not the state: messages that were added since the fact before, or the whole history, if hooks have
replaced it. So what is made of facts, such as the records of a journal, needs nothing else of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from .._contracts.facts import RequestReady, ResponseTaken, RunEnded
from ..messages import ModelMessage, ModelRequest
from .state import GraphAgentState, RunStep


def _news(state: GraphAgentState) -> tuple[Sequence[ModelMessage], Sequence[ModelMessage] | None]:
    """Return the messages that were added since the fact before, and the whole history if it was replaced since."""
    history, start = state.message_history, state.caches.announced
    state.caches.announced = len(history)
    return ((), [*history]) if start is None or start > len(history) else (history[start:], None)


def request_ready(state: GraphAgentState, step: RunStep, request: ModelRequest) -> RequestReady:
    """Return the fact that a request is about to be sent."""
    messages, history = _news(state)
    following = 0
    if state.message_history[-1] is not request:
        following = next((n for n, one in enumerate(reversed(state.message_history)) if one is request), 0)
    return RequestReady(
        step=state.run_step,
        request=request,
        messages=messages,
        history=history,
        following=following,
        new_message_index=state.new_message_index,
        output_retries=state.output_retries_used,
        retries=step.context.retries,
        call_counts=dict(step.tools.call_counts),
        pending=[*state.pending_messages],
    )


def response_taken(state: GraphAgentState) -> ResponseTaken:
    """Return the fact that a response is part of the history."""
    messages, history = _news(state)
    return ResponseTaken(messages, history, [*state.pending_messages], state.last_max_tokens)


def run_ended(
    state: GraphAgentState,
    how: Literal['done', 'failed', 'left'],
    output: Any = None,
    error: BaseException | None = None,
) -> RunEnded:
    """Return the fact that a run has ended."""
    messages, history = _news(state)
    return RunEnded(how, messages, history, state.metadata, output, error)
