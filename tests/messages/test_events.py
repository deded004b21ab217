"""Events of streams and runs, and their old names."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stead.messages import (
    AgentStreamEvent,
    BuiltinToolCallEvent,
    BuiltinToolResultEvent,
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    HandleResponseEvent,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    NativeToolReturnPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    RetryPromptPart,
    TextPart,
    TextPartDelta,
    ToolCallEvent,
    ToolCallPart,
    ToolResultEvent,
    ToolReturnPart,
    ToolSearchCallPart,
)

CALL = ToolCallPart('t', '{}', 'i')
RETURN = ToolReturnPart('t', 'x', 'i')
RETRY = RetryPromptPart('no', tool_name='t', tool_call_id='i')

MODEL_EVENTS: list[Any] = [
    PartStartEvent(index=0, part=TextPart('x'), previous_part_kind='thinking'),
    PartStartEvent(index=1, part=ToolSearchCallPart(args={'queries': ['a']}, tool_call_id='i')),
    PartDeltaEvent(index=0, delta=TextPartDelta('y')),
    PartEndEvent(index=0, part=CALL, next_part_kind='tool-call'),
    FinalResultEvent(tool_name=None, tool_call_id=None),
]
HANDLE_EVENTS: list[Any] = [
    FunctionToolCallEvent(CALL, args_valid=False),
    OutputToolCallEvent(CALL),
    FunctionToolResultEvent(RETURN, content=['look']),
    FunctionToolResultEvent(part=RETRY),
    OutputToolResultEvent(RETRY),
]


@pytest.mark.parametrize('event', [*MODEL_EVENTS, *HANDLE_EVENTS], ids=lambda event: type(event).__name__)
def test_events_survive_json(event: Any) -> None:
    union = ModelResponseStreamEvent if event in MODEL_EVENTS else HandleResponseEvent
    for kind in (union, AgentStreamEvent):
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        assert adapter.validate_json(adapter.dump_json(event)) == event
    assert adapter.dump_python(event)['event_kind'] == event.event_kind


@pytest.mark.parametrize('wrong', [{}, {'event_kind': 5}, {'event_kind': 'part_start', 'index': 0, 'part': 5}])
def test_wrong_events_are_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(AgentStreamEvent).validate_python(wrong)


def test_ids_of_calls() -> None:
    for event in HANDLE_EVENTS:
        assert event.tool_call_id == 'i'
        assert isinstance(event, (ToolCallEvent, ToolResultEvent))


def test_old_names_warn() -> None:
    with pytest.deprecated_call():
        assert FunctionToolCallEvent(CALL).call_id == 'i'
    with pytest.deprecated_call():
        assert FunctionToolResultEvent(RETURN).result is RETURN
    with pytest.deprecated_call():
        assert FunctionToolResultEvent(result=RETRY, content='c') == FunctionToolResultEvent(RETRY, content='c')
    with pytest.deprecated_call():
        assert BuiltinToolCallEvent(NativeToolCallPart('n')).event_kind == 'builtin_tool_call'
    with pytest.deprecated_call():
        assert BuiltinToolResultEvent(NativeToolReturnPart('n', 1)).event_kind == 'builtin_tool_result'


@pytest.mark.parametrize('kwargs', [{}, {'part': None}, {'part': RETURN, 'result': RETRY}])
def test_a_result_has_one_part(kwargs: Any) -> None:
    with pytest.raises(TypeError, match='one part'):
        FunctionToolResultEvent(**kwargs)


def test_results_can_be_copied() -> None:
    event = FunctionToolResultEvent(RETURN)
    assert copy.copy(event) == event
    assert dataclasses.replace(event, content='c') == FunctionToolResultEvent(RETURN, content='c')
    assert repr(event) == f'FunctionToolResultEvent(part={RETURN!r})'
