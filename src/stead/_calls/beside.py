"""Calls beside an output: what they mean for it, and it for them, in 1.x and in 2.x.

In 1.x an output is the result of the run, whatever the calls beside it come to. In 2.x a tool that asks for another try is
heard first: the model is told so, and gives its output again. `early` asks no tool, and is the same in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._contracts.output import FinalResult
from .._contracts.toolset import ToolsetTool
from ..messages import FunctionToolCallEvent, FunctionToolResultEvent, ModelRequestPart, ToolCallPart, is_retry
from .answers import FINAL_RESULT_PROCESSED, OUTPUT_LOST, TOOL_NOT_EXECUTED, text_answer
from .running import EventWriter
from .step_tools import CallAndTool

RETRIES_GO_FIRST = False
"""Whether, as in 2.x, a tool that asks for another try takes the place of an output, and answers are in the order of calls."""
UNKNOWN = 'unknown'
"""The kind of calls of unknown tools; in 2.x they are handled with those of functions, and not at all after an output."""
OTHER_OUTPUT = FINAL_RESULT_PROCESSED
"""The answer to a valid output that is not the first one."""


def not_executed(calls: Sequence[ToolCallPart], events: EventWriter | None) -> list[ModelRequestPart]:
    """Return the answers to calls that an output spares; readers of events see them at level 2."""
    answers = [text_answer(call, TOOL_NOT_EXECUTED) for call in calls]
    if RETRIES_GO_FIRST and events is not None:
        for call, answer in zip(calls, answers):
            events.put(FunctionToolCallEvent(call))
            events.put(FunctionToolResultEvent(answer))
    return [*answers]


def in_turn(decided: list[CallAndTool], calls: Sequence[ToolCallPart]) -> list[CallAndTool]:
    """Return calls as they are executed and answered: at level 2 in the order of the response, not by their kinds."""
    if not RETRIES_GO_FIRST:
        return decided
    place = {call.tool_call_id: index for index, call in enumerate(calls)}
    return sorted(decided, key=lambda item: place[item[0].tool_call_id])


def with_retries_first(
    answers: Sequence[Any],
    final: FinalResult[Any] | None,
    calls: Sequence[ToolCallPart],
    tools: Mapping[str, ToolsetTool[Any]],
) -> tuple[list[ModelRequestPart], FinalResult[Any] | None]:
    """Return answers in the order of the calls, and the output, unless a tool asks for another try.

    Args:
        answers: The answers so far.
        final: The output, if there is one.
        calls: The calls of the response.
        tools: The tools that may take the place of the output.
    """
    place = {call.tool_call_id: index for index, call in enumerate(calls)}
    ordered = sorted(answers, key=lambda part: place[part.tool_call_id])
    retried = (tools.get(part.tool_name or '') for part in ordered if is_retry(part))
    if final is None or not any(tool is not None and tool.tool_def.kind == 'function' for tool in retried):
        return ordered, final
    lost = calls[place[final.tool_call_id or '']]
    return [
        text_answer(lost, OUTPUT_LOST) if part.tool_call_id == lost.tool_call_id else part for part in ordered
    ], None
