"""Conversations that are sent as chat completions."""

from __future__ import annotations

from _chat_bodies import completion_body
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
from stead.profiles.openai import OpenAIModelProfile

cases = Cases('gpt-4o', lambda: as_json(completion_body()))
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
    'system_mid',
    [request_of(SystemPromptPart('s1'), 'hi'), response_of('x'), request_of(SystemPromptPart('s2'), 'hi2')],
)
for role in ('developer', 'user', 'system'):
    case(
        'sysrole_' + role,
        [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')],
        profile=OpenAIModelProfile(openai_system_prompt_role=role),
    )
case('o1mini', [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')], model='o1-mini')
case(
    'one_system',
    [ModelRequest(parts=[SystemPromptPart('s1'), UserPromptPart('hi')], instructions='be')],
    profile=OpenAIModelProfile(openai_chat_supports_multiple_system_messages=False),
)
case('history', [request_of('a'), response_of('b'), request_of('c'), response_of('d', 'e'), request_of('f')])
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
        response_of(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', '', 'id2'), ToolCallPart('t1', 'bad{', 'id3')),
        request_of(
            ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id2'), ToolReturnPart('t1', 3, 'id3')
        ),
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
    'retry_errors',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(
            RetryPromptPart(
                [{'type': 'missing', 'loc': ('x',), 'msg': 'Field required', 'input': {}}],
                tool_name='t1',
                tool_call_id='id1',
            )
        ),
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
    'tool_two_files',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1'), ToolCallPart('t1', '{}', 'id2')),
        request_of(
            ToolReturnPart('t1', BinaryContent(PNG, media_type='image/png', identifier='f1'), 'id1'),
            ToolReturnPart('t1', ImageUrl('http://x/i.png', identifier='f2'), 'id2'),
        ),
    ],
)
case(
    'failed',
    [
        request_of('a'),
        response_of(ToolCallPart('t1', '{}', 'id1')),
        request_of(ToolReturnPart('t1', 'denied!', 'id1', outcome='denied')),
    ],
)
case('thinking', [request_of('a'), response_of(ThinkingPart('hmm'), 'b'), request_of('c')])
case(
    'thinking_sig',
    [
        request_of('a'),
        response_of(
            ThinkingPart('hmm', id='reasoning_content', provider_name='openai'),
            'b',
            ThinkingPart('more', id='reasoning', provider_name='other'),
        ),
        request_of('c'),
    ],
)
for mode in ('auto', 'tags', 'field', False):
    case(
        f'thinking_{mode}',
        [
            request_of('a'),
            response_of(
                ThinkingPart('hmm', id='reasoning_content', provider_name='openai'),
                'b',
                ThinkingPart('m2', provider_name='x'),
            ),
            request_of('c'),
        ],
        profile=OpenAIModelProfile(
            openai_chat_thinking_field='reasoning_content', openai_chat_send_back_thinking_parts=mode
        ),
    )
case('thinking_only', [request_of('a'), response_of(ThinkingPart('hmm')), request_of('c')])
case('empty_resp', [request_of('a'), response_of(), request_of('c')])
case('empty_text', [request_of('a'), response_of(''), request_of('c')])
case(
    'native_parts',
    [
        request_of('a'),
        response_of(
            NativeToolCallPart('web_search', {'q': 1}, 'n1', provider_name='openai'),
            NativeToolReturnPart('web_search', {'r': 1}, 'n1', provider_name='openai'),
            'b',
            FilePart(BinaryContent(PNG, media_type='image/png')),
        ),
        request_of('c'),
    ],
)
