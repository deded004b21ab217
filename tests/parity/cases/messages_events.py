"""Stream events: how they are made, as JSON, and read back."""

import dataclasses
import datetime
import json
import warnings

from _common import attempt, fact
from pydantic import TypeAdapter
from pydantic_ai.messages import (
    AgentStreamEvent,
    BuiltinToolCallEvent,
    BuiltinToolResultEvent,
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
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
)

T = datetime.datetime(2025, 1, 2, tzinfo=datetime.timezone.utc)
CALL, RETURN, RETRY = (
    ToolCallPart('t', '{}', 'i'),
    ToolReturnPart('t', 'x', 'i', timestamp=T),
    RetryPromptPart('no', tool_name='t', tool_call_id='i', timestamp=T),
)
NATIVE, NATIVE_RETURN = NativeToolCallPart('n', {}, 'j'), NativeToolReturnPart('n', 1, 'j', timestamp=T)
union = TypeAdapter(AgentStreamEvent)
CONSTRUCTORS = [
    lambda: PartStartEvent(index=0, part=TextPart('x'), previous_part_kind='text'),
    lambda: PartStartEvent(0, TextPart('x')),
    lambda: PartDeltaEvent(index=1, delta=TextPartDelta('d')),
    lambda: PartEndEvent(index=0, part=CALL, next_part_kind='tool-call'),
    lambda: FinalResultEvent(tool_name='t', tool_call_id=None),
    lambda: FinalResultEvent(tool_name=None),
    lambda: ToolCallEvent(CALL),
    lambda: FunctionToolCallEvent(CALL, args_valid=False),
    lambda: FunctionToolCallEvent(CALL, 'zz'),
    lambda: OutputToolCallEvent(CALL),
    lambda: ToolResultEvent(RETURN),
    lambda: FunctionToolResultEvent(RETURN),
    lambda: FunctionToolResultEvent(part=RETRY, content='c'),
    lambda: FunctionToolResultEvent(result=RETURN),
    lambda: FunctionToolResultEvent(part=RETURN, result=RETRY),
    lambda: FunctionToolResultEvent(),
    lambda: FunctionToolResultEvent(RETURN, 'c'),
    lambda: OutputToolResultEvent(RETURN),
    lambda: OutputToolResultEvent(result=RETURN),
    lambda: BuiltinToolCallEvent(NATIVE).event_kind,
    lambda: BuiltinToolResultEvent(NATIVE_RETURN).event_kind,
    lambda: FunctionToolCallEvent(CALL).call_id,
    lambda: FunctionToolResultEvent(RETURN).result,
    lambda: OutputToolResultEvent(RETRY).tool_call_id,
]
for number, make in enumerate(CONSTRUCTORS):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        event = attempt(make)
    fact(number, [repr(event), [warning.category.__name__ for warning in caught]])
    if dataclasses.is_dataclass(event):
        fact(
            'json',
            [
                attempt(lambda: union.dump_json(event).decode()),
                attempt(lambda: repr(union.validate_json(union.dump_json(event)))),
            ],
        )


def plain(part):
    return TypeAdapter(type(part)).dump_python(part, mode='json')


READ = [
    {},
    {'event_kind': 'zz'},
    {'event_kind': 'function_tool_result', 'result': plain(RETURN)},
    {'event_kind': 'function_tool_result', 'part': plain(RETRY), 'content': ['a']},
    {'event_kind': 'function_tool_result'},
    {'event_kind': 'output_tool_result', 'part': plain(RETURN)},
    {
        'event_kind': 'function_tool_call',
        'part': {**plain(CALL), 'tool_name': 'search_tools', 'args': {'queries': ['a']}, 'tool_kind': 'tool-search'},
    },
    {
        'event_kind': 'part_start',
        'index': 0,
        'part': {**plain(CALL), 'tool_name': 'search_tools', 'args': {'queries': ['a']}, 'tool_kind': 'tool-search'},
    },
    {'event_kind': 'part_start', 'index': 0, 'part': {'part_kind': 'zz'}},
    {'event_kind': 'part_start', 'index': 0, 'part': plain(TextPart('x')), 'previous_part_kind': 'zz'},
    {'event_kind': 'part_delta', 'index': '1', 'delta': plain(TextPartDelta('x'))},
]
for stored in READ:
    fact(
        json.dumps(stored),
        [
            attempt(lambda: repr(union.validate_python(stored))),
            attempt(lambda: repr(union.validate_json(json.dumps(stored)))),
        ],
    )
