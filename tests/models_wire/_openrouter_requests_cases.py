"""Settings, cache points and content, as they are sent to OpenRouter."""

from __future__ import annotations

from typing import Any

from _compatible import CITY, Cases
from _openrouter_models import GEMINI, OPUS
from _vocabulary import OUTPUT_TOOL, TOOL, TOOL_LOOSE, Parameters, request_of, response_of

from stead.messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    VideoUrl,
)
from stead.native_tools import WebSearchTool

cases = Cases()
case, stream = cases.add, cases.stream

SETTINGS: dict[str, Any] = {
    'models': ['a/b', 'c/d'],
    'provider': {'order': ['anthropic'], 'allow_fallbacks': False, 'sort': 'price', 'max_price': {'prompt': 1}},
    'preset': 'mine',
    'transforms': ['middle-out'],
    'reasoning': {'effort': 'high', 'exclude': True},
    'usage': {'include': True},
}
for name, value in SETTINGS.items():
    case(f'or_set_{name}', settings={f'openrouter_{name}': value})
case('or_set_all', settings={f'openrouter_{name}': value for name, value in SETTINGS.items()})
case('or_set_body', settings={'openrouter_models': ['a/b'], 'extra_body': {'mine': 1, 'models': ['z']}})
case('or_reasoning_over_thinking', settings={'openrouter_reasoning': {'max_tokens': 5}, 'thinking': 'low'})
case('or_reasoning_none', settings={'openrouter_reasoning': {'effort': 'none'}})
case('or_reasoning_empty', settings={'openrouter_reasoning': {}})
for name in (OPUS, GEMINI, 'openai/gpt-5', 'openai/o3', 'x-ai/grok-4', 'deepseek/deepseek-r1', 'openai/gpt-5.2:online'):
    case(
        f'or_native_{name}',
        params=Parameters(output_object=CITY, output_mode='native', function_tools=[TOOL]),
        model=name,
    )
    case(f'or_thinking_{name}', settings={'thinking': 'low', 'temperature': 0.5}, model=name)
    case(f'or_nothinking_{name}', settings={'thinking': False}, model=name)

# Cache points.
INSTRUCTED = [
    ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')
]
PARTS = Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)])
TALK = [request_of('a'), response_of('b'), request_of('c', 'd')]
RETURNS = [
    request_of('a'),
    response_of(ToolCallPart('t1', {'x': 1}, 'id1')),
    request_of(ToolReturnPart('t1', 'r', 'id1')),
]
for model in (OPUS, GEMINI, 'openai/gpt-4o'):
    name = model.partition('/')[0]
    case(f'or_cache_{name}_points', [request_of(['a', CachePoint(), 'b', CachePoint(ttl='1h'), 'c'])], model=model)
    for ttl in (True, '1h'):
        case(f'or_cache_{name}_instr_{ttl}', INSTRUCTED, settings={'openrouter_cache_instructions': ttl}, model=model)
        case(f'or_cache_{name}_parts_{ttl}', params=PARTS, settings={'openrouter_cache_instructions': ttl}, model=model)
        case(f'or_cache_{name}_msg_{ttl}', TALK, settings={'openrouter_cache_messages': ttl}, model=model)
        case(f'or_cache_{name}_ret_{ttl}', RETURNS, settings={'openrouter_cache_messages': ttl}, model=model)
        case(
            f'or_cache_{name}_tools_{ttl}',
            params=Parameters(function_tools=[TOOL, TOOL_LOOSE], output_tools=[OUTPUT_TOOL]),
            settings={'openrouter_cache_tool_definitions': ttl},
            model=model,
        )
    case(
        f'or_cache_{name}_all',
        [
            request_of(
                SystemPromptPart('s1'),
                ['a', CachePoint(), 'b', CachePoint(), 'c', CachePoint(), 'd', CachePoint(), 'e', CachePoint()],
            )
        ],
        params=Parameters(function_tools=[TOOL], instruction_parts=PARTS.instruction_parts),
        settings={
            'openrouter_cache_instructions': True,
            'openrouter_cache_messages': True,
            'openrouter_cache_tool_definitions': True,
        },
        model=model,
    )
case('or_cache_first', [request_of([CachePoint(), 'a'])], model=OPUS)
case('or_cache_twice', [request_of(['a', CachePoint(), CachePoint(ttl='1h')])], model=OPUS)
case('or_cache_image', [request_of([ImageUrl('https://a.b/c.png'), CachePoint(), 'x'])], model=OPUS)
case('or_cache_text_content', [request_of([TextContent('a'), CachePoint()])], model=OPUS)
case('or_cache_only', [request_of([CachePoint()])], model=OPUS)
case(
    'or_cache_msg_point',
    [request_of(['a', CachePoint(ttl='1h')])],
    settings={'openrouter_cache_messages': True},
    model=OPUS,
)
case('or_cache_msg_plain', settings={'openrouter_cache_messages': True}, model=OPUS)
case(
    'or_cache_msg_image',
    [request_of([ImageUrl('https://a.b/c.png')])],
    settings={'openrouter_cache_messages': True},
    model=OPUS,
)
case(
    'or_cache_msg_answer', [request_of('a'), response_of('b')], settings={'openrouter_cache_messages': True}, model=OPUS
)
case(
    'or_cache_msg_calls',
    [request_of('a'), response_of(ToolCallPart('t1', {'x': 1}, 'id1'))],
    settings={'openrouter_cache_messages': True},
    model=OPUS,
)
case(
    'or_cache_msg_retry',
    [request_of('a'), response_of('b'), request_of(RetryPromptPart('bad'))],
    settings={'openrouter_cache_messages': True},
    model=OPUS,
)
case(
    'or_cache_msg_system', [request_of(SystemPromptPart('s'))], settings={'openrouter_cache_messages': True}, model=OPUS
)
case(
    'or_cache_off',
    TALK,
    settings={'openrouter_cache_messages': False, 'openrouter_cache_instructions': False},
    model=OPUS,
)
case('or_cache_instr_none', settings={'openrouter_cache_instructions': True}, model=OPUS)
case(
    'or_cache_instr_system_only',
    [request_of(SystemPromptPart('s'), 'a')],
    settings={'openrouter_cache_instructions': True},
    model=OPUS,
)
case(
    'or_cache_instr_later',
    [request_of(SystemPromptPart('s'), 'a'), response_of('b'), request_of(SystemPromptPart('s2'), 'c')],
    settings={'openrouter_cache_instructions': True},
    model=OPUS,
)
DYNAMIC = [InstructionPart(content='A', dynamic=True), InstructionPart(content='B', dynamic=True)]
STATIC = [InstructionPart(content='A'), InstructionPart(content='B')]
for name, parts in {'dyn': DYNAMIC, 'static': STATIC, 'dyn_first': [DYNAMIC[0], STATIC[1]]}.items():
    for model in (OPUS, GEMINI):
        where = model[:4]
        case(
            f'or_cache_{where}_{name}',
            params=Parameters(instruction_parts=parts),
            settings={'openrouter_cache_instructions': True},
            model=model,
        )
        case(
            f'or_cache_{where}_{name}_sys',
            [request_of(SystemPromptPart('s'), 'a')],
            params=Parameters(instruction_parts=parts),
            settings={'openrouter_cache_instructions': True},
            model=model,
        )
case(
    'or_cache_many',
    [
        request_of(['a', CachePoint(), 'b', CachePoint(ttl='1h')]),
        response_of('x'),
        request_of(['c', CachePoint(), 'd', CachePoint(), 'e', CachePoint()]),
    ],
    settings={'openrouter_cache_messages': '1h'},
    model=OPUS,
)
case('or_cache_tools_none', settings={'openrouter_cache_tool_definitions': True}, model=OPUS)

MP4 = BinaryContent(b'mp4', media_type='video/mp4')
# Content.
for name, content in {
    'video_url': VideoUrl('https://a.b/c.mp4'),
    'video': MP4,
    'video_youtube': VideoUrl('https://www.youtube.com/watch?v=abc'),
    'pdf_url': DocumentUrl('https://a.b/c.pdf'),
    'txt_url': DocumentUrl('https://a.b/c.txt'),
}.items():
    case(f'or_content_{name}', [request_of(['look', content])])
case(
    'or_content_return',
    [request_of('a'), response_of(ToolCallPart('t1', {}, 'id1')), request_of(ToolReturnPart('t1', MP4, 'id1'))],
)
case('or_cache_first_openai', [request_of([CachePoint(), 'a'])])
case('or_cache_video', [request_of([MP4, CachePoint()])], model=GEMINI)
LOCATED = WebSearchTool(user_location={'country': 'DE'}, allowed_domains=['a.b'], blocked_domains=['c.d'], max_uses=3)
case('or_web_located', params=Parameters(native_tools=[LOCATED]))
case('or_web_plain', params=Parameters(native_tools=[WebSearchTool()]))
case(
    'or_web_stream_settings',
    params=Parameters(native_tools=[WebSearchTool()]),
    settings={'openrouter_models': ['a'], 'extra_body': {'plugins': [{'id': 'x'}], 'web_search_options': {'y': 1}}},
)
for name in ('auto', 'required', ['t1']):
    for family, model in (('opus', OPUS), ('gem', GEMINI)):
        for thinking in (False, 'low'):
            settings = {'tool_choice': name, 'thinking': thinking}
            case(
                f'or_choice_{family}_{thinking}_{name}',
                params=Parameters(function_tools=[TOOL, TOOL_LOOSE]),
                settings=settings,
                model=model,
            )
case(
    'or_out_think',
    params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
    settings={'openrouter_reasoning': {'effort': 'low'}},
    model=OPUS,
)
case(
    'or_out_think2',
    params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
    settings={'thinking': 'low'},
    model=OPUS,
)
case(
    'or_out_opus',
    params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
    model=OPUS,
)
for effort in (None, 'none', 'low'):
    for thinking in (None, False, 'low'):
        settings = {
            'temperature': 0.5,
            **({'openai_reasoning_effort': effort} if effort else {}),
            **({'thinking': thinking} if thinking is not None else {}),
        }
        case(f'or_sampling_{effort}_{thinking}', settings=settings, model='openai/gpt-5.2')
        case(f'or_sampling_gpt5_{effort}_{thinking}', settings=settings, model='openai/gpt-5')
case(
    'or_sampling_reasoning',
    settings={'temperature': 0.5, 'openrouter_reasoning': {'effort': 'low'}},
    model='openai/gpt-5.2',
)
case(
    'or_sampling_no_reasoning',
    settings={'temperature': 0.5, 'openrouter_reasoning': {'effort': 'none'}},
    model='openai/gpt-5.2',
)
for name in SETTINGS:
    for empty in ([], {}, '', None):
        case(f'or_set_{name}_empty_{empty!r}', settings={f'openrouter_{name}': empty})
case('or_set_reasoning_empty_thinking', settings={'openrouter_reasoning': {}, 'thinking': 'low'})
