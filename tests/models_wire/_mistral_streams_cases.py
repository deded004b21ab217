"""Answers of Mistral that stream."""

from __future__ import annotations

from typing import Any

from _mistral_bodies import MODEL, USAGE, completion, text, thought
from _mistral_requests_cases import ABLE
from _requests import REQUESTS
from _vocabulary import OUTPUT_OBJECT, OUTPUT_TOOL, WITH_OUTPUT, WITH_TOOLS, WITH_TOOLS_AND_OUTPUT, Cases, Parameters
from _wire import Cut, Reset, as_json, as_sse

cases = Cases(MODEL, completion)
case = cases.add


def chunk(delta: Any = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1700000000, 'model': 'mistral-x-2024'}
    return {**head, 'choices': [{'index': 0, 'delta': delta or {}, 'finish_reason': finish}], **fields}


FIRST = chunk({'role': 'assistant', 'content': ''})
LAST = chunk({'content': ''}, 'stop', usage=USAGE)


def stream(
    name: str,
    *events: Any,
    done: bool = True,
    params: Any = None,
    profile: Any = None,
    messages: Any = None,
    settings: Any = None,
) -> None:
    case(f's_{name}', messages, params, settings, profile=profile, reply=as_sse(events, done=done))


def piece(place: int, call_id: Any, name: str, arguments: Any) -> dict[str, Any]:
    return {'tool_calls': [{'index': place, 'id': call_id, 'function': {'name': name, 'arguments': arguments}}]}


CALLED = chunk({'content': ''}, 'tool_calls', usage=USAGE)
stream('text', FIRST, chunk({'content': 'he'}), chunk({'content': 'llo'}), LAST)
stream('last_text', chunk({'content': 'he'}), chunk({'content': 'llo'}, 'stop', usage=USAGE))
stream('usage_alone', chunk({'content': 'he'}), chunk({}, 'stop'), {**chunk(usage=USAGE), 'choices': []})
stream('usage_twice', chunk({'content': 'he'}, usage=USAGE), LAST)
stream('no_usage', chunk({'content': 'he'}), chunk({'content': ''}, 'stop'))
stream('not_done', chunk({'content': 'he'}), LAST, done=False)
stream('not_finished', chunk({'content': 'he'}), done=False)
stream('nothing')
stream('only_end', LAST)
stream('role_only', FIRST, LAST)
stream('space', chunk({'content': '\n'}), chunk({'content': 'he'}), LAST)
for reason in ('length', 'tool_calls', 'error', 'bored'):
    stream(f'finish_{reason}', chunk({'content': 'he'}), chunk({'content': ''}, reason, usage=USAGE))
stream(
    'thoughts',
    chunk({'content': [thought('h')]}),
    chunk({'content': [thought('m')]}),
    chunk({'content': [text('a')]}),
    chunk({'content': 'b'}),
    LAST,
)
stream('thoughts_and_text', chunk({'content': [thought('h'), text('a')]}), LAST)
stream(
    'thoughts_again',
    chunk({'content': [thought('h')]}),
    chunk({'content': 'a'}),
    chunk({'content': [thought('m')]}),
    chunk({'content': 'b'}),
    LAST,
)
stream(
    'thoughts_and_call',
    chunk({'content': [thought('h')]}),
    chunk(piece(0, 'i1', 't1', '{}')),
    CALLED,
    params=WITH_TOOLS,
)
stream('thoughts_nothing', chunk({'content': [thought()]}), chunk({'content': 'a'}), LAST)
stream(
    'reference',
    chunk({'content': [text('a')]}),
    chunk({'content': [{'type': 'reference', 'reference_ids': [1]}]}),
    chunk({'content': 'b'}),
    LAST,
)
stream('unknown', chunk({'content': [{'type': 'smell'}]}), chunk({'content': 'b'}), LAST)
stream(
    'tags',
    chunk({'content': '<think>'}),
    chunk({'content': 'hm'}),
    chunk({'content': '</think>'}),
    chunk({'content': 'a'}),
    LAST,
)
stream('calls', chunk(piece(0, 'i1', 't1', '{"x":1}')), chunk(piece(1, 'i2', 't2', '{}')), CALLED, params=WITH_TOOLS)
stream(
    'calls_at_end',
    FIRST,
    chunk({'content': '', **piece(0, 'i1', 't1', '{"x":1}')}, 'tool_calls', usage=USAGE),
    params=WITH_TOOLS,
)
stream(
    'calls_in_pieces',
    chunk(piece(0, 'i1', 't1', '')),
    chunk(piece(0, 'i1', 't1', '{"x"')),
    chunk(piece(0, 'i1', 't1', ':1}')),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_in_pieces_no_name',
    chunk(piece(0, 'i1', 't1', '{"x"')),
    chunk(piece(0, 'null', '', ':1}')),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_two_no_id',
    chunk({'tool_calls': [*piece(0, 'null', 't1', '{}')['tool_calls'], *piece(1, 'null', 't2', '{}')['tool_calls']]}),
    CALLED,
    params=WITH_TOOLS,
)
stream(
    'calls_same_place',
    chunk({'tool_calls': [*piece(0, 'i1', 't1', '{}')['tool_calls'], *piece(0, 'i2', 't2', '{}')['tool_calls']]}),
    CALLED,
    params=WITH_TOOLS,
)
stream('calls_text', chunk({'content': 'well'}), chunk(piece(0, 'i1', 't1', '{"x":1}')), CALLED, params=WITH_TOOLS)
stream('calls_object', chunk(piece(0, 'i1', 't1', {'x': 1})), CALLED, params=WITH_TOOLS)
stream('output', chunk(piece(0, 'i1', 'final_result', '{"x":1}')), CALLED, params=WITH_OUTPUT)
stream('output_later', FIRST, chunk(piece(0, 'i1', 'final_result', '{"x":1}')), CALLED, params=WITH_OUTPUT)
stream('tools', FIRST, LAST, params=WITH_TOOLS)
stream('tools_and_output', FIRST, LAST, params=WITH_TOOLS_AND_OUTPUT)
stream(
    'tools_or_output',
    FIRST,
    LAST,
    params=Parameters(
        function_tools=WITH_TOOLS.function_tools, output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=True
    ),
)
for name in ('none', 'required', 'one', 'output', 'one_or_output', 'no', 'all'):
    stream(f'choice_{name}', FIRST, LAST, params=WITH_TOOLS, settings=REQUESTS[f'choice_{name}'][2])
    stream(f'output_choice_{name}', FIRST, LAST, params=WITH_TOOLS_AND_OUTPUT, settings=REQUESTS[f'choice_{name}'][2])
stream(
    'native',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT),
    profile=ABLE,
)
stream(
    'prompted',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT),
)
stream(
    'prompted/able',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT),
    profile=ABLE,
)
stream(
    'prompted_and_tool',
    FIRST,
    chunk({'content': '{"x": 12}'}),
    LAST,
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, function_tools=WITH_TOOLS.function_tools),
)
stream('model_empty', chunk({'content': 'a'}, model=''), chunk({'content': 'b'}, model='real'), LAST)
stream(
    'created_moves',
    chunk({'content': 'a'}, created=1_700_000_005),
    chunk({'content': 'b'}, created=1_700_000_009),
    LAST,
)
stream('no_created', chunk({'content': 'a'}, created=None), LAST)
stream('null_choices', chunk({'content': 'a'}), chunk(choices=None), LAST)
stream('error', chunk({'content': 'a'}), {'object': 'error', 'message': 'boom', 'type': 't'})
stream('malformed', chunk({'content': 'a'}), b'data: {bad\n\n')
stream('reset', chunk({'content': 'a'}), Reset())
stream('cut', chunk({'content': 'a'}), Cut())
case('s_429', reply=as_json({'message': 'slow'}, 429, {'retry-after': '3'}))
case('s_not_a_stream', reply=as_json({'id': 'x'}))
