"""What OpenRouter says of its answers, whole and piece by piece, and how it is sent back."""

from __future__ import annotations

from typing import Any

from _compatible import Cases, chunk, completion
from _openrouter_models import OPUS
from _vocabulary import request_of, response_of
from _wire import Reply, as_json

from stead.messages import ThinkingPart, ToolCallPart, ToolReturnPart

cases = Cases()
case, stream = cases.add, cases.stream

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
