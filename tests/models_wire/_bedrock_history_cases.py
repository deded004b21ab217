"""Cache points, thoughts and calls of earlier turns, as they are sent to Bedrock."""

from __future__ import annotations

from typing import Any

from _bedrock_bodies import CLAUDE, NOVA, answer, text
from _vocabulary import PNG, TOOL, TOOL_LOOSE, Cases, Parameters, called, request_of, response_of

from stead.messages import (
    BinaryContent,
    CachePoint,
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
    VideoUrl,
)
from stead.profiles import ModelProfile

LLAMA = 'us.meta.llama3-3-70b-instruct-v1:0'
R1 = 'us.deepseek.r1-v1:0'
MISTRAL = 'mistral.mistral-large-2402-v1:0'
cases = Cases(CLAUDE, lambda: answer(text('hi')))
case = cases.add
PDF = BinaryContent(b'%PDF', media_type='application/pdf', identifier='f1')
IMAGE = BinaryContent(PNG, media_type='image/png', identifier='f2')

INSTRUCTIONS = 'bedrock_cache_instructions'
TOOLS = 'bedrock_cache_tool_definitions'
MESSAGES = 'bedrock_cache_messages'
TALK = [
    ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart('hi')], instructions='be'),
    response_of('a'),
    request_of('b'),
]
for kind, model in {'claude': CLAUDE, 'nova': NOVA, 'llama': LLAMA}.items():
    for name, settings in {
        'instructions': {INSTRUCTIONS: True},
        'instructions_1h': {INSTRUCTIONS: '1h'},
        'instructions_5m': {INSTRUCTIONS: '5m'},
        'instructions_off': {INSTRUCTIONS: False},
        'tools': {TOOLS: True},
        'tools_1h': {TOOLS: '1h'},
        'messages': {MESSAGES: True},
        'messages_1h': {MESSAGES: '1h'},
        'all': {INSTRUCTIONS: True, TOOLS: True, MESSAGES: True},
    }.items():
        with_tools = Parameters(function_tools=[TOOL, TOOL_LOOSE])
        case(f'cache_{name}/{kind}', TALK, with_tools, settings, model)
        case(f'cache_{name}_bare/{kind}', None, None, settings, model)
    many = ['a', CachePoint(), 'b', CachePoint(), 'c', CachePoint(), 'd', CachePoint(), 'e', CachePoint(ttl='1h')]
    case(f'cache_many/{kind}', [request_of(many)], model=model)
    case(f'cache_point/{kind}', [request_of(['a', CachePoint(), 'b'])], model=model)
    case(f'cache_point_1h/{kind}', [request_of(['a', CachePoint(ttl='1h'), 'b'])], model=model)
    case(f'cache_first/{kind}', [request_of([CachePoint(), 'b'])], model=model)
    case(f'cache_first_later/{kind}', [*called(ToolReturnPart('t1', 1, 'id1'), [CachePoint(), 'b'])], model=model)
    case(f'cache_only/{kind}', [request_of([CachePoint()])], model=model)
    case(f'cache_twice/{kind}', [request_of(['a', CachePoint(), CachePoint()])], model=model)
    case(f'cache_pdf/{kind}', [request_of(['a', PDF, CachePoint()])], model=model)
    case(f'cache_pdf_only/{kind}', [request_of([PDF, CachePoint()])], model=model)
    case(f'cache_pdf_first/{kind}', [request_of([PDF, 'a', CachePoint()])], model=model)
    case(f'cache_pdf_image/{kind}', [request_of(['a', IMAGE, PDF, PDF, CachePoint()])], model=model)
    case(f'cache_pdf_video/{kind}', [request_of(['a', VideoUrl('s3://b/k.mp4'), CachePoint(), 'x'])], model=model)
    case(f'cache_messages_pdf/{kind}', [request_of(['a', PDF])], settings={MESSAGES: True}, model=model)
    case(f'cache_messages_pdf_only/{kind}', [request_of([PDF])], settings={MESSAGES: True}, model=model)
    case(f'cache_messages_point/{kind}', [request_of(['a', CachePoint()])], settings={MESSAGES: True}, model=model)
    case(
        f'cache_messages_many/{kind}',
        [request_of(many)],
        Parameters(function_tools=[TOOL]),
        {MESSAGES: True, TOOLS: True, INSTRUCTIONS: True},
        model,
    )
    case(
        f'cache_messages_return/{kind}',
        called(ToolReturnPart('t1', 1, 'id1')),
        Parameters(function_tools=[TOOL]),
        {MESSAGES: True},
        model,
    )
    case(f'cache_messages_answer/{kind}', [request_of('a'), response_of('b')], settings={MESSAGES: True}, model=model)
    parts = [InstructionPart(content='A'), InstructionPart(content='B', dynamic=True), InstructionPart(content='C')]
    case(
        f'cache_dynamic/{kind}', params=Parameters(instruction_parts=parts), settings={INSTRUCTIONS: True}, model=model
    )
    dynamic = [InstructionPart(content='B', dynamic=True)]
    case(
        f'cache_dynamic_only/{kind}',
        params=Parameters(instruction_parts=dynamic),
        settings={INSTRUCTIONS: True},
        model=model,
    )
    case(
        f'cache_dynamic_system/{kind}',
        [request_of(SystemPromptPart('s'), 'hi')],
        Parameters(instruction_parts=dynamic),
        {INSTRUCTIONS: True},
        model,
    )

for kind, model in {'claude': CLAUDE, 'nova': NOVA, 'r1': R1}.items():
    for name, part in {
        'own': ThinkingPart('hmm', signature='sig', provider_name='bedrock'),
        'own_unsigned': ThinkingPart('hmm', provider_name='bedrock'),
        'other': ThinkingPart('hmm', signature='sig', provider_name='anthropic'),
        'none': ThinkingPart('hmm', signature='sig'),
        'sealed': ThinkingPart('', id='redacted_content', signature='aGk=', provider_name='bedrock'),
        'sealed_other': ThinkingPart('', id='redacted_content', signature='aGk=', provider_name='anthropic'),
        'empty': ThinkingPart('', provider_name='bedrock'),
        'empty_signed': ThinkingPart('', signature='sig', provider_name='bedrock'),
    }.items():
        case(f'thought_{name}/{kind}', [request_of('a'), response_of(part, 'b'), request_of('c')], model=model)
        case(
            f'thought_{name}_call/{kind}',
            [
                request_of('a'),
                response_of(part, ToolCallPart('t1', '{}', 'i1')),
                request_of(ToolReturnPart('t1', 1, 'i1')),
            ],
            model=model,
        )

CODE = {'snippet': 'print(1)'}
RESULT = {'stdOut': '1', 'stdErr': '', 'exitCode': 0, 'isError': False}
for provider in ('bedrock', 'anthropic'):
    for kind, model in {'nova': NOVA}.items():
        for name, returned in {
            'result': RESULT,
            'text': 'text',
            'list': [RESULT],
            'none': None,
        }.items():
            case(
                f'code_{name}_{provider}/{kind}',
                [
                    request_of('a'),
                    response_of(
                        NativeToolCallPart('code_execution', CODE, 'n1', provider_name=provider),
                        NativeToolReturnPart('code_execution', returned, 'n1', provider_name=provider),
                        'b',
                    ),
                    request_of('c'),
                ],
                model=model,
            )
        for status in ('success', 'error', 'other'):
            details = {'status': status}
            case(
                f'code_details_{status}_{provider}/{kind}',
                [
                    request_of('a'),
                    response_of(
                        NativeToolCallPart('code_execution', CODE, 'n1', provider_name=provider),
                        NativeToolReturnPart(
                            'code_execution', RESULT, 'n1', provider_name=provider, provider_details=details
                        ),
                    ),
                    request_of('c'),
                ],
                model=model,
            )
        case(
            f'native_other_{provider}/{kind}',
            [
                request_of('a'),
                response_of(
                    NativeToolCallPart('web_search', {'q': 1}, 'n1', provider_name=provider),
                    NativeToolReturnPart('web_search', {'a': 1}, 'n1', provider_name=provider),
                    'b',
                ),
                request_of('c'),
            ],
            model=model,
        )

for kind, model in {'claude': CLAUDE, 'nova': NOVA, 'mistral': MISTRAL}.items():
    for name, content in {
        'dict': {'a': 1},
        'list': [1, 'x'],
        'text': 'plain',
        'json_text': '{"a": 1}',
        'number': 3,
        'none': None,
        'empty': '',
        'image': IMAGE,
        'pdf': PDF,
        'image_and_text': ['see', IMAGE],
        'image_and_dict': [{'a': 1}, IMAGE, PDF],
        'two_dicts': [{'a': 1}, {'b': 2}],
        'video': BinaryContent(b'v', media_type='video/mp4', identifier='f3'),
        'audio': BinaryContent(b'a', media_type='audio/wav', identifier='f4'),
        'link': ImageUrl('s3://bucket/key.png', identifier='f5'),
        'video_link': VideoUrl('s3://bucket/key.mp4', identifier='f6'),
    }.items():
        case(f'back_{name}/{kind}', called(ToolReturnPart('t1', content, 'id1')), model=model)
    case(f'back_failed/{kind}', called(ToolReturnPart('t1', 'no', 'id1', outcome='failed')), model=model)
    case(f'back_denied/{kind}', called(ToolReturnPart('t1', 'no', 'id1', outcome='denied')), model=model)
    case(f'retried/{kind}', called(RetryPromptPart('bad', tool_name='t1', tool_call_id='id1')), model=model)
    videos = [
        ToolReturnPart('t1', BinaryContent(b'v', media_type='video/mp4', identifier=f'v{i}'), f'i{i}') for i in (1, 2)
    ]
    case(
        f'back_two_videos/{kind}',
        [
            request_of('a'),
            response_of(ToolCallPart('t1', '{}', 'i1'), ToolCallPart('t2', '{}', 'i2')),
            request_of(*videos),
        ],
        model=model,
    )
    case(f'retried_text/{kind}', [request_of('a'), response_of('b'), request_of(RetryPromptPart('bad'))], model=model)
    case(
        f'back_two/{kind}',
        [
            request_of('a'),
            response_of(ToolCallPart('t1', '{}', 'i1'), ToolCallPart('t2', '{}', 'i2')),
            request_of(ToolReturnPart('t1', 1, 'i1'), ToolReturnPart('t2', IMAGE, 'i2'), 'and'),
        ],
        model=model,
    )
    case(
        f'back_apart/{kind}',
        [
            request_of('a'),
            response_of(ToolCallPart('t1', '{}', 'i1')),
            request_of(ToolReturnPart('t1', 1, 'i1')),
            request_of('and'),
            response_of('x'),
            response_of('y'),
            request_of('z'),
        ],
        model=model,
    )
    case(
        f'inline_system/{kind}',
        [request_of('a'), response_of('b'), request_of(SystemPromptPart('later'), 'c')],
        model=model,
    )
    case(
        f'inline_system_able/{kind}',
        [request_of('a'), response_of('b'), request_of(SystemPromptPart('later'), 'c')],
        model=model,
        profile=ModelProfile(supports_inline_system_prompts=True),
    )
case('ends_with_answer', [request_of('a'), response_of('b')])
case('starts_with_answer', [response_of('b'), request_of('a')])
case('file_part_own', [request_of('a'), response_of('b', FilePart(IMAGE)), request_of('c')])
case(
    'broken_arguments',
    [request_of('a'), response_of(ToolCallPart('t1', '{"x"', 'i1')), request_of(ToolReturnPart('t1', 1, 'i1'))],
)
case(
    'list_arguments',
    [request_of('a'), response_of(ToolCallPart('t1', '[1]', 'i1')), request_of(ToolReturnPart('t1', 1, 'i1'))],
)
case('empty_answer_between', [request_of('a'), response_of(), request_of('b')])
case('empty_text_answer', [request_of('a'), response_of('', ' '), request_of('b')])
case('nothing', [request_of()])
case('empty_system', [request_of(SystemPromptPart(''), 'a')])
case('many_words', [request_of('a' * 50), response_of('b' * 50), request_of('c' * 50)])
ODD: Any = [request_of('a', ['b', IMAGE], 'c'), response_of('d'), request_of(['e'])]
case('prompts_in_a_row', ODD)
