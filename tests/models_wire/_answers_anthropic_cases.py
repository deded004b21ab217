"""Blocks of Anthropic, whole and as events."""

from __future__ import annotations

from typing import Any

from _vendors import Cases, message, message_stream

cases = Cases()
case = cases.add

# Blocks of Anthropic, whole and as events.
WHERE = {'cited_text': 'c', 'document_index': 0, 'document_title': 'd', 'file_id': None}
BLOCKS: dict[str, Any] = {
    'cited_char': {
        'type': 'text',
        'text': 'a',
        'citations': [{'type': 'char_location', 'start_char_index': 0, 'end_char_index': 1, **WHERE}],
    },
    'cited_web': {
        'type': 'text',
        'text': 'a',
        'citations': [
            {'type': 'web_search_result_location', 'cited_text': 'c', 'encrypted_index': 'e', 'title': 't', 'url': 'u'}
        ],
    },
    'uploaded': {'type': 'container_upload', 'file_id': 'f'},
    'tool_use': {'type': 'tool_use', 'id': 'tu_1', 'name': 'plain', 'input': {'x': 1}, 'caller': {'type': 'direct'}},
    'tool_use_nested': {'type': 'tool_use', 'id': 'tu_1', 'name': 'plain', 'input': {'a': {'b': [1, None, 'ü']}}},
    'tool_use_empty': {'type': 'tool_use', 'id': 'tu_1', 'name': 'plain', 'input': {}},
    'thinking_unsigned': {'type': 'thinking', 'thinking': 'hm', 'signature': ''},
    'thinking_hidden': {'type': 'thinking', 'thinking': '', 'signature': 's'},
    'redacted': {'type': 'redacted_thinking', 'data': 'd'},
    'search': {'type': 'server_tool_use', 'id': 'srv_1', 'name': 'web_search', 'input': {'query': 'q'}},
    'fetch': {'type': 'server_tool_use', 'id': 'srv_1', 'name': 'web_fetch', 'input': {'url': 'u'}},
    'code': {'type': 'server_tool_use', 'id': 'srv_1', 'name': 'code_execution', 'input': {'code': '1'}},
    'bash': {'type': 'server_tool_use', 'id': 'srv_1', 'name': 'bash_code_execution', 'input': {'command': 'ls'}},
    'edit': {
        'type': 'server_tool_use',
        'id': 'srv_1',
        'name': 'text_editor_code_execution',
        'input': {'command': 'view', 'path': 'p'},
    },
    'mcp': {'type': 'mcp_tool_use', 'id': 'mcp_1', 'name': 'e', 'server_name': 's', 'input': {'a': 1}},
    'mcp_empty': {'type': 'mcp_tool_use', 'id': 'mcp_1', 'name': 'e', 'server_name': 's', 'input': {}},
}
RESULTS: dict[str, Any] = {
    'search': {
        'type': 'web_search_tool_result',
        'content': [
            {'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': None}
        ],
    },
    'search_failed': {
        'type': 'web_search_tool_result',
        'content': {'type': 'web_search_tool_result_error', 'error_code': 'unavailable'},
    },
    'search_empty': {'type': 'web_search_tool_result', 'content': []},
    'fetch': {
        'type': 'web_fetch_tool_result',
        'content': {
            'type': 'web_fetch_result',
            'url': 'u',
            'retrieved_at': '2025-01-01T00:00:00Z',
            'content': {
                'type': 'document',
                'source': {'type': 'text', 'media_type': 'text/plain', 'data': 'd'},
                'title': 't',
                'citations': {'enabled': True},
            },
        },
    },
    'fetch_failed': {
        'type': 'web_fetch_tool_result',
        'content': {'type': 'web_fetch_tool_result_error', 'error_code': 'url_not_allowed'},
    },
    'code': {
        'type': 'code_execution_tool_result',
        'content': {'type': 'code_execution_result', 'stdout': 'o', 'stderr': '', 'return_code': 0, 'content': []},
    },
    'code_failed': {
        'type': 'code_execution_tool_result',
        'content': {'type': 'code_execution_tool_result_error', 'error_code': 'execution_time_exceeded'},
    },
    'code_sealed': {
        'type': 'code_execution_tool_result',
        'content': {
            'type': 'encrypted_code_execution_result',
            'encrypted_stdout': 'o',
            'stderr': '',
            'return_code': 0,
            'content': [],
        },
    },
    'bash': {
        'type': 'bash_code_execution_tool_result',
        'content': {
            'type': 'bash_code_execution_result',
            'stdout': 'o',
            'stderr': 'e',
            'return_code': 1,
            'content': [{'type': 'bash_code_execution_output', 'file_id': 'f'}],
        },
    },
    'bash_failed': {
        'type': 'bash_code_execution_tool_result',
        'content': {'type': 'bash_code_execution_tool_result_error', 'error_code': 'unavailable'},
    },
    'edit': {
        'type': 'text_editor_code_execution_tool_result',
        'content': {
            'type': 'text_editor_code_execution_view_result',
            'content': 'c',
            'file_type': 'text',
            'num_lines': 1,
            'start_line': 1,
            'total_lines': 1,
        },
    },
    'create': {
        'type': 'text_editor_code_execution_tool_result',
        'content': {'type': 'text_editor_code_execution_create_result', 'is_file_update': False},
    },
    'edit_failed': {
        'type': 'text_editor_code_execution_tool_result',
        'content': {
            'type': 'text_editor_code_execution_tool_result_error',
            'error_code': 'file_not_found',
            'error_message': 'm',
        },
    },
    'mcp': {
        'type': 'mcp_tool_result',
        'tool_use_id': 'mcp_1',
        'content': 'x',
        'is_error': False,
    },
    'mcp_failed': {'type': 'mcp_tool_result', 'tool_use_id': 'mcp_1', 'content': 'broken', 'is_error': True},
}
WORDS: Any = {'type': 'text', 'text': 'hi'}
for name, block in BLOCKS.items():
    case(f'anthropic/r_{name}', reply=message(block, WORDS))
    case(f'anthropic/s_{name}', reply=message_stream([block], [WORDS]))
for name, result in RESULTS.items():
    called = BLOCKS[{'create': 'edit'}.get(name, name.partition('_')[0])]
    result = {'tool_use_id': 'srv_1', **result}
    case(f'anthropic/r_result_{name}', reply=message(called, result, WORDS))
    pieces = [{'type': 'input_json_delta', 'partial_json': piece} for piece in ('', '{"a"', ':1}')]
    case(f'anthropic/s_result_{name}', reply=message_stream([{**called, 'input': {}}, *pieces], [result], [WORDS]))
note = {'type': 'citations_delta', 'citation': BLOCKS['cited_web']['citations'][0]}
piece = {'type': 'text_delta', 'text': 'hi'}
STREAMS: dict[str, list[Any]] = {
    'cited': [[{**WORDS, 'text': '', 'citations': []}, note, piece, note]],
    'thinking': [
        [
            {'type': 'thinking', 'thinking': '', 'signature': ''},
            {'type': 'thinking_delta', 'thinking': 'h'},
            {'type': 'thinking_delta', 'thinking': 'm'},
            {'type': 'signature_delta', 'signature': 's1'},
        ],
        [{'type': 'thinking', 'thinking': '', 'signature': ''}, {'type': 'signature_delta', 'signature': 's2'}],
        [WORDS],
    ],
    'empty_delta': [[{**WORDS, 'text': ''}, {**piece, 'text': ''}, piece]],
    'two_texts': [[{**WORDS, 'text': ''}, piece], [{**WORDS, 'text': ''}, piece]],
    'eager': [
        [
            {'type': 'tool_use', 'id': 'tu_1', 'name': 'plain', 'input': {}},
            *({'type': 'input_json_delta', 'partial_json': p} for p in ('', '{"x', '":', ' 1', '}')),
        ]
    ],
}
for name, blocks in STREAMS.items():
    case(f'anthropic/s_stream_{name}', reply=message_stream(*blocks))
ENDS: dict[str, Any] = {
    'stop': {'stop_reason': 'stop_sequence', 'stop_sequence': 'X'},
    'refusal': {'stop_reason': 'refusal', 'stop_details': {'type': 'refusal', 'category': 'cyber', 'explanation': 'e'}},
    'window': {'stop_reason': 'model_context_window_exceeded'},
    'container': {'container': {'id': 'c1', 'expires_at': '2025-01-01T00:00:00Z', 'skills': []}},
    'edited': {
        'context_management': {'applied_edits': [{'type': 'clear_tool_uses_20250919', 'cleared_input_tokens': 5}]}
    },
}
for name, end in ENDS.items():
    case(f'anthropic/r_end_{name}', reply=message(WORDS, **end))
    case(f'anthropic/s_end_{name}', reply=message_stream([WORDS], **end))
COUNTS: dict[str, Any] = {
    'cached': {'input_tokens': 1, 'output_tokens': 2, 'cache_creation_input_tokens': 3, 'cache_read_input_tokens': 4},
    'server': {
        'input_tokens': 1,
        'output_tokens': 2,
        'server_tool_use': {'web_search_requests': 2, 'web_fetch_requests': 1},
    },
    'nulls': {
        'input_tokens': 1,
        'output_tokens': 2,
        'cache_creation_input_tokens': None,
        'cache_read_input_tokens': None,
    },
}
for name, counts in COUNTS.items():
    case(f'anthropic/r_usage_{name}', reply=message(WORDS, usage=counts))
    case(f'anthropic/s_usage_{name}', reply=message_stream([WORDS], usage=counts))
