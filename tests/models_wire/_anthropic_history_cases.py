"""Conversations that are sent to Anthropic."""

from __future__ import annotations

from _anthropic_bodies import message_body
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
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

cases = Cases('claude-sonnet-4-5', lambda: as_json(message_body()))
case = cases.add

case('plain')
case('instructions', [ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')])
case(
    'instruction_parts',
    params=Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
)
case('system', [request_of(SystemPromptPart('sys'), 'hi')])
case(
    'system+instr',
    [ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')],
)
case(
    'system+instrparts',
    [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')],
    params=Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
)
case(
    'system_mid',
    [request_of(SystemPromptPart('s1'), 'hi'), response_of('x'), request_of(SystemPromptPart('s2'), 'hi2')],
)
case('history', [request_of('a'), response_of('b'), request_of('c'), response_of('d', 'e'), request_of('f')])
case('two_user', [request_of('a', 'b'), request_of('c')])
case(
    'calls',
    [
        request_of('a'),
        response_of('let me', ToolCallPart('t1', '{"x":1}', 'id1'), ToolCallPart('t1', {'x': 2}, 'id2')),
        request_of(ToolReturnPart('t1', {'r': 1}, 'id1'), ToolReturnPart('t1', 'text', 'id2')),
    ],
)
case(
    'calls_noargs',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', '', 'id2')),
        request_of(ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id2'), 'more'),
    ],
)
case(
    'calls_bad',
    [request_of('a'), response_of(ToolCallPart('t1', 'bad{', 'id3')), request_of(ToolReturnPart('t1', 3, 'id3'))],
)
case(
    'calls_list',
    [request_of('a'), response_of(ToolCallPart('t1', '[1]', 'id3')), request_of(ToolReturnPart('t1', 3, 'id3'))],
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
    'failed',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', 'denied!', 'id1', outcome='denied')),
    ],
)
case(
    'failed2',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', 'denied!', 'id1', outcome='failed')),
    ],
)
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
    'tool_mixed',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(
            ToolReturnPart(
                't1',
                [
                    {'a': 1},
                    ImageUrl('http://x.com/i.png', identifier='f2'),
                    BinaryContent(b'hi', media_type='text/plain', identifier='f3'),
                ],
                'id1',
            )
        ),
    ],
)
case(
    'tool_audio',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', BinaryContent(b'w', media_type='audio/wav', identifier='f1'), 'id1')),
    ],
)
case('thinking', [request_of('a'), response_of(ThinkingPart('hmm'), 'b'), request_of('c')])
case(
    'thinking_sig',
    [
        request_of('a'),
        response_of(ThinkingPart('hmm', signature='sig', provider_name='anthropic'), 'b'),
        request_of('c'),
    ],
)
case(
    'thinking_sig_other',
    [request_of('a'), response_of(ThinkingPart('hmm', signature='sig', provider_name='openai'), 'b'), request_of('c')],
)
case(
    'thinking_redacted',
    [
        request_of('a'),
        response_of(ThinkingPart('', id='redacted_thinking', signature='sig', provider_name='anthropic'), 'b'),
        request_of('c'),
    ],
)
case('thinking_empty', [request_of('a'), response_of(ThinkingPart(''), 'b'), request_of('c')])
case('empty_resp', [request_of('a'), response_of(), request_of('c')])
case('empty_text', [request_of('a'), response_of(''), request_of('c')])
case('empty_user', [request_of('')])
case('ws_user', [request_of('a'), response_of('b '), request_of('c')])
case(
    'native_parts',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'web_search',
                [{'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': None}],
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'native_parts_other',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='openai'),
            NativeToolReturnPart('web_search', {'a': 1}, 'n1', provider_name='openai'),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'native_parts_code',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('code_execution', {'code': '1'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'code_execution',
                {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []},
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'native_parts_fetch',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_fetch', {'url': 'q'}, 'n1', provider_name='anthropic'),
            NativeToolReturnPart(
                'web_fetch',
                {
                    'type': 'web_fetch_result',
                    'url': 'q',
                    'retrieved_at': None,
                    'content': {
                        'type': 'document',
                        'source': {'type': 'text', 'media_type': 'text/plain', 'data': 'x'},
                        'title': None,
                        'citations': None,
                    },
                },
                'n1',
                provider_name='anthropic',
            ),
            'b',
        ),
        request_of('c'),
    ],
)
case(
    'file_part',
    [request_of('a'), response_of('b', FilePart(BinaryContent(PNG, media_type='image/png'))), request_of('c')],
)
