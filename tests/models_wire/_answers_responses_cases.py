"""Items of the Responses API, whole and as events."""

from __future__ import annotations

from typing import Any

from _vendors import Cases, added, body_of, done, response, response_stream, text_item, whole

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
