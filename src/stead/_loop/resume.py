"""A run that continues where another process, or an earlier run, left it."""

from __future__ import annotations

from typing import Any

from .._contracts.output import FinalResult
from .._contracts.run_state import RecordedAnswer, RecordedOutput, RunState
from ..messages import ModelRequest, ModelResponse
from ..output import OutputSchema
from .history import has_neighbours_of_one_kind
from .nodes import AnyAgentNode, CallToolsNode, ModelRequestNode, SetFinalResult
from .repair import is_sound
from .state import GraphAgentState, RunGraphContext, restore, take_last


def continue_from(state: GraphAgentState, known: RunState) -> None:
    """Set the state of a run that was set up to what is known of it."""
    restore(state, known)
    history = state.message_history
    caches = state.caches
    caches.oldest = len(history)
    caches.needs_cleaning = has_neighbours_of_one_kind(history)
    caches.needs_repair = not is_sound(history)
    caches.deferral.start_over()
    caches.deferral.catch_up(history)


def _known_of(state: RunState, response: ModelResponse) -> dict[str, Any]:
    """Return what is known of the calls of a response, by call id: their answers, and decisions about others."""
    known: dict[str, Any] = state.decisions.to_tool_call_results() if state.decisions is not None else {}
    for call_id, (answer, *additions) in state.answers.items():
        known[call_id] = RecordedAnswer(answer, additions)  # pyright: ignore[reportArgumentType]
    return {call.tool_call_id: known[call.tool_call_id] for call in response.tool_calls if call.tool_call_id in known}


def _ended_node(state: GraphAgentState, result: RecordedOutput, schema: OutputSchema[Any]) -> AnyAgentNode:
    """Return the node for a run that has ended: it shows the last response, and does nothing.

    Raises:
        UserError: What the run has returned is not of a type that is asked for.
    """
    history = state.message_history
    response = next((message for message in reversed(history) if isinstance(message, ModelResponse)), None)
    names = schema.toolset.processors if schema.toolset is not None else ()
    call = (
        next((call for call in response.tool_calls if call.tool_name in names), None) if response is not None else None
    )
    value = schema.recorded(result.data, state.run_id)
    final = FinalResult(value) if call is None else FinalResult(value, call.tool_name, call.tool_call_id)
    if response is None:  # a hook has answered in place of the run
        return SetFinalResult(final)
    return CallToolsNode.of_recorded(response, _known_of(state, response), {}, final=final)


def resumed_node(ctx: RunGraphContext) -> AnyAgentNode | None:
    """Return the node that a resumed run continues with; `None` if it is the one that every run begins with.

    Raises:
        UserError: The run has ended, and what it has returned is not of a type that is asked for.
    """
    node, context = _next_node(ctx.state, ctx.deps.output_schema), ctx.state.step.context
    if isinstance(node, CallToolsNode):  # its calls see the settings of the request that came before them
        context.model_settings = ctx.deps.get_model_settings(context) or {}
    return node


def _next_node(state: GraphAgentState, schema: OutputSchema[Any]) -> AnyAgentNode | None:
    if state.result is not None:
        return _ended_node(state, state.result, schema)
    if state.is_fresh or not state.message_history:
        return None
    last = state.message_history[-1]
    if state.following and isinstance(request := state.message_history[-1 - state.following], ModelRequest):
        return ModelRequestNode.sent_again(request)
    if isinstance(last, ModelRequest):
        take_last(state)
        return ModelRequestNode(last)
    metadata = dict(state.decisions.metadata) if state.decisions is not None else {}
    prompt = state.prompt if state.answers_calls and not state.run_step else None
    return CallToolsNode.of_recorded(last, _known_of(state, last), metadata, prompt)
