"""Conversations that are sent to the Responses API."""

from __future__ import annotations

from _responses_bodies import response_body
from _vocabulary import PNG, Cases, Parameters, request_of, response_of
from _wire import as_json

from stead.messages import (
    BinaryContent,
    FilePart,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

cases = Cases('gpt-4o', lambda: as_json(response_body()))
case = cases.add

case('plain')
case('instructions', [ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')])
case(
    'instruction_parts',
    params=Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
)
case(
    'system+instr',
    [ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')],
)
case(
    'system_mid',
    [request_of(SystemPromptPart('s1'), 'hi'), response_of('x'), request_of(SystemPromptPart('s2'), 'hi2')],
)
case('o1mini', [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')], model='o1-mini')
case('history', [request_of('a'), response_of('b'), request_of('c'), response_of('d', 'e'), request_of('f')])
case(
    'history_ids',
    [
        request_of('a'),
        response_of(
            TextPart('b', id='msg_9', provider_name='openai'),
            ThinkingPart('', id='rs_1', signature='enc', provider_name='openai'),
            ToolCallPart('t1', '{}', 'call_1', id='fc_1', provider_name='openai'),
            provider_name='openai',
        ),
        request_of(ToolReturnPart('t1', 'x', 'call_1')),
    ],
    model='gpt-5',
)
case(
    'history_ids4',
    [
        request_of('a'),
        response_of(
            TextPart('b', id='msg_9', provider_name='openai'),
            ToolCallPart('t1', '{}', 'call_1', id='fc_1', provider_name='openai'),
            provider_name='openai',
        ),
        request_of(ToolReturnPart('t1', 'x', 'call_1')),
    ],
)
case(
    'history_noids',
    [
        request_of('a'),
        response_of(
            TextPart('b', id='msg_9', provider_name='openai'),
            ThinkingPart('sum', id='rs_1', signature='enc', provider_name='openai'),
            ToolCallPart('t1', '{}', 'call_1', id='fc_1', provider_name='openai'),
            provider_name='openai',
        ),
        request_of(ToolReturnPart('t1', 'x', 'call_1')),
    ],
    model='gpt-5',
    settings={'openai_send_reasoning_ids': False},
)
case(
    'history_phase',
    [
        request_of('a'),
        response_of(
            TextPart('b', id='msg_9', provider_name='openai', provider_details={'phase': 'commentary'}),
            provider_name='openai',
        ),
        request_of('c'),
    ],
    model='gpt-5.4',
)
case(
    'calls',
    [
        request_of('a'),
        response_of('let me', ToolCallPart('t1', '{"x":1}', 'id1'), ToolCallPart('t1', {'x': 2}, 'id2')),
        request_of(ToolReturnPart('t1', {'r': 1}, 'id1'), ToolReturnPart('t1', 'text', 'id2')),
    ],
)
case(
    'calls_pipe',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{"x":1}', 'call_1|fc_1')),
        request_of(ToolReturnPart('t1', {'r': 1}, 'call_1|fc_1')),
    ],
)
case(
    'calls_bad',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', 'bad{', 'id3')),
        request_of(ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id3')),
    ],
)
case(
    'retry',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(RetryPromptPart('bad', tool_name='t1', tool_call_id='id1')),
    ],
)
case('retry_notool', [request_of('a'), response_of('b'), request_of(RetryPromptPart('bad thing'))])
case(
    'tool_files',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(
            ToolReturnPart('t1', ['see', BinaryContent(PNG, media_type='image/png', identifier='f1')], 'id1'), 'next'
        ),
    ],
)
case(
    'tool_pdf',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', BinaryContent(b'pdf', media_type='application/pdf', identifier='f1'), 'id1')),
    ],
)
case(
    'tool_txt',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(
            ToolReturnPart(
                't1',
                [
                    {'a': 1},
                    BinaryContent(b'tt', media_type='text/plain', identifier='f1'),
                    ImageUrl('http://x.com/i.png'),
                ],
                'id1',
            )
        ),
    ],
)
case('thinking', [request_of('a'), response_of(ThinkingPart('hmm'), 'b'), request_of('c')], model='gpt-5')
case(
    'thinking_id',
    [
        request_of('a'),
        response_of(ThinkingPart('hmm', id='rs_1', provider_name='openai'), 'b', provider_name='openai'),
        request_of('c'),
    ],
    model='gpt-5',
)
case(
    'thinking_sig',
    [
        request_of('a'),
        response_of(
            ThinkingPart('hmm', id='rs_1', signature='enc', provider_name='openai'),
            ThinkingPart('two', id='rs_1'),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
    model='gpt-5',
)
case(
    'thinking_raw',
    [
        request_of('a'),
        response_of(
            ThinkingPart('hmm', id='rs_1', provider_name='openai', provider_details={'raw_content': ['rr']}),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
    model='gpt-5',
)
case(
    'thinking_other',
    [
        request_of('a'),
        response_of(
            ThinkingPart('hmm', id='x', signature='enc', provider_name='anthropic'), 'b', provider_name='anthropic'
        ),
        request_of('c'),
    ],
    model='gpt-5',
)
case(
    'thinking_4o',
    [
        request_of('a'),
        response_of(
            ThinkingPart('hmm', id='rs_1', signature='enc', provider_name='openai'), 'b', provider_name='openai'
        ),
        request_of('c'),
    ],
)
case('empty_resp', [request_of('a'), response_of(), request_of('c')])
case('empty_text', [request_of('a'), response_of(''), request_of('c')])
case(
    'native_ws_hist',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_search', {'query': 'q', 'type': 'search'}, 'ws_1', provider_name='openai'),
            NativeToolReturnPart('web_search', {'status': 'completed'}, 'ws_1', provider_name='openai'),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
)
case(
    'native_ci_hist',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('code_execution', {'container_id': 'c1', 'code': '1'}, 'ci_1', provider_name='openai'),
            NativeToolReturnPart(
                'code_execution', {'status': 'completed', 'logs': ['x']}, 'ci_1', provider_name='openai'
            ),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
)
case(
    'native_img_hist',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('image_generation', None, 'ig_1', provider_name='openai'),
            NativeToolReturnPart('image_generation', {'status': 'completed'}, 'ig_1', provider_name='openai'),
            FilePart(BinaryContent(PNG, media_type='image/png'), id='ig_1', provider_name='openai'),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
)
case(
    'native_mcp_hist',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart(
                'mcp_server:srv',
                {'action': 'call_tool', 'tool_name': 'echo', 'tool_args': {'a': 1}},
                'mcp_1',
                provider_name='openai',
            ),
            NativeToolReturnPart('mcp_server:srv', {'output': 'x', 'error': None}, 'mcp_1', provider_name='openai'),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
)
case(
    'native_other_hist',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_search', {'query': 'q'}, 'ws_1', provider_name='anthropic'),
            NativeToolReturnPart('web_search', {'a': 1}, 'ws_1', provider_name='anthropic'),
            'b',
            provider_name='anthropic',
        ),
        request_of('c'),
    ],
)
for name in [name for name in list(cases) if name.startswith('native_') and name.endswith('_hist')]:
    case(name + '_ids', cases[name][0], model='gpt-5')
case(
    'native_mcp_list_ids',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('mcp_server:srv', {'action': 'list_tools'}, 'ml_1', provider_name='openai'),
            NativeToolReturnPart(
                'mcp_server:srv',
                {'tools': [{'name': 'echo', 'input_schema': {}}], 'error': None},
                'ml_1',
                provider_name='openai',
            ),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
    model='gpt-5',
)
case(
    'native_fs_ids',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('file_search', {'queries': ['q']}, 'fs_1', provider_name='openai'),
            NativeToolReturnPart('file_search', {'status': 'completed'}, 'fs_1', provider_name='openai'),
            'b',
            provider_name='openai',
        ),
        request_of('c'),
    ],
    model='gpt-5',
)
