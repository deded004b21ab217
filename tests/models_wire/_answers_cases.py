"""Answers with every kind of item, block and event that the SDKs know, whole and streamed; see `record.py`."""

from __future__ import annotations

from typing import Any

from _facts import show
from _vendors import (
    Cases,
    Clients,
    added,
    body_of,
    chunks,
    completion,
    done,
    message,
    message_stream,
    response,
    response_stream,
    text_item,
    whole,
)
from _vocabulary import request_of, response_of
from _wire import Wire, as_json
from pydantic import BaseModel

from stead import Agent
from stead.output import NativeOutput, PromptedOutput, TextOutput, ToolOutput
from stead.usage import UsageLimits

cases = Cases()
case = cases.add
HI = text_item('hi')
SHORT = {'id': 'msg_0', **{key: value for key, value in HI.items() if key != 'id'}}

# Items of the Responses API, whole and as events.
ITEMS: dict[str, Any] = {
    'search': {
        'type': 'web_search_call',
        'status': 'completed',
        'action': {'type': 'search', 'query': 'q', 'queries': ['q', 'r']},
    },
    'search_sources': {
        'type': 'web_search_call',
        'status': 'completed',
        'action': {'type': 'search', 'query': 'q', 'sources': [{'type': 'url', 'url': 'https://x.test'}]},
    },
    'open_page': {'type': 'web_search_call', 'status': 'completed', 'action': {'type': 'open_page', 'url': 'u'}},
    'find': {
        'type': 'web_search_call',
        'status': 'completed',
        'action': {'type': 'find_in_page', 'url': 'u', 'pattern': 'p'},
    },
    'search_failed': {'type': 'web_search_call', 'status': 'failed', 'action': {'type': 'search', 'query': 'q'}},
    'files': {'type': 'file_search_call', 'status': 'completed', 'queries': ['q', 'r'], 'results': None},
    'files_found': {
        'type': 'file_search_call',
        'status': 'completed',
        'queries': ['q'],
        'results': [{'file_id': 'f', 'filename': 'n', 'score': 0.5, 'text': 't', 'attributes': {'a': 1}}],
    },
    'files_failed': {'type': 'file_search_call', 'status': 'failed', 'queries': [], 'results': []},
    'code': {'type': 'code_interpreter_call', 'status': 'completed', 'code': '1', 'container_id': 'c', 'outputs': None},
    'code_empty': {
        'type': 'code_interpreter_call',
        'status': 'completed',
        'code': '',
        'container_id': 'c',
        'outputs': [],
    },
    'code_logs': {
        'type': 'code_interpreter_call',
        'status': 'completed',
        'code': 'a\n"b"\\',
        'container_id': 'c',
        'outputs': [{'type': 'logs', 'logs': '1'}, {'type': 'logs', 'logs': '2'}],
    },
    'code_images': {
        'type': 'code_interpreter_call',
        'status': 'failed',
        'code': None,
        'container_id': 'c',
        'outputs': [{'type': 'image', 'url': 'data:image/png;base64,iVBORw0K'}] * 2,
    },
    'image': {'type': 'image_generation_call', 'status': 'completed', 'result': 'iVBORw0K'},
    'image_webp': {
        'type': 'image_generation_call',
        'status': 'completed',
        'result': 'iVBORw0K',
        'output_format': 'webp',
        'background': 'opaque',
        'quality': 'high',
        'size': '1024x1024',
        'revised_prompt': 'r',
        'action': 'generate',
    },
    'image_none': {'type': 'image_generation_call', 'status': 'failed', 'result': None},
    'mcp': {'type': 'mcp_call', 'server_label': 's', 'name': 'e', 'arguments': '{"a":1}', 'output': 'x', 'error': None},
    'mcp_failed': {
        'type': 'mcp_call',
        'server_label': 's',
        'name': 'e',
        'arguments': '{}',
        'output': None,
        'error': 'broken',
        'status': 'failed',
        'approval_request_id': None,
    },
    'mcp_tools': {
        'type': 'mcp_list_tools',
        'server_label': 's',
        'tools': [{'name': 'e', 'input_schema': {'type': 'object'}, 'description': 'd', 'annotations': {'a': 1}}],
    },
    'mcp_no_tools': {'type': 'mcp_list_tools', 'server_label': 's', 'tools': [], 'error': 'none'},
    'mcp_approval': {'type': 'mcp_approval_request', 'server_label': 's', 'name': 'e', 'arguments': '{}'},
    'computer': {
        'type': 'computer_call',
        'call_id': 'c1',
        'status': 'completed',
        'action': {'type': 'screenshot'},
        'pending_safety_checks': [],
    },
    'shell': {
        'type': 'local_shell_call',
        'call_id': 'c1',
        'status': 'completed',
        'action': {'type': 'exec', 'command': ['ls'], 'env': {}},
    },
    'custom': {'type': 'custom_tool_call', 'call_id': 'c1', 'name': 'plain', 'input': 'abc'},
    'patch': {
        'type': 'apply_patch_call',
        'call_id': 'c1',
        'status': 'completed',
        'operation': {'type': 'delete_file', 'path': 'p'},
    },
    'reasoning': {'type': 'reasoning', 'summary': [], 'status': 'completed'},
    'reasoning_sealed': {'type': 'reasoning', 'summary': [], 'encrypted_content': 'e', 'content': None},
    'reasoning_both': {
        'type': 'reasoning',
        'summary': [{'type': 'summary_text', 'text': 'a'}, {'type': 'summary_text', 'text': 'b'}],
        'encrypted_content': 'e',
        'content': [{'type': 'reasoning_text', 'text': 'r1'}, {'type': 'reasoning_text', 'text': 'r2'}],
    },
    'call': {'type': 'function_call', 'call_id': 'c1', 'name': 'plain', 'arguments': '{"x":1}', 'status': 'completed'},
    'call_empty': {'type': 'function_call', 'call_id': 'c1', 'name': 'plain', 'arguments': ''},
    'text_empty': {**SHORT, 'content': [{'type': 'output_text', 'text': '', 'annotations': []}]},
    'text_none': {**SHORT, 'content': []},
    'text_two': {**SHORT, 'content': [{'type': 'output_text', 'text': t, 'annotations': []} for t in 'ab']},
    'text_phase': {**SHORT, 'phase': 'commentary'},
    'refusal_text': {**SHORT, 'content': [*SHORT['content'], {'type': 'refusal', 'refusal': 'no'}]},
}
for name, item in ITEMS.items():
    item = {'id': 'it_1', **item}
    case(f'responses/r_{name}', reply=response(item, HI))
    if item['type'] != 'message':
        case(f'responses/s_{name}', reply=response_stream(*whole(item)))
CITED = {'type': 'url_citation', 'start_index': 0, 'end_index': 1, 'url': 'u', 'title': 't'}
FILE = {'type': 'file_citation', 'index': 0, 'file_id': 'f', 'filename': 'n'}
PATH = {
    'type': 'container_file_citation',
    'container_id': 'c',
    'file_id': 'f',
    'filename': 'n',
    'start_index': 0,
    'end_index': 1,
}
text: dict[str, Any] = {'type': 'output_text', 'text': 'hi', 'annotations': [CITED, FILE, PATH]}
text['logprobs'] = [
    {'token': 'hi', 'logprob': -0.1, 'bytes': [104], 'top_logprobs': [{'token': 'a', 'logprob': -2, 'bytes': []}]}
]
cited = text_item('hi', content=[text])
raw: Any = {'openai_include_raw_annotations': True, 'openai_logprobs': True}
place = {'item_id': 'msg_1', 'output_index': 0, 'content_index': 0}


def text_delta(words: str, **more: Any) -> dict[str, Any]:
    return {'type': 'response.output_text.delta', **place, 'delta': words, 'logprobs': [], **more}


for settings in (None, raw):
    name = 'raw' if settings else 'plain'
    case(f'responses/r_cited_{name}', reply=response(cited), settings=settings)
    note = {'type': 'response.output_text.annotation.added', **place, 'annotation_index': 0, 'annotation': CITED}
    events = [added(text_item('', content=[])), text_delta('hi', logprobs=text['logprobs']), note, done(cited)]
    case(f'responses/s_cited_{name}', reply=response_stream(*events), settings=settings)
BODIES: dict[str, Any] = {
    'tier': {'service_tier': 'flex'},
    'background': {'background': True, 'status': 'completed'},
    'conversation': {'conversation': {'id': 'conv_1'}},
    'usage': {
        'usage': {
            'input_tokens': 100,
            'output_tokens': 50,
            'total_tokens': 150,
            'input_tokens_details': {'cached_tokens': 40},
            'output_tokens_details': {'reasoning_tokens': 30},
        }
    },
    'no_details': {'usage': {'input_tokens': 1, 'output_tokens': 2, 'total_tokens': 3}},
    'no_time': {'created_at': 1700000000.5},
    'max': {'status': 'incomplete', 'incomplete_details': {'reason': 'max_output_tokens'}},
    'filter': {'status': 'incomplete', 'incomplete_details': {'reason': 'content_filter'}},
    'cancelled': {'status': 'cancelled'},
}
for name, fields in BODIES.items():
    case(f'responses/r_body_{name}', reply=response(HI, **fields))
    if fields.get('status', 'completed') == 'completed':
        case(f'responses/s_body_{name}', reply=response_stream(text_delta('hi'), **fields))

# Events that come in turn.
FLOWS: dict[str, list[Any]] = {
    'code': [
        added({'id': 'it_1', **ITEMS['code_empty'], 'status': 'in_progress'}),
        {'type': 'response.code_interpreter_call.in_progress', 'item_id': 'it_1', 'output_index': 0},
        {'type': 'response.code_interpreter_call_code.delta', 'item_id': 'it_1', 'output_index': 0, 'delta': 'a\n"'},
        {'type': 'response.code_interpreter_call_code.delta', 'item_id': 'it_1', 'output_index': 0, 'delta': 'b"\\ü'},
        {'type': 'response.code_interpreter_call_code.done', 'item_id': 'it_1', 'output_index': 0, 'code': 'a\n"b"\\ü'},
        {'type': 'response.code_interpreter_call.interpreting', 'item_id': 'it_1', 'output_index': 0},
        {'type': 'response.code_interpreter_call.completed', 'item_id': 'it_1', 'output_index': 0},
        done({'id': 'it_1', **ITEMS['code_logs']}),
    ],
    'image': [
        added({'id': 'it_1', **ITEMS['image_none'], 'status': 'in_progress'}),
        *(
            {
                'type': 'response.image_generation_call.partial_image',
                'item_id': 'it_1',
                'output_index': 0,
                'partial_image_index': number,
                'partial_image_b64': 'iVBORw0K',
                **({'output_format': 'webp'} if number else {}),
            }
            for number in range(2)
        ),
        {'type': 'response.image_generation_call.completed', 'item_id': 'it_1', 'output_index': 0},
        done({'id': 'it_1', **ITEMS['image_webp']}),
    ],
    'mcp': [
        added({'id': 'it_1', **ITEMS['mcp'], 'arguments': '', 'output': None}),
        {'type': 'response.mcp_call.in_progress', 'item_id': 'it_1', 'output_index': 0},
        {'type': 'response.mcp_call_arguments.delta', 'item_id': 'it_1', 'output_index': 0, 'delta': '{"a"'},
        {'type': 'response.mcp_call_arguments.delta', 'item_id': 'it_1', 'output_index': 0, 'delta': ':1}'},
        {'type': 'response.mcp_call_arguments.done', 'item_id': 'it_1', 'output_index': 0, 'arguments': '{"a":1}'},
        {'type': 'response.mcp_call.failed', 'item_id': 'it_1', 'output_index': 0},
        done({'id': 'it_1', **ITEMS['mcp_failed']}),
    ],
    'mcp_tools': [
        added({'id': 'it_1', **ITEMS['mcp_tools'], 'tools': []}),
        {'type': 'response.mcp_list_tools.in_progress', 'item_id': 'it_1', 'output_index': 0},
        {'type': 'response.mcp_list_tools.completed', 'item_id': 'it_1', 'output_index': 0},
        done({'id': 'it_1', **ITEMS['mcp_tools']}),
    ],
    'files': [
        added({'id': 'it_1', **ITEMS['files'], 'status': 'in_progress', 'queries': []}),
        {'type': 'response.file_search_call.searching', 'item_id': 'it_1', 'output_index': 0},
        done({'id': 'it_1', **ITEMS['files_found']}),
    ],
    'summaries': [
        added({'id': 'it_1', **ITEMS['reasoning']}),
        *(
            event
            for number in range(2)
            for event in (
                {
                    'type': 'response.reasoning_summary_part.added',
                    'item_id': 'it_1',
                    'output_index': 0,
                    'summary_index': number,
                    'part': {'type': 'summary_text', 'text': ''},
                },
                {
                    'type': 'response.reasoning_summary_text.delta',
                    'item_id': 'it_1',
                    'output_index': 0,
                    'summary_index': number,
                    'delta': 'hm',
                },
            )
        ),
        done({'id': 'it_1', **ITEMS['reasoning_both']}),
    ],
    'raw': [
        added({'id': 'it_1', **ITEMS['reasoning']}),
        *(
            {
                'type': 'response.reasoning_text.delta',
                'item_id': 'it_1',
                'output_index': 0,
                'content_index': number // 2,
                'delta': f'r{number}',
            }
            for number in range(4)
        ),
        done({'id': 'it_1', **ITEMS['reasoning_both'], 'summary': [], 'encrypted_content': None}),
    ],
    'custom': [
        added({'id': 'it_1', **ITEMS['custom'], 'input': ''}),
        {'type': 'response.custom_tool_call_input.delta', 'item_id': 'it_1', 'output_index': 0, 'delta': 'ab'},
        {'type': 'response.custom_tool_call_input.done', 'item_id': 'it_1', 'output_index': 0, 'input': 'ab'},
        done({'id': 'it_1', **ITEMS['custom']}),
        text_delta('hi'),
    ],
    'audio': [
        {'type': 'response.audio.delta', 'delta': 'AA=='},
        {'type': 'response.audio.transcript.delta', 'delta': 'hi'},
        {'type': 'response.audio.transcript.done'},
        {'type': 'response.audio.done'},
        text_delta('hi'),
    ],
    'queued': [
        {'type': 'response.queued', 'response': body_of(status='queued', usage=None)},
        {'type': 'response.in_progress', 'response': body_of(status='in_progress', usage=None)},
        text_delta('hi'),
    ],
    'calls': [
        *(added({'id': f'fc_{n}', **ITEMS['call_empty'], 'call_id': f'c{n}'}, n) for n in range(2)),
        *(
            {
                'type': 'response.function_call_arguments.delta',
                'item_id': f'fc_{n % 2}',
                'output_index': n % 2,
                'delta': words,
            }
            for n, words in enumerate(('{"x"', '{"x"', ':1}', ':2}'))
        ),
        *(done({'id': f'fc_{n}', **ITEMS['call'], 'call_id': f'c{n}'}, n) for n in range(2)),
    ],
    'phase': [
        added(text_item('', content=[], phase='final_answer')),
        text_delta('hi'),
        done(text_item('hi', phase='final_answer')),
    ],
    'space': [text_delta(''), text_delta(' '), text_delta('hi')],
}
for name, events in FLOWS.items():
    case(f'responses/s_flow_{name}', reply=response_stream(*events))

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
    'pause': {'stop_reason': 'pause_turn'},
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

# Messages of chat completions, whole and as deltas.
MESSAGES: dict[str, Any] = {
    'annotated': {
        'content': 'hi',
        'annotations': [{'type': 'url_citation', 'url_citation': {k: v for k, v in CITED.items() if k != 'type'}}],
    },
    'audio': {'content': None, 'audio': {'id': 'a', 'data': 'AA==', 'expires_at': 1, 'transcript': 'hi'}},
    'function': {'content': None, 'function_call': {'name': 'plain', 'arguments': '{}'}},
    'reasoning': {'content': 'hi', 'reasoning': 'hm'},
    'reasoning_content': {'content': 'hi', 'reasoning_content': 'hm'},
    'both': {'content': 'hi', 'reasoning': 'a', 'reasoning_content': 'b'},
    'empty_reasoning': {'content': 'hi', 'reasoning': '', 'reasoning_content': ''},
    'tags': {'content': 'a<think>hm</think>b<think>so</think>'},
    'open_tag': {'content': '<think>hm'},
    'close_tag': {'content': 'hm</think>hi'},
    'blank': {'content': ' \n'},
    'nothing': {'content': None},
    'text_and_call': {
        'content': 'let me',
        'tool_calls': [
            {'id': 'c1', 'type': 'function', 'index': 0, 'function': {'name': 'plain', 'arguments': '{"x":1}'}}
        ],
    },
    'refused': {'content': None, 'refusal': 'no'},
    'refused_empty': {'content': 'hi', 'refusal': ''},
}
for name, fields in MESSAGES.items():
    reason = 'tool_calls' if name == 'text_and_call' else 'stop'
    case(f'chat/r_{name}', reply=completion({'role': 'assistant', **fields}, reason))
    case(f'chat/s_{name}', reply=chunks({'role': 'assistant', **fields}, reason=reason))
TOKEN = {'token': 'hi', 'logprob': -0.1, 'bytes': [104], 'top_logprobs': []}
probable = {'logprobs': {'content': [TOKEN], 'refusal': None}}
case('chat/r_logprobs', reply=completion({'role': 'assistant', 'content': 'hi'}, choice=probable))
case(
    'chat/r_logprobs_refused',
    reply=completion(
        {'role': 'assistant', 'content': None, 'refusal': 'no'},
        choice={'logprobs': {'content': None, 'refusal': [TOKEN]}},
    ),
)
case('chat/s_refused_later', reply=chunks({'content': 'a'}, {'refusal': 'n'}, {'refusal': 'o'}))
for reason in ('stop', 'length', 'content_filter', 'tool_calls', 'function_call'):
    case(f'chat/s_reason_{reason}', reply=chunks({'content': 'hi'}, reason=reason))
case(
    'chat/r_tier', reply=completion({'role': 'assistant', 'content': 'hi'}, service_tier='flex', system_fingerprint='f')
)
prompt_details = {'cached_tokens': 3, 'audio_tokens': 0}
completion_details = {
    'reasoning_tokens': 4,
    'audio_tokens': 0,
    'accepted_prediction_tokens': 1,
    'rejected_prediction_tokens': 2,
}
usage = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}
usage_full = {**usage, 'prompt_tokens_details': prompt_details, 'completion_tokens_details': completion_details}
case('chat/r_usage', reply=completion({'role': 'assistant', 'content': 'hi'}, usage=usage_full))
case('chat/r_usage_none', reply=completion({'role': 'assistant', 'content': 'hi'}, usage=None))


# Whole runs: outputs, refusals, and tokens that are counted beforehand.
class Out(BaseModel):
    x: int


def run_of(name: str, vendor: str, *replies: Any, stream: bool = False, **more: Any) -> None:
    """A run of an agent: what was sent, and what came of it; of an error its type."""

    async def running(wire: Wire, clients: Clients) -> Any:
        wire.expect(*replies)
        output = more.get('output', str)
        agent: Any = Agent(clients.model(vendor, more.get('model')), output_type=output, retries=more.get('retries', 1))
        limits = more.get('limits')
        try:
            if stream:
                async with agent.run_stream('hi', usage_limits=limits) as streamed:
                    found = show(await streamed.get_output())
                    messages = show(streamed.all_messages())
            else:
                outcome = await agent.run('hi', usage_limits=limits)
                found, messages = show(outcome.output), show(outcome.all_messages())
        except Exception as error:
            found, messages = type(error).__name__, []
        return {
            'sent': [(item.path.partition('?')[0], item.body) for item in wire.requests],
            'out': found,
            'messages': messages,
        }

    cases[f'{vendor}/run_{name}'] = running


def upper(text: str) -> str:
    return text.upper()


JSON = '{"x": 1}'
RESULT = '{"result": {"kind": "Out", "data": {"x": 1}}}'
MODES: dict[str, tuple[Any, str]] = {
    'native': (NativeOutput(Out), JSON),
    'native_named': (NativeOutput(Out, name='n', description='d'), JSON),
    'native_two': (NativeOutput([Out, int]), RESULT),
    'native_int': (NativeOutput(int), '{"response": 3}'),
    'native_list': (NativeOutput(list[Out]), '{"response": [{"x": 1}]}'),
    'prompted': (PromptedOutput(Out), JSON),
    'prompted_template': (PromptedOutput(Out, template='give {schema}'), JSON),
    'prompted_two': (PromptedOutput([Out, int]), RESULT),
    'text': (TextOutput(upper), 'hi'),
    'both': ([Out, str], 'hi'),
    'tools': ([ToolOutput(Out, name='one', description='d'), ToolOutput(int, name='two', strict=True)], 'hi'),
}
for name, (output, words) in MODES.items():
    for vendor in ('chat', 'responses', 'anthropic'):
        reply = {
            'chat': completion({'role': 'assistant', 'content': words}),
            'responses': response(text_item(words)),
            'anthropic': message({'type': 'text', 'text': words}),
        }[vendor]
        run_of(f'out_{name}', vendor, reply, output=output)
run_of('refused', 'chat', completion({'role': 'assistant', 'content': None, 'refusal': 'no'}))
run_of('refused', 'responses', response(text_item('', content=[{'type': 'refusal', 'refusal': 'no'}])))
run_of('refused', 'anthropic', message(stop_reason='refusal'))
run_of('filtered', 'chat', completion({'role': 'assistant', 'content': ''}, 'content_filter'))
run_of('filtered', 'responses', response(status='incomplete', incomplete_details={'reason': 'content_filter'}))
run_of('cut', 'chat', completion({'role': 'assistant', 'content': ''}, 'length'))
run_of('cut', 'responses', response(status='incomplete', incomplete_details={'reason': 'max_output_tokens'}))
run_of('cut', 'anthropic', message(stop_reason='max_tokens'))
before = {'count_tokens_before_request': True}
counted = as_json({'input_tokens': 42})
for name, limit in (('counted', 100), ('too_many', 10)):
    limits = UsageLimits(input_tokens_limit=limit, **before)
    run_of(name, 'anthropic', counted, message(WORDS), limits=limits)
    run_of(
        name, 'responses', as_json({'object': 'response.input_tokens', 'input_tokens': 42}), response(HI), limits=limits
    )
    run_of(name, 'chat', completion({'role': 'assistant', 'content': 'hi'}), limits=limits)


# What OpenAI keeps from turn to turn.
def kept(
    name: str, settings: Any, *, model: str = 'gpt-5', conversation: str | None = None, history: Any = None
) -> None:
    """Two turns with a tool call, while OpenAI keeps what was said."""
    more = {'conversation': {'id': conversation}} if conversation else {}

    async def running(wire: Wire, clients: Clients) -> Any:
        thought = {'id': 'rs_1', **ITEMS['reasoning_sealed']}
        wire.expect(
            response(thought, {'id': 'fc_1', **ITEMS['call']}, id='resp_1', **more),
            response(text_item('one'), id='resp_2', **more),
            response(text_item('two'), id='resp_3', **more),
        )
        agent: Any = Agent(clients.model('responses', model), model_settings=settings, instructions='be nice')
        agent.tool_plain(lambda x: x, name='plain')
        try:
            first = await agent.run('hi', message_history=history)
            await agent.run('again', message_history=first.all_messages())
        except Exception as error:
            return [type(error).__name__]
        return [item.body for item in wire.requests]

    cases[f'responses/kept_{name}'] = running


OLD = [request_of('a'), response_of('b', provider_name='openai', provider_response_id='resp_0')]
OTHER = [request_of('a'), response_of('b', provider_name='anthropic', provider_response_id='msg_0')]
NAMED = [request_of('a'), response_of('b', provider_name='openai', provider_details={'conversation_id': 'conv_0'})]
kept('nothing', {})
kept('auto', {'openai_previous_response_id': 'auto'})
kept('auto_4o', {'openai_previous_response_id': 'auto'}, model='gpt-4o')
kept('auto_old', {'openai_previous_response_id': 'auto'}, history=OLD)
kept('auto_other', {'openai_previous_response_id': 'auto'}, history=OTHER)
kept('given', {'openai_previous_response_id': 'resp_7'})
kept('given_old', {'openai_previous_response_id': 'resp_7'}, history=OLD)
kept('talk', {'openai_conversation_id': 'conv_1'}, conversation='conv_1')
kept('talk_other', {'openai_conversation_id': 'conv_1'}, conversation='conv_2')
kept('talk_auto', {'openai_conversation_id': 'auto'}, conversation='conv_1')
kept('talk_auto_none', {'openai_conversation_id': 'auto'})
kept('talk_auto_named', {'openai_conversation_id': 'auto'}, conversation='conv_0', history=NAMED)
kept('both', {'openai_conversation_id': 'auto', 'openai_previous_response_id': 'auto'})


# What is better here than there: arguments of native calls are whole, however they came; what is told with a text is kept
# when it streams, too; blocks that nobody can use are left out.
BETTER = {
    *(f'responses/s_{name}' for name in ('code', 'code_empty', 'code_logs', 'code_images', 'mcp', 'mcp_failed')),
    *(f'responses/s_{name}' for name in ('reasoning_both', 'cited_plain', 'cited_raw', 'body_no_time')),
    *(f'responses/s_flow_{name}' for name in ('summaries', 'raw', 'phase')),
    *(f'responses/{way}_body_no_details' for way in 'rs'),
    'anthropic/r_uploaded',
    'anthropic/s_mcp',
    'anthropic/s_mcp_empty',
}
cases.drop(BETTER)

client_of, run = Clients, cases.run
