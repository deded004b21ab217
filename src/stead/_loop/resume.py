"""A run that continues where another process, or an earlier run, left it."""

from __future__ import annotations

from typing import Any

from .._contracts.facts import RunResumption
from .._contracts.run_context import RunContext
from ..messages import ModelRequest
from .history import has_neighbours_of_one_kind
from .nodes import AnyAgentNode, CallToolsNode, ModelRequestNode
from .repair import is_sound
from .state import GraphAgentState


def go_on(state: GraphAgentState, context: RunContext[Any], resumption: RunResumption) -> None:
    """Set the state of a run that has not begun to where a resumption says that it continues."""
    history = state.message_history
    history[:] = resumption.messages
    state.run_id = resumption.run_id or state.run_id
    state.conversation_id = resumption.conversation_id or state.conversation_id
    state.new_message_index = len(history) if resumption.new_message_index is None else resumption.new_message_index
    state.begun_with = len(history)
    if resumption.usage is not None:
        state.usage.incr(resumption.usage)
    state.run_step = resumption.run_step
    state.output_retries_used = resumption.output_retries_used
    state.pending_messages.extend(resumption.pending_messages)
    state.needs_cleaning = has_neighbours_of_one_kind(history)
    state.needs_repair = not is_sound(history)
    state.deferral.start_over()
    state.deferral.catch_up(history)
    context.run_id, context.conversation_id, context.run_step = state.run_id, state.conversation_id, state.run_step
    context.retries = dict(resumption.retries)


def resumed_node(state: GraphAgentState, resumption: RunResumption) -> AnyAgentNode | None:
    """Return the node that a resumed run continues with; `None` if it is the one that every run begins with."""
    if resumption.run_id is None or resumption.is_fresh or not state.message_history:
        return None
    last = state.message_history[-1]
    if resumption.following and isinstance(request := state.message_history[-1 - resumption.following], ModelRequest):
        return ModelRequestNode.sent_again(request)
    if isinstance(last, ModelRequest):
        state.message_history.pop()
        return ModelRequestNode(last)
    metadata = {call_id: dict(data) for call_id, data in resumption.decision_metadata.items()}
    return CallToolsNode.of_recorded(last, dict(resumption.decisions), metadata, resumption.prompt)
