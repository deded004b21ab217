"""Answers of the Responses API that come whole."""

from __future__ import annotations

from _responses_bodies import response_body, text_item
from _vocabulary import Cases
from _wire import Reply, as_json

cases = Cases('gpt-4o', lambda: as_json(response_body()))
case = cases.add


def answer(name, *output, **fields):
    case('r_' + name, reply=as_json(response_body(*output, **fields)))


for status in ('completed', 'incomplete', 'failed', 'cancelled', 'in_progress', 'queued', 'weird'):
    answer('st_' + status, status=status)
answer('inc_max', status='incomplete', incomplete_details={'reason': 'max_output_tokens'})
answer('inc_filter', status='incomplete', incomplete_details={'reason': 'content_filter'})
answer('failed_err', [], status='failed', error={'code': 'server_error', 'message': 'boom'})
answer('empty', [])
answer('two', [text_item('a'), text_item('b', id='msg_2')])
answer(
    'two_content',
    [
        {
            **text_item('a'),
            'content': [
                {'type': 'output_text', 'text': 'a', 'annotations': []},
                {'type': 'output_text', 'text': 'b', 'annotations': []},
            ],
        }
    ],
)
answer('refusal', [{**text_item('a'), 'content': [{'type': 'refusal', 'refusal': 'no'}]}])
answer(
    'calls',
    [
        {
            'type': 'function_call',
            'id': 'fc_1',
            'call_id': 'call_1',
            'name': 't1',
            'arguments': '{"x":1}',
            'status': 'completed',
        },
        {'type': 'function_call', 'id': 'fc_2', 'call_id': 'call_2', 'name': 't2', 'arguments': ''},
    ],
)
answer(
    'reasoning',
    [
        {
            'type': 'reasoning',
            'id': 'rs_1',
            'summary': [{'type': 'summary_text', 'text': 's1'}, {'type': 'summary_text', 'text': 's2'}],
            'encrypted_content': 'enc',
            'status': None,
        },
        text_item('a'),
    ],
)
answer(
    'reasoning_empty', [{'type': 'reasoning', 'id': 'rs_1', 'summary': [], 'encrypted_content': 'enc'}, text_item('a')]
)
answer('reasoning_none', [{'type': 'reasoning', 'id': 'rs_1', 'summary': []}, text_item('a')])
answer(
    'reasoning_raw',
    [
        {'type': 'reasoning', 'id': 'rs_1', 'summary': [], 'content': [{'type': 'reasoning_text', 'text': 'raw'}]},
        text_item('a'),
    ],
)
answer(
    'ws',
    [
        {
            'type': 'web_search_call',
            'id': 'ws_1',
            'status': 'completed',
            'action': {'type': 'search', 'query': 'q', 'sources': [{'type': 'url', 'url': 'u'}]},
        },
        text_item('a'),
    ],
)
answer(
    'ci',
    [
        {
            'type': 'code_interpreter_call',
            'id': 'ci_1',
            'status': 'completed',
            'code': '1',
            'container_id': 'c1',
            'outputs': [{'type': 'logs', 'logs': 'x'}, {'type': 'image', 'url': 'data:image/png;base64,iVBORw0K'}],
        },
        text_item('a'),
    ],
)
answer(
    'img',
    [
        {
            'type': 'image_generation_call',
            'id': 'ig_1',
            'status': 'completed',
            'result': 'iVBORw0K',
            'output_format': 'png',
            'size': '1024x1024',
            'quality': 'high',
            'background': 'opaque',
            'revised_prompt': 'rp',
        },
        text_item('a'),
    ],
)
answer(
    'fs',
    [
        {
            'type': 'file_search_call',
            'id': 'fs_1',
            'status': 'completed',
            'queries': ['q'],
            'results': [{'file_id': 'f', 'filename': 'n', 'score': 0.5, 'text': 't', 'attributes': {}}],
        },
        text_item('a'),
    ],
)
answer(
    'mcp',
    [
        {
            'type': 'mcp_list_tools',
            'id': 'ml_1',
            'server_label': 'srv',
            'tools': [{'name': 'echo', 'input_schema': {}, 'description': 'd', 'annotations': None}],
            'error': None,
        },
        {
            'type': 'mcp_call',
            'id': 'mcp_1',
            'server_label': 'srv',
            'name': 'echo',
            'arguments': '{"a":1}',
            'output': 'x',
            'error': None,
        },
        text_item('a'),
    ],
)
answer(
    'annot',
    [
        {
            **text_item('a'),
            'content': [
                {
                    'type': 'output_text',
                    'text': 'a',
                    'annotations': [
                        {'type': 'url_citation', 'start_index': 0, 'end_index': 1, 'url': 'u', 'title': 't'}
                    ],
                }
            ],
        }
    ],
)
case(
    'r_annot_raw',
    reply=as_json(
        response_body(
            [
                {
                    **text_item('a'),
                    'content': [
                        {
                            'type': 'output_text',
                            'text': 'a',
                            'annotations': [
                                {'type': 'url_citation', 'start_index': 0, 'end_index': 1, 'url': 'u', 'title': 't'}
                            ],
                        }
                    ],
                }
            ]
        )
    ),
    settings={'openai_include_raw_annotations': True},
)
answer(
    'logprobs',
    [
        {
            **text_item('a'),
            'content': [
                {
                    'type': 'output_text',
                    'text': 'a',
                    'annotations': [],
                    'logprobs': [{'token': 'a', 'logprob': -1, 'bytes': [1], 'top_logprobs': []}],
                }
            ],
        }
    ],
)
answer('phase', [text_item('a', phase='final_answer')])
answer('conv', conversation={'id': 'conv_1'})
answer('unknown', [{'type': 'weird', 'id': 'w'}, text_item('a')])
answer('nousage', usage=None)
answer('compaction', [{'type': 'compaction', 'id': 'cmp_1', 'encrypted_content': 'e'}, text_item('a')])
for name, content in {'garb': b'not json'}.items():
    case('r_' + name, reply=Reply(pieces=[content]))
case('r_html', reply=Reply(pieces=[b'<html>'], content_type='text/html'))
case('r_obj', reply=as_json({}))
for status in (400, 429, 500):
    case(f'r_{status}', reply=as_json({'error': {'message': 'bad', 'type': 't', 'code': 'c'}}, status=status))
