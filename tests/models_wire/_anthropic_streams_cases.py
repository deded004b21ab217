"""Answers of Anthropic that stream."""

from __future__ import annotations

from _anthropic_bodies import message_body, text
from _vocabulary import TOOL, WITH_TOOLS_AND_OUTPUT, Cases, Parameters
from _wire import as_json, as_sse

cases = Cases('claude-sonnet-4-5', lambda: as_json(message_body()))
case = cases.add
USAGE = {'input_tokens': 10, 'output_tokens': 1, 'cache_creation_input_tokens': 2, 'cache_read_input_tokens': 3}
START = {
    'type': 'message_start',
    'message': {
        'id': 'msg_1',
        'type': 'message',
        'role': 'assistant',
        'model': 'claude-x-2024',
        'content': [],
        'stop_reason': None,
        'stop_sequence': None,
        'usage': USAGE,
    },
}


def end(stop='end_turn', **fields):
    return [
        {
            'type': 'message_delta',
            'delta': {'stop_reason': stop, 'stop_sequence': None, **fields},
            'usage': {'output_tokens': 7},
        },
        {'type': 'message_stop'},
    ]


def block_start(place, block):
    return {'type': 'content_block_start', 'index': place, 'content_block': block}


def block_delta(place, **delta):
    return {'type': 'content_block_delta', 'index': place, 'delta': delta}


def block_stop(place):
    return {'type': 'content_block_stop', 'index': place}


def stream(name, *events, tail=None, **fields):
    case(
        's_' + name,
        reply=as_sse([START, *events, *(end() if tail is None else tail)], done=False, named=True),
        **fields,
    )


def text_delta(content):
    return {'type': 'text_delta', 'text': content}


stream(
    'text',
    block_start(0, text('')),
    block_delta(0, **text_delta('he')),
    block_delta(0, **text_delta('llo')),
    block_stop(0),
)
stream('text_initial', block_start(0, text('he')), block_delta(0, **text_delta('llo')), block_stop(0))
stream(
    'two',
    block_start(0, text('')),
    block_delta(0, **text_delta('a')),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('b')),
    block_stop(1),
)
stream(
    'think',
    block_start(0, {'type': 'thinking', 'thinking': '', 'signature': ''}),
    block_delta(0, type='thinking_delta', thinking='h'),
    block_delta(0, type='thinking_delta', thinking='m'),
    block_delta(0, type='signature_delta', signature='sig'),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('b')),
    block_stop(1),
)
stream(
    'redacted',
    block_start(0, {'type': 'redacted_thinking', 'data': 'xx'}),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('b')),
    block_stop(1),
)
stream(
    'calls',
    block_start(0, {'type': 'tool_use', 'id': 'i1', 'name': 't1', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json=''),
    block_delta(0, type='input_json_delta', partial_json='{"x"'),
    block_delta(0, type='input_json_delta', partial_json=':1}'),
    block_stop(0),
    block_start(1, {'type': 'tool_use', 'id': 'i2', 'name': 't2', 'input': {}}),
    block_stop(1),
    tail=end('tool_use'),
    params=Parameters(function_tools=[TOOL]),
)
stream(
    'out',
    block_start(0, {'type': 'tool_use', 'id': 'i1', 'name': 'final_result', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"x":1}'),
    block_stop(0),
    tail=end('tool_use'),
    params=WITH_TOOLS_AND_OUTPUT,
)
stream(
    'ws',
    block_start(0, {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"query":"q"}'),
    block_stop(0),
    block_start(
        1,
        {
            'type': 'web_search_tool_result',
            'tool_use_id': 's1',
            'content': [
                {'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': '1'}
            ],
        },
    ),
    block_stop(1),
    block_start(2, text('')),
    block_delta(2, **text_delta('a')),
    block_stop(2),
)
stream(
    'mcp',
    block_start(0, {'type': 'mcp_tool_use', 'id': 'm1', 'name': 'echo', 'server_name': 'srv', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"a":1}'),
    block_stop(0),
    block_start(
        1,
        {
            'type': 'mcp_tool_result',
            'tool_use_id': 'm1',
            'is_error': False,
            'content': [{'type': 'text', 'text': 'x', 'citations': None}],
        },
    ),
    block_stop(1),
)
stream(
    'code',
    block_start(0, {'type': 'server_tool_use', 'id': 's1', 'name': 'code_execution', 'input': {}}),
    block_delta(0, type='input_json_delta', partial_json='{"code":"1"}'),
    block_stop(0),
    block_start(
        1,
        {
            'type': 'code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
        },
    ),
    block_stop(1),
)
stream(
    'cite',
    block_start(0, text('')),
    block_delta(
        0,
        type='citations_delta',
        citation={
            'type': 'char_location',
            'cited_text': 'x',
            'document_index': 0,
            'document_title': 't',
            'start_char_index': 0,
            'end_char_index': 1,
            'file_id': None,
        },
    ),
    block_delta(0, **text_delta('a')),
    block_stop(0),
)
stream('ping', {'type': 'ping'}, block_start(0, text('')), block_delta(0, **text_delta('a')), block_stop(0))
stream('refusal', block_start(0, text('')), block_delta(0, **text_delta('a')), block_stop(0), tail=end('refusal'))
stream(
    'weird',
    block_start(0, {'type': 'weird'}),
    block_stop(0),
    block_start(1, text('')),
    block_delta(1, **text_delta('a')),
    block_stop(1),
    tail=end('weird'),
)
stream('maxtok', block_start(0, text('')), block_delta(0, **text_delta('a')), block_stop(0), tail=end('max_tokens'))
stream(
    'err',
    block_start(0, text('')),
    block_delta(0, **text_delta('a')),
    {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'over'}},
)
stream('empty', tail=[])
stream(
    'usage_end',
    block_start(0, text('')),
    block_delta(0, **text_delta('a')),
    block_stop(0),
    tail=[
        {
            'type': 'message_delta',
            'delta': {'stop_reason': 'end_turn', 'stop_sequence': None},
            'usage': {
                'input_tokens': 20,
                'output_tokens': 7,
                'cache_read_input_tokens': 4,
                'cache_creation_input_tokens': 1,
            },
        },
        {'type': 'message_stop'},
    ],
)
case('s_none', reply=as_sse([], done=False))
