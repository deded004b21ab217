"""Answers of Anthropic that come whole."""

from __future__ import annotations

from _anthropic_bodies import message_body, text
from _vocabulary import Cases
from _wire import Reply, as_json

cases = Cases('claude-sonnet-4-5', lambda: as_json(message_body()))
case = cases.add


def answer(name, *arguments, **fields):
    case('r_' + name, reply=as_json(message_body(*arguments, **fields)))


for reason in (
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'refusal',
    'model_context_window_exceeded',
    'weird',
    None,
):
    answer(f'stop_{reason}', stop=reason)
answer('empty', [])
answer('emptytext', [text('')])
answer('two', [text('a'), text('b')])
answer(
    'calls',
    [
        text('a'),
        {'type': 'tool_use', 'id': 'i1', 'name': 't1', 'input': {'x': 1}},
        {'type': 'tool_use', 'id': 'i2', 'name': 't2', 'input': {}},
    ],
    stop='tool_use',
)
answer(
    'think',
    [
        {'type': 'thinking', 'thinking': 'hm', 'signature': 'sig'},
        {'type': 'redacted_thinking', 'data': 'xx'},
        text('a'),
    ],
)
answer('unknown', [{'type': 'weird', 'x': 1}, text('a')])
answer(
    'cite',
    [
        {
            'type': 'text',
            'text': 'a',
            'citations': [
                {
                    'type': 'char_location',
                    'cited_text': 'x',
                    'document_index': 0,
                    'document_title': 't',
                    'start_char_index': 0,
                    'end_char_index': 1,
                    'file_id': None,
                }
            ],
        }
    ],
)
answer(
    'ws',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {'query': 'q'}},
        {
            'type': 'web_search_tool_result',
            'tool_use_id': 's1',
            'content': [
                {'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': '1'}
            ],
        },
        text('a'),
    ],
)
answer(
    'ws_err',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'web_search', 'input': {'query': 'q'}},
        {
            'type': 'web_search_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'web_search_tool_result_error', 'error_code': 'unavailable'},
        },
    ],
)
answer(
    'code',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'code_execution', 'input': {'code': '1'}},
        {
            'type': 'code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
        },
        text('a'),
    ],
)
answer(
    'bash',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'bash_code_execution', 'input': {'command': 'ls'}},
        {
            'type': 'bash_code_execution_tool_result',
            'tool_use_id': 's1',
            'content': {
                'type': 'bash_code_execution_result',
                'stdout': '1',
                'stderr': '',
                'return_code': 0,
                'content': [],
            },
        },
        text('a'),
    ],
)
answer(
    'fetch',
    [
        {'type': 'server_tool_use', 'id': 's1', 'name': 'web_fetch', 'input': {'url': 'u'}},
        {
            'type': 'web_fetch_tool_result',
            'tool_use_id': 's1',
            'content': {
                'type': 'web_fetch_result',
                'url': 'u',
                'retrieved_at': 't',
                'content': {
                    'type': 'document',
                    'source': {'type': 'text', 'media_type': 'text/plain', 'data': 'x'},
                    'title': 't',
                    'citations': None,
                },
            },
        },
    ],
)
answer(
    'mcp',
    [
        {'type': 'mcp_tool_use', 'id': 'm1', 'name': 'echo', 'server_name': 'srv', 'input': {'a': 1}},
        {
            'type': 'mcp_tool_result',
            'tool_use_id': 'm1',
            'is_error': False,
            'content': [{'type': 'text', 'text': 'x', 'citations': None}],
        },
    ],
)
answer('container', [text('a')], container={'id': 'c1', 'expires_at': '2025-01-01T00:00:00Z', 'skills': None})
answer(
    'usage_full',
    [text('a')],
    usage={
        'input_tokens': 10,
        'output_tokens': 5,
        'cache_creation_input_tokens': 2,
        'cache_read_input_tokens': 3,
        'cache_creation': {'ephemeral_5m_input_tokens': 1, 'ephemeral_1h_input_tokens': 1},
        'server_tool_use': {'web_search_requests': 2, 'web_fetch_requests': 1},
        'service_tier': 'standard',
    },
)
answer('nousage', [text('a')], usage=None)
answer('stopseq', [text('a')], stop='stop_sequence', stop_sequence='XX')
for name, content in {'garb': b'not json', 'half': b'{'}.items():
    case('r_' + name, reply=Reply(pieces=[content]))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_obj', reply=as_json({}))
case('r_list', reply=as_json([]))
for status in (400, 401, 429, 500, 529):
    case(f'r_{status}', reply=as_json({'type': 'error', 'error': {'message': 'bad', 'type': 't'}}, status=status))
