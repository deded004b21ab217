"""OpenRouter: its settings, reasoning, cache points and errors; see `record.py`."""

from __future__ import annotations

from typing import Any

from _facts import R, U
from _houses import OUT, Cases, ch, client_of, completion, out, tool, tool2
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
from stead.models import ModelRequestParameters as P
from stead.native_tools import WebSearchTool

cases = Cases()
case, sc, run = cases.add, cases.stream, cases.run
__all__ = ('cases', 'client_of', 'run')
OPUS, GEMINI = 'anthropic/claude-opus-4.5', 'google/gemini-2.5-pro'

OR: dict[str, Any] = {
    'models': ['a/b', 'c/d'],
    'provider': {'order': ['anthropic'], 'allow_fallbacks': False, 'sort': 'price', 'max_price': {'prompt': 1}},
    'preset': 'mine',
    'transforms': ['middle-out'],
    'reasoning': {'effort': 'high', 'exclude': True},
    'usage': {'include': True},
}
for name, value in OR.items():
    case(f'or_set_{name}', settings={f'openrouter_{name}': value})
case('or_set_all', settings={f'openrouter_{name}': value for name, value in OR.items()})
case('or_set_body', settings={'openrouter_models': ['a/b'], 'extra_body': {'mine': 1, 'models': ['z']}})
case('or_reasoning_over_thinking', settings={'openrouter_reasoning': {'max_tokens': 5}, 'thinking': 'low'})
case('or_reasoning_none', settings={'openrouter_reasoning': {'effort': 'none'}})
case('or_reasoning_empty', settings={'openrouter_reasoning': {}})
for name in (OPUS, GEMINI, 'openai/gpt-5', 'openai/o3', 'x-ai/grok-4', 'deepseek/deepseek-r1', 'openai/gpt-5.2:online'):
    case(f'or_native_{name}', params=P(output_object=OUT, output_mode='native', function_tools=[tool]), model=name)
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


def said(*details: Any, **fields: Any) -> Reply:
    message = {'role': 'assistant', 'content': 'hi', 'reasoning': 'all', 'reasoning_details': list(details), **fields}
    return as_json(completion(message))


case('or_details_text', reply=said(TEXT))
case('or_details_summary', reply=said(SUMMARY))
case('or_details_secret', reply=said(SECRET))
case('or_details_all', reply=said(TEXT, SUMMARY, SECRET))
case('or_details_bare_text', reply=said({'type': 'reasoning.text', 'text': 'because'}))
case('or_details_nulls', reply=said({**TEXT, 'signature': None, 'format': None, 'id': None, 'index': None}))
case('or_details_unknown_format', reply=said({**TEXT, 'format': 'mine-v1'}))
case('or_details_empty', reply=said())
case('or_details_null', reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'reasoning_details': None})))
case('or_details_no_summary', reply=said({'type': 'reasoning.summary', 'summary': ''}))
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
        sc(f'or_finish_{finish}', ch({'content': 'a'}), ch({}, finish))
        sc(f'or_finish_native_none_{finish}', ch({'content': 'a'}), ch({}, finish, {'native_finish_reason': None}))
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
    sc(f'or_err_{name}', ch({'content': 'a'}), ch({}, 'error', error=error))
    sc(f'or_err_first_{name}', ch({'content': ''}, 'error', error=error))
case('or_status', reply=as_json({'error': {'message': 'boom', 'code': 402}}, status=402))

# Reasoning, piece by piece.
sc(
    'or_details_text',
    ch({'content': '', 'reasoning': 'be', 'reasoning_details': [{**TEXT, 'text': 'be', 'signature': None}]}),
    ch({'content': '', 'reasoning_details': [{**TEXT, 'text': 'cause', 'signature': None}]}),
    ch({'content': '', 'reasoning_details': [{**TEXT, 'text': '', 'signature': 'sig'}]}),
    ch({'content': 'a'}, 'stop'),
)
sc(
    'or_details_summary',
    ch({'reasoning_details': [{**SUMMARY, 'summary': 'in '}]}),
    ch({'reasoning_details': [{**SUMMARY, 'summary': 'short'}]}),
    ch({'reasoning_details': [SECRET]}),
    ch({'content': 'a'}, 'stop'),
)
sc('or_details_same_chunk', ch({'reasoning_details': [TEXT, SUMMARY, SECRET], 'content': 'a'}), ch({}, 'stop'))
sc(
    'or_details_two_texts',
    ch({'reasoning_details': [TEXT, {**TEXT, 'text': 'more', 'index': 1}]}),
    ch({'content': 'a'}, 'stop'),
)
sc(
    'or_details_secret',
    ch({'reasoning_details': [{**SECRET, 'data': 'X'}]}),
    ch({'reasoning_details': [{**SECRET, 'data': 'Y'}]}),
    ch({'content': 'a'}, 'stop'),
)
sc('or_details_late', ch({'content': 'a'}), ch({'reasoning_details': [TEXT]}), ch({'content': 'b'}, 'stop'))
sc(
    'or_details_noindex',
    ch({'reasoning_details': [{'type': 'reasoning.text', 'text': 'be'}]}),
    ch({'reasoning_details': [{'type': 'reasoning.text', 'text': 'cause'}]}),
    ch({'content': 'a'}, 'stop'),
)
sc(
    'or_details_nulls',
    ch({'reasoning_details': [{**TEXT, 'signature': None, 'format': None, 'id': None, 'index': None}]}),
    ch({'content': 'a'}, 'stop'),
)
sc(
    'or_details_call',
    ch(
        {
            'reasoning_details': [{**SECRET, 'id': 'call-1'}],
            'tool_calls': [
                {'index': 0, 'id': 'call-1', 'type': 'function', 'function': {'name': 't1', 'arguments': '{}'}}
            ],
        }
    ),
    ch({}, 'tool_calls'),
)
sc('or_notes', ch({'content': 'a', 'annotations': [CITATION]}), ch({}, 'stop'))
sc('or_images', ch({'content': 'a', 'images': [PICTURE]}), ch({}, 'stop'))
sc('or_provider_changes', ch({'content': 'a'}, provider='A'), ch({'content': 'b'}, 'stop', provider='B'))
sc('or_provider_missing', {**ch({'content': 'a'}), 'provider': None}, ch({'content': 'b'}, 'stop', provider='B'))
sc('or_keepalive', b': OPENROUTER PROCESSING\n\n', ch({'content': 'a'}, 'stop'))
sc('or_only_keepalive', b': OPENROUTER PROCESSING\n\n')
sc(
    'or_tags',
    ch({'content': '<think>'}),
    ch({'content': 'a'}),
    ch({'content': '</think>'}),
    ch({'content': 'b'}, 'stop'),
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
    case(f'or_back_{name}', [U('a'), R(*parts, 'b'), U('c')])
    case(
        f'or_back_call_{name}',
        [U('a'), R(*parts, ToolCallPart('t1', {'x': 1}, 'id1')), U(ToolReturnPart('t1', 'r', 'id1'))],
    )
case('or_back_only', [U('a'), R(*BACK['secret']), U('c')])
case('or_back_opus', [U('a'), R(*BACK['all'], 'b'), U('c')], model=OPUS)

# Cache points.
INSTRUCTED = [
    ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')
]
PARTS = P(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)])
TALK = [U('a'), R('b'), U('c', 'd')]
RETURNS = [U('a'), R(ToolCallPart('t1', {'x': 1}, 'id1')), U(ToolReturnPart('t1', 'r', 'id1'))]
for model in (OPUS, GEMINI, 'openai/gpt-4o'):
    name = model.partition('/')[0]
    case(f'or_cache_{name}_points', [U(['a', CachePoint(), 'b', CachePoint(ttl='1h'), 'c'])], model=model)
    for ttl in (True, '1h'):
        case(f'or_cache_{name}_instr_{ttl}', INSTRUCTED, settings={'openrouter_cache_instructions': ttl}, model=model)
        case(f'or_cache_{name}_parts_{ttl}', params=PARTS, settings={'openrouter_cache_instructions': ttl}, model=model)
        case(f'or_cache_{name}_msg_{ttl}', TALK, settings={'openrouter_cache_messages': ttl}, model=model)
        case(f'or_cache_{name}_ret_{ttl}', RETURNS, settings={'openrouter_cache_messages': ttl}, model=model)
        case(
            f'or_cache_{name}_tools_{ttl}',
            params=P(function_tools=[tool, tool2], output_tools=[out]),
            settings={'openrouter_cache_tool_definitions': ttl},
            model=model,
        )
    case(
        f'or_cache_{name}_all',
        [
            U(
                SystemPromptPart('s1'),
                ['a', CachePoint(), 'b', CachePoint(), 'c', CachePoint(), 'd', CachePoint(), 'e', CachePoint()],
            )
        ],
        params=P(function_tools=[tool], instruction_parts=PARTS.instruction_parts),
        settings={
            'openrouter_cache_instructions': True,
            'openrouter_cache_messages': True,
            'openrouter_cache_tool_definitions': True,
        },
        model=model,
    )
case('or_cache_first', [U([CachePoint(), 'a'])], model=OPUS)
case('or_cache_twice', [U(['a', CachePoint(), CachePoint(ttl='1h')])], model=OPUS)
case('or_cache_image', [U([ImageUrl('https://a.b/c.png'), CachePoint(), 'x'])], model=OPUS)
case('or_cache_text_content', [U([TextContent('a'), CachePoint()])], model=OPUS)
case('or_cache_only', [U([CachePoint()])], model=OPUS)
case('or_cache_msg_point', [U(['a', CachePoint(ttl='1h')])], settings={'openrouter_cache_messages': True}, model=OPUS)
case('or_cache_msg_plain', settings={'openrouter_cache_messages': True}, model=OPUS)
case(
    'or_cache_msg_image', [U([ImageUrl('https://a.b/c.png')])], settings={'openrouter_cache_messages': True}, model=OPUS
)
case('or_cache_msg_answer', [U('a'), R('b')], settings={'openrouter_cache_messages': True}, model=OPUS)
case(
    'or_cache_msg_calls',
    [U('a'), R(ToolCallPart('t1', {'x': 1}, 'id1'))],
    settings={'openrouter_cache_messages': True},
    model=OPUS,
)
case(
    'or_cache_msg_retry',
    [U('a'), R('b'), U(RetryPromptPart('bad'))],
    settings={'openrouter_cache_messages': True},
    model=OPUS,
)
case('or_cache_msg_system', [U(SystemPromptPart('s'))], settings={'openrouter_cache_messages': True}, model=OPUS)
case(
    'or_cache_off',
    TALK,
    settings={'openrouter_cache_messages': False, 'openrouter_cache_instructions': False},
    model=OPUS,
)
case('or_cache_instr_none', settings={'openrouter_cache_instructions': True}, model=OPUS)
case(
    'or_cache_instr_system_only',
    [U(SystemPromptPart('s'), 'a')],
    settings={'openrouter_cache_instructions': True},
    model=OPUS,
)
case(
    'or_cache_instr_later',
    [U(SystemPromptPart('s'), 'a'), R('b'), U(SystemPromptPart('s2'), 'c')],
    settings={'openrouter_cache_instructions': True},
    model=OPUS,
)
DYN = [InstructionPart(content='A', dynamic=True), InstructionPart(content='B', dynamic=True)]
STA = [InstructionPart(content='A'), InstructionPart(content='B')]
for name, parts in {'dyn': DYN, 'static': STA, 'dyn_first': [DYN[0], STA[1]]}.items():
    for model in (OPUS, GEMINI):
        where = model[:4]
        case(
            f'or_cache_{where}_{name}',
            params=P(instruction_parts=parts),
            settings={'openrouter_cache_instructions': True},
            model=model,
        )
        case(
            f'or_cache_{where}_{name}_sys',
            [U(SystemPromptPart('s'), 'a')],
            params=P(instruction_parts=parts),
            settings={'openrouter_cache_instructions': True},
            model=model,
        )
case(
    'or_cache_many',
    [
        U(['a', CachePoint(), 'b', CachePoint(ttl='1h')]),
        R('x'),
        U(['c', CachePoint(), 'd', CachePoint(), 'e', CachePoint()]),
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
    case(f'or_content_{name}', [U(['look', content])])
case('or_content_return', [U('a'), R(ToolCallPart('t1', {}, 'id1')), U(ToolReturnPart('t1', MP4, 'id1'))])
case('or_cache_first_openai', [U([CachePoint(), 'a'])])
case('or_cache_video', [U([MP4, CachePoint()])], model=GEMINI)
LOCATED = WebSearchTool(user_location={'country': 'DE'}, allowed_domains=['a.b'], blocked_domains=['c.d'], max_uses=3)
case('or_web_located', params=P(native_tools=[LOCATED]))
case('or_web_plain', params=P(native_tools=[WebSearchTool()]))
case(
    'or_web_stream_settings',
    params=P(native_tools=[WebSearchTool()]),
    settings={'openrouter_models': ['a'], 'extra_body': {'plugins': [{'id': 'x'}], 'web_search_options': {'y': 1}}},
)
for name in ('auto', 'required', ['t1']):
    for house, model in (('opus', OPUS), ('gem', GEMINI)):
        for thinking in (False, 'low'):
            settings = {'tool_choice': name, 'thinking': thinking}
            case(
                f'or_choice_{house}_{thinking}_{name}',
                params=P(function_tools=[tool, tool2]),
                settings=settings,
                model=model,
            )
case(
    'or_out_think',
    params=P(output_tools=[out], output_mode='tool', allow_text_output=False),
    settings={'openrouter_reasoning': {'effort': 'low'}},
    model=OPUS,
)
case(
    'or_out_think2',
    params=P(output_tools=[out], output_mode='tool', allow_text_output=False),
    settings={'thinking': 'low'},
    model=OPUS,
)
case('or_out_opus', params=P(output_tools=[out], output_mode='tool', allow_text_output=False), model=OPUS)
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
for name in OR:
    for empty in ([], {}, '', None):
        case(f'or_set_{name}_empty_{empty!r}', settings={f'openrouter_{name}': empty})
case('or_set_reasoning_empty_thinking', settings={'openrouter_reasoning': {}, 'thinking': 'low'})
