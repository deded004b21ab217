"""OpenRouter: its settings, reasoning, cache points and errors; see `record.py`."""

from __future__ import annotations

from typing import Any

from _compatible import CITY, Cases, chunk, client_of, completion
from _vocabulary import OUTPUT_TOOL, TOOL, TOOL_LOOSE, Parameters, request_of, response_of
from _wire import Reply, as_json

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
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    VideoUrl,
)
from stead.native_tools import WebSearchTool

cases = Cases()
case, stream, run = cases.add, cases.stream, cases.run
__all__ = ('cases', 'client_of', 'run')
OPUS, GEMINI = 'anthropic/claude-opus-4.5', 'google/gemini-2.5-pro'

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

# What OpenRouter says of its answers.
TEXT = {'type': 'reasoning.text', 'text': 'because', 'signature': 'sig', 'format': 'anthropic-claude-v1', 'index': 0}
SUMMARY = {
    'type': 'reasoning.summary',
    'summary': 'in short',
    'format': 'openai-responses-v1',
    'id': 'rs_1',
    'index': 0,
}
SECRET = {'type': 'reasoning.encrypted', 'data': 'XYZ', 'format': 'openai-responses-v1', 'id': 'rs_1', 'index': 1}


def reasoned(*details: Any, **fields: Any) -> Reply:
    message = {'role': 'assistant', 'content': 'hi', 'reasoning': 'all', 'reasoning_details': list(details), **fields}
    return as_json(completion(message))


case('or_details_text', reply=reasoned(TEXT))
case('or_details_summary', reply=reasoned(SUMMARY))
case('or_details_secret', reply=reasoned(SECRET))
case('or_details_all', reply=reasoned(TEXT, SUMMARY, SECRET))
case('or_details_bare_text', reply=reasoned({'type': 'reasoning.text', 'text': 'because'}))
case('or_details_nulls', reply=reasoned({**TEXT, 'signature': None, 'format': None, 'id': None, 'index': None}))
case('or_details_unknown_format', reply=reasoned({**TEXT, 'format': 'mine-v1'}))
case('or_details_empty', reply=reasoned())
case('or_details_null', reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'reasoning_details': None})))
case('or_details_no_summary', reply=reasoned({'type': 'reasoning.summary', 'summary': ''}))
case(
    'or_details_only', reply=as_json(completion({'role': 'assistant', 'content': None, 'reasoning_details': [SECRET]}))
)
case(
    'or_details_calls',
    reply=as_json(
        completion(
            {
                'role': 'assistant',
                'content': None,
                'reasoning_details': [{**SECRET, 'id': 'call-1', 'format': 'google-gemini-v1'}],
                'tool_calls': [
                    {'id': 'call-1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{"x":1}'}, 'index': 0}
                ],
            },
            'tool_calls',
        )
    ),
)
case('or_tags', reply=as_json(completion({'role': 'assistant', 'content': '<think>a</think>b'})))
PICTURE = {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,iVBORw0='}, 'index': 0}
case('or_images', reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'images': [PICTURE]})))
case('or_images_only', reply=as_json(completion({'role': 'assistant', 'content': '', 'images': [PICTURE]})))
CITATION = {
    'type': 'url_citation',
    'url_citation': {'url': 'https://a.b', 'title': 't', 'content': 'c', 'start_index': 0, 'end_index': 1},
}
FILE = {'type': 'file', 'file': {'hash': 'h', 'name': 'n', 'content': [{'type': 'text', 'text': 'x'}]}}
for name, notes in {'citation': [CITATION], 'file': [FILE], 'both': [CITATION, FILE], 'none': [], 'null': None}.items():
    case(f'or_notes_{name}', reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'annotations': notes})))
USAGE = {
    'prompt_tokens': 10,
    'completion_tokens': 5,
    'total_tokens': 15,
    'cost': 0.25,
    'is_byok': True,
    'cost_details': {'upstream_inference_cost': 0.1, 'upstream_inference_prompt_cost': 0.04},
    'prompt_tokens_details': {'cached_tokens': 3, 'audio_tokens': 1, 'video_tokens': 2, 'cache_write_tokens': 4},
    'completion_tokens_details': {'reasoning_tokens': 2, 'image_tokens': 3, 'audio_tokens': 1},
    'server_tool_use': {'web_search_requests': 2},
}
case('or_usage', reply=as_json(completion(usage=USAGE)))
NO_COST = {key: value for key, value in USAGE.items() if key not in ('cost', 'cost_details', 'is_byok')}
for name, usage in {
    'cost': {**NO_COST, 'cost': 0.25},
    'cost_zero': {**NO_COST, 'cost': 0},
    'byok_false': {**NO_COST, 'is_byok': False},
    'byok': {**NO_COST, 'is_byok': True},
    'details': {**NO_COST, 'cost_details': {'upstream_inference_cost': 0.1}},
    'details_null': {**NO_COST, 'cost_details': {'upstream_inference_cost': None}},
    'details_empty': {**NO_COST, 'cost': 0.25, 'cost_details': {}},
    'null': None,
    'nulls': {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15, 'prompt_tokens_details': None},
}.items():
    case(f'or_usage_{name}', reply=as_json(completion(usage=usage)))
for finish in ('stop', 'length', 'tool_calls', 'content_filter', 'error', None):
    case(f'or_finish_{finish}', reply=as_json(completion(finish=finish)))
    case(
        f'or_finish_native_none_{finish}',
        reply=as_json(completion(finish=finish, choice={'native_finish_reason': None})),
    )
    if finish:
        stream(f'or_finish_{finish}', chunk({'content': 'a'}), chunk({}, finish))
        stream(
            f'or_finish_native_none_{finish}',
            chunk({'content': 'a'}),
            chunk({}, finish, {'native_finish_reason': None}),
        )
for name, error in {
    'plain': {'code': 502, 'message': 'boom'},
    'text_code': {'code': 'rate_limited', 'message': 'boom'},
    'digits': {'code': '429', 'message': 'boom'},
    'metadata': {'code': 403, 'message': 'boom', 'metadata': {'reasons': ['x'], 'provider_name': 'OpenAI'}},
    'no_code': {'message': 'boom'},
    'text': 'boom',
    'small': {'code': 0, 'message': 'boom'},
}.items():
    case(f'or_err_{name}', reply=as_json({'error': error}))
    case(f'or_err_with_answer_{name}', reply=as_json(completion(error=error)))
    stream(f'or_err_{name}', chunk({'content': 'a'}), chunk({}, 'error', error=error))
    stream(f'or_err_first_{name}', chunk({'content': ''}, 'error', error=error))
case('or_status', reply=as_json({'error': {'message': 'boom', 'code': 402}}, status=402))

# Reasoning, piece by piece.
stream(
    'or_details_text',
    chunk({'content': '', 'reasoning': 'be', 'reasoning_details': [{**TEXT, 'text': 'be', 'signature': None}]}),
    chunk({'content': '', 'reasoning_details': [{**TEXT, 'text': 'cause', 'signature': None}]}),
    chunk({'content': '', 'reasoning_details': [{**TEXT, 'text': '', 'signature': 'sig'}]}),
    chunk({'content': 'a'}, 'stop'),
)
stream(
    'or_details_summary',
    chunk({'reasoning_details': [{**SUMMARY, 'summary': 'in '}]}),
    chunk({'reasoning_details': [{**SUMMARY, 'summary': 'short'}]}),
    chunk({'reasoning_details': [SECRET]}),
    chunk({'content': 'a'}, 'stop'),
)
stream(
    'or_details_same_chunk', chunk({'reasoning_details': [TEXT, SUMMARY, SECRET], 'content': 'a'}), chunk({}, 'stop')
)
stream(
    'or_details_two_texts',
    chunk({'reasoning_details': [TEXT, {**TEXT, 'text': 'more', 'index': 1}]}),
    chunk({'content': 'a'}, 'stop'),
)
stream(
    'or_details_secret',
    chunk({'reasoning_details': [{**SECRET, 'data': 'X'}]}),
    chunk({'reasoning_details': [{**SECRET, 'data': 'Y'}]}),
    chunk({'content': 'a'}, 'stop'),
)
stream(
    'or_details_late', chunk({'content': 'a'}), chunk({'reasoning_details': [TEXT]}), chunk({'content': 'b'}, 'stop')
)
stream(
    'or_details_noindex',
    chunk({'reasoning_details': [{'type': 'reasoning.text', 'text': 'be'}]}),
    chunk({'reasoning_details': [{'type': 'reasoning.text', 'text': 'cause'}]}),
    chunk({'content': 'a'}, 'stop'),
)
stream(
    'or_details_nulls',
    chunk({'reasoning_details': [{**TEXT, 'signature': None, 'format': None, 'id': None, 'index': None}]}),
    chunk({'content': 'a'}, 'stop'),
)
stream(
    'or_details_call',
    chunk(
        {
            'reasoning_details': [{**SECRET, 'id': 'call-1'}],
            'tool_calls': [
                {'index': 0, 'id': 'call-1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}
            ],
        }
    ),
    chunk({}, 'tool_calls'),
)
stream('or_notes', chunk({'content': 'a', 'annotations': [CITATION]}), chunk({}, 'stop'))
stream('or_images', chunk({'content': 'a', 'images': [PICTURE]}), chunk({}, 'stop'))
stream('or_provider_changes', chunk({'content': 'a'}, provider='A'), chunk({'content': 'b'}, 'stop', provider='B'))
stream(
    'or_provider_missing', {**chunk({'content': 'a'}), 'provider': None}, chunk({'content': 'b'}, 'stop', provider='B')
)
stream('or_keepalive', b': OPENROUTER PROCESSING\n\n', chunk({'content': 'a'}, 'stop'))
stream('or_only_keepalive', b': OPENROUTER PROCESSING\n\n')
stream(
    'or_tags',
    chunk({'content': '<think>'}),
    chunk({'content': 'a'}),
    chunk({'content': '</think>'}),
    chunk({'content': 'b'}, 'stop'),
)


# Thinking, on the way back.
def thought(content: str = 'because', **fields: Any) -> ThinkingPart:
    return ThinkingPart(content, provider_name=fields.pop('by', 'openrouter'), **fields)


DETAILS = {'format': 'anthropic-claude-v1', 'index': 0, 'type': 'reasoning.text'}
BACK: dict[str, Any] = {
    'text': [thought(signature='sig', provider_details=DETAILS)],
    'text_id': [thought(id='i', signature='sig', provider_details=DETAILS)],
    'summary': [thought(id='rs_1', provider_details={**DETAILS, 'type': 'reasoning.summary'})],
    'secret': [thought('', id='rs_1', signature='XYZ', provider_details={**DETAILS, 'type': 'reasoning.encrypted'})],
    'all': [
        thought(signature='sig', provider_details=DETAILS),
        thought('sum', provider_details={**DETAILS, 'type': 'reasoning.summary'}),
        thought('', id='rs_1', signature='XYZ', provider_details={**DETAILS, 'type': 'reasoning.encrypted'}),
    ],
    'no_details': [thought(signature='sig')],
    'reasoning': [thought(id='reasoning')],
    'reasoning_content': [thought(id='reasoning_content')],
    'nulls': [thought(provider_details={'format': None, 'index': None, 'type': 'reasoning.text'})],
    'of_others': [thought(by='anthropic', signature='sig', provider_details=DETAILS)],
    'of_nobody': [ThinkingPart('because')],
    'empty': [thought('', provider_details=DETAILS)],
    'mixed': [thought(signature='sig', provider_details=DETAILS), thought('foreign', by='anthropic')],
    'mixed_own': [thought(signature='sig', provider_details=DETAILS), thought('own', id='reasoning')],
}
for name, parts in BACK.items():
    case(f'or_back_{name}', [request_of('a'), response_of(*parts, 'b'), request_of('c')])
    case(
        f'or_back_call_{name}',
        [
            request_of('a'),
            response_of(*parts, ToolCallPart('t1', {'x': 1}, 'id1')),
            request_of(ToolReturnPart('t1', 'r', 'id1')),
        ],
    )
case('or_back_only', [request_of('a'), response_of(*BACK['secret']), request_of('c')])
case('or_back_opus', [request_of('a'), response_of(*BACK['all'], 'b'), request_of('c')], model=OPUS)

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
