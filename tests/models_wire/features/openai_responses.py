"""OpenAI's Responses API."""

from __future__ import annotations

import base64
import importlib
from typing import Any

from _wire import Reply, as_json, as_sse
from kit import body_of_response, chat_model, response, response_events, text_deltas, text_item

from stead.exceptions import UserError
from stead.messages import (
    CompactionPart,
    NativeToolCallPart,
    NativeToolReturnPart,
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    TextPart,
    ThinkingPart,
    UploadedFile,
)
from stead.usage import RequestUsage

from ._features import BONN_JSON, FILE, PNG_64, SITE, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, Vendor


def build(name: str, **options: Any) -> Any:
    from stead.models.openai import OpenAIResponsesModel

    return OpenAIResponsesModel(name, **options)


def user(*content: Any) -> dict[str, Any]:
    return {'input': [{'role': 'user', 'content': list(content)}]}


def text(words: Any) -> dict[str, Any]:
    return {'type': 'input_text', 'text': words}


def called(name: str, arguments: str, item_id: str = 'fc-1', call_id: str = 'call-1') -> dict[str, Any]:
    return {'type': 'function_call', 'id': item_id, 'call_id': call_id, 'name': name, 'arguments': arguments}


def function(name: str, **fields: Any) -> dict[str, Any]:
    return {'type': 'function', 'name': name, 'parameters': {'type': 'object'}, **fields}


def item(whole: dict[str, Any], *between: dict[str, Any], begun: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the events of an item."""
    head = {'type': 'response.output_item.added', 'output_index': 0, 'item': {**whole, **(begun or {})}}
    end = {'type': 'response.output_item.done', 'output_index': 0, 'item': whole}
    return [head, *({'item_id': whole['id'], 'output_index': 0, **event} for event in between), end]


def call_events(name: str, *pieces: str, item_id: str = 'fc-1', call_id: str = 'call-1') -> list[dict[str, Any]]:
    deltas = [{'type': 'response.function_call_arguments.delta', 'delta': piece} for piece in pieces]
    return item(called(name, ''.join(pieces), item_id, call_id), *deltas, begun={'arguments': ''})


def events(*inner: Any, kind: str = 'response.completed', **fields: Any) -> Reply:
    """Return a stream that ends as `fields` of its response say."""
    end = {'type': kind, 'response': body_of_response(**fields)}
    start = {'type': 'response.created', 'response': body_of_response(status='in_progress', usage=None)}
    return as_sse([start, *inner, end], done=False, named=True)


VENDOR = Vendor(
    'openai-responses',
    'OpenAI Responses',
    '`OpenAIResponsesModel`: the Responses API.',
    'openai',
    provider=lambda server: chat_model(server).provider,
    build=build,
    model='gpt-5',
    answer=response(text_item('hello')),
)

# Conversation
VENDOR.sends('text', {'model': 'gpt-5', 'input': [{'role': 'user', 'content': 'hello'}]}, path='/responses')
VENDOR.answers('text', response(text_item('hello')), response_events(*text_deltas('hel', 'lo')))
VENDOR.sends('system-prompts', {'input': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends('instructions', {'instructions': 'Be brief.', 'input': [{'role': 'user', 'content': 'hello'}]})
VENDOR.sends('history', {'input': [ANY, {'role': 'assistant', 'content': 'two'}, {'role': 'user', 'content': 'three'}]})
VENDOR.sends(
    'compaction',
    {'context_management': [{'type': 'compaction', 'compact_threshold': 9000}]},
    capability=lambda: importlib.import_module('stead.models.openai').OpenAICompaction(token_threshold=9000),
    note='With the capability `OpenAICompaction`; the summaries are sealed.',
)
SUMMARY = {'type': 'compaction', 'id': 'cmp-1', 'encrypted_content': 'sealed'}
VENDOR.answers(
    'compaction',
    response(SUMMARY, text_item('hello')),
    response_events(*item(SUMMARY), *text_deltas('hello')),
    parts=[
        CompactionPart(id='cmp-1', provider_name='openai', provider_details={'encrypted_content': 'sealed'}),
        TextPart('hello'),
    ],
)
VENDOR.sends('compaction-history', {'input': [ANY, SUMMARY, ANY, ANY]}, reply=response(SUMMARY, text_item('hello')))
VENDOR.answers(
    'identity',
    response(text_item('hello')),
    response_events(*text_deltas('hello')),
    response={'provider_response_id': 'resp-1', 'model_name': 'gpt-5-2025'},
)

# What goes into prompts
VENDOR.sends('image-url', user(text('look'), {'type': 'input_image', 'image_url': f'{SITE}/a.png'}))
VENDOR.sends('image-bytes', user(ANY, {'type': 'input_image', 'image_url': f'data:image/png;base64,{PNG_64}'}))
VENDOR.lacks(
    'audio-url',
    why='The link goes along as that of a file; what happens to it is up to the vendor.',
    body=user(ANY, {'type': 'input_file', 'file_url': f'{SITE}/a.wav'}),
)
VENDOR.lacks('audio-bytes', error=UserError, match="takes no 'audio/wav'")
VENDOR.lacks('video-url', error=UserError, match='takes no VideoUrl')
VENDOR.lacks('video-bytes', error=UserError, match="takes no 'video/mp4'")
PDF = f'data:application/pdf;base64,{base64.b64encode(b"%PDF").decode()}'
VENDOR.sends('document-url', user(ANY, {'type': 'input_file', 'file_url': f'{SITE}/a.pdf'}))
VENDOR.sends('document-bytes', user(ANY, {'type': 'input_file', 'file_data': PDF, 'filename': 'filename.pdf'}))
TXT = f'data:text/plain;base64,{base64.b64encode(b"some text").decode()}'
VENDOR.sends('text-file', user(ANY, {'type': 'input_file', 'file_data': TXT}))
VENDOR.sends(
    'uploaded-file',
    user(ANY, {'type': 'input_file', 'file_id': 'file-1'}),
    messages=prompt('read', UploadedFile('file-1', provider_name='openai')),
)
IMAGE = {'type': 'input_image', 'image_url': Text(PNG_64)}
VENDOR.sends('tool-files', {'input': [ANY, ANY, {'type': 'function_call_output', 'output': [IMAGE]}]})

# Tools
VENDOR.sends(
    'tools', {'tools': [function('double', description='Double a number.'), function('triple')], 'tool_choice': 'auto'}
)
VENDOR.answers('tools', response(called('double', '{"x": 4}')), response_events(*call_events('double', '{"x"', ': 4}')))
VENDOR.sends('parallel-setting', {'parallel_tool_calls': False})
VENDOR.answers(
    'parallel-calls',
    response(called('double', '{"x":4}'), called('triple', '{"x":5}', 'fc-2', 'call-2')),
    response_events(
        *call_events('double', '{"x":4}'), *call_events('triple', '{"x"', ':5}', item_id='fc-2', call_id='call-2')
    ),
)
VENDOR.sends('empty-calls', {'input': [ANY, {'call_id': 'call-1', 'name': 'double', 'arguments': '{}'}, ANY]})
VENDOR.answers('empty-calls', response(called('double', '')), response_events(*call_events('double')))
AFTER_CALL = [ANY, {'type': 'function_call', 'call_id': 'call-1', 'name': 'double', 'arguments': '{"x":4}'}]
VENDOR.sends(
    'tool-results', {'input': [*AFTER_CALL, {'type': 'function_call_output', 'call_id': 'call-1', 'output': '8'}]}
)
AGAIN = {'type': 'function_call_output', 'call_id': 'call-1', 'output': Text('Use small numbers.')}
VENDOR.sends('tool-retries', {'input': [*AFTER_CALL, AGAIN]})
VENDOR.sends('strict-tools', {'tools': [{'strict': True, 'parameters': {'additionalProperties': False}}]})
VENDOR.sends('tool-choice-none', {'tools': [ANY, ANY], 'tool_choice': 'none'})
VENDOR.sends('tool-choice-required', {'tool_choice': 'required'})
VENDOR.sends('tool-choice-one', {'tool_choice': {'type': 'function', 'name': 'double'}, 'tools': [ANY, ANY]})

# Native tools
VENDOR.sends('web-search', {'tools': [{'type': 'web_search', 'search_context_size': 'medium'}]})
SEARCH = {'type': 'web_search_call', 'id': 'ws-1', 'status': 'completed', 'action': {'type': 'search', 'query': 'q'}}
VENDOR.answers(
    'web-search',
    response(SEARCH, text_item('hello')),
    response_events(*item(SEARCH, begun={'status': 'in_progress', 'action': None}), *text_deltas('hello')),
    parts=[
        NativeToolCallPart('web_search', {'type': 'search', 'query': 'q'}, 'ws-1'),
        NativeToolReturnPart('web_search', {'status': 'completed'}, 'ws-1'),
        TextPart('hello'),
    ],
)
VENDOR.lacks('web-fetch', REQUEST, error=UserError, match='native tool')
VENDOR.lacks('x-search', REQUEST, error=UserError, match='native tool')
for name in ('web-fetch', 'x-search'):
    VENDOR.lacks(name, 'response', 'stream')
VENDOR.lacks('memory', error=UserError, match='native tool')
VENDOR.sends('code-execution', {'tools': [{'type': 'code_interpreter', 'container': {'type': 'auto'}}]})
CODE = {
    'type': 'code_interpreter_call',
    'id': 'ci-1',
    'status': 'completed',
    'container_id': 'c-1',
    'code': 'print(1)',
    'outputs': [{'type': 'logs', 'logs': '1'}, {'type': 'image', 'url': f'data:image/png;base64,{PNG_64}'}],
}
VENDOR.answers(
    'code-execution',
    response(CODE),
    response_events(
        *item(
            CODE,
            {'type': 'response.code_interpreter_call_code.delta', 'delta': 'print'},
            {'type': 'response.code_interpreter_call_code.delta', 'delta': '(1)'},
            {'type': 'response.code_interpreter_call_code.done', 'code': 'print(1)'},
            begun={'code': '', 'outputs': None},
        )
    ),
    parts=[
        NativeToolCallPart('code_execution', {'container_id': 'c-1', 'code': 'print(1)'}, 'ci-1'),
        FILE,
        NativeToolReturnPart('code_execution', {'status': 'completed', 'logs': ['1']}, 'ci-1'),
    ],
)
VENDOR.sends('image-generation', {'tools': [{'type': 'image_generation', 'output_format': 'png', 'size': 'auto'}]})
DRAWN = {'type': 'image_generation_call', 'id': 'ig-1', 'status': 'completed', 'result': PNG_64, 'output_format': 'png'}
PARTIAL = {
    'type': 'response.image_generation_call.partial_image',
    'partial_image_index': 0,
    'partial_image_b64': base64.b64encode(b'half').decode(),
    'output_format': 'png',
}
DRAWING = response_events(*item(DRAWN, PARTIAL, begun={'result': None, 'status': 'in_progress'}))
VENDOR.answers(
    'image-generation',
    response(DRAWN),
    DRAWING,
    parts=[
        NativeToolCallPart('image_generation', None, 'ig-1'),
        FILE,
        NativeToolReturnPart('image_generation', {'status': 'completed'}, 'ig-1'),
    ],
)
VENDOR.sends('file-search', {'tools': [{'type': 'file_search', 'vector_store_ids': ['store-1']}]})
FOUND = {'type': 'file_search_call', 'id': 'fs-1', 'status': 'completed', 'queries': ['q'], 'results': [{'text': 't'}]}
VENDOR.answers(
    'file-search',
    response(FOUND),
    response_events(*item(FOUND, begun={'queries': [], 'results': None})),
    parts=[
        NativeToolCallPart('file_search', {'queries': ['q']}, 'fs-1'),
        NativeToolReturnPart('file_search', {'status': 'completed', 'results': [{'text': 't'}]}, 'fs-1'),
    ],
)
VENDOR.sends('mcp-server', {'tools': [{'type': 'mcp', 'server_label': 'srv', 'server_url': f'{SITE}/mcp'}]})
LISTED = {'type': 'mcp_list_tools', 'id': 'ml-1', 'server_label': 'srv', 'tools': [{'name': 'echo'}], 'error': None}
ECHO = {
    'type': 'mcp_call',
    'id': 'mcp-1',
    'server_label': 'srv',
    'name': 'echo',
    'arguments': '{"a":1}',
    'output': 'x',
    'error': None,
}
VENDOR.answers(
    'mcp-server',
    response(LISTED, ECHO),
    response_events(
        *item(LISTED),
        *item(
            ECHO,
            {'type': 'response.mcp_call_arguments.delta', 'delta': '{"a":1}'},
            {'type': 'response.mcp_call_arguments.done', 'arguments': '{"a":1}'},
            begun={'arguments': '', 'output': None},
        ),
    ),
    parts=[
        NativeToolCallPart('mcp_server:srv', {'action': 'list_tools'}, 'ml-1'),
        NativeToolReturnPart('mcp_server:srv', {'tools': [{'name': 'echo'}], 'error': None}, 'ml-1'),
        NativeToolCallPart(
            'mcp_server:srv', {'action': 'call_tool', 'tool_name': 'echo', 'tool_args': {'a': 1}}, 'mcp-1'
        ),
        NativeToolReturnPart('mcp_server:srv', {'output': 'x', 'error': None}, 'mcp-1'),
    ],
)
NEWER = 'gpt-5.4'
VENDOR.sends(
    'tool-search',
    {'tools': [{'type': 'tool_search'}, {'name': 'double'}, {'name': 'triple', 'defer_loading': True}]},
    model=NEWER,
    note='Models from GPT-5.4 on; for others stead searches by itself, with a function tool.',
)
VENDOR.sends('tool-search', {'tools': [{'name': 'double'}, {'name': 'search_tools'}]})
SERVED = {'call_id': None, 'execution': 'server', 'status': 'completed'}
ASKED_FOR = {'type': 'tool_search_call', 'id': 'ts-1', **SERVED, 'arguments': {'paths': ['triple']}}
TRIPLE = {
    'type': 'function',
    'name': 'triple',
    'description': 'Triple a number.',
    'parameters': {},
    'defer_loading': True,
}
SEARCH_OUTPUT = {'type': 'tool_search_output', 'id': 'to-1', **SERVED, 'tools': [TRIPLE]}
VENDOR.answers(
    'tool-search',
    response(ASKED_FOR, SEARCH_OUTPUT),
    response_events(*item(ASKED_FOR), *item(SEARCH_OUTPUT)),
    model=NEWER,
    parts=[
        NativeToolSearchCallPart(args={'queries': ['triple']}),
        NativeToolSearchReturnPart(
            content={'discovered_tools': [{'name': 'triple', 'description': 'Triple a number.'}]}
        ),
    ],
)
BACK = [
    {'type': 'web_search_call', 'id': 'ws-1', 'action': {'type': 'search', 'query': 'q'}, 'status': 'completed'},
    {'type': 'code_interpreter_call', 'id': 'ci-1', 'container_id': 'c-1', 'code': 'print(1)'},
    {'type': 'image_generation_call', 'id': 'ig-1'},
    {'type': 'file_search_call', 'id': 'fs-1', 'queries': ['q'], 'status': 'completed'},
    {'type': 'mcp_list_tools', 'id': 'ml-1', 'server_label': 'srv', 'tools': [{'name': 'echo'}]},
    {'type': 'mcp_call', 'id': 'mcp-1', 'server_label': 'srv', 'name': 'echo', 'arguments': '{"a":1}', 'output': 'x'},
]
VENDOR.sends('native-history', {'input': [ANY, *BACK, ANY]}, reply=response(SEARCH, CODE, DRAWN, FOUND, LISTED, ECHO))
VENDOR.sends('foreign-native-history', {'input': [ANY, {'role': 'assistant', 'content': 'b'}, ANY]})

# Output
VENDOR.sends('tool-output', {'tools': [function('final_result')], 'tool_choice': 'required'})
VENDOR.answers(
    'tool-output',
    response(called('final_result', BONN_JSON)),
    response_events(*call_events('final_result', BONN_JSON[:9], BONN_JSON[9:])),
)
FORM = {'type': 'json_schema', 'name': 'City', 'strict': True, 'schema': {'additionalProperties': False}}
VENDOR.sends('native-output', {'text': {'format': FORM}, 'tools': ABSENT})
VENDOR.sends(
    'prompted-output', {'text': {'format': {'type': 'json_object'}}, 'input': [{'content': Text('"people"')}, ANY]}
)
for name in ('native-output', 'prompted-output'):
    VENDOR.answers(name, response(text_item(BONN_JSON)), response_events(*text_deltas(BONN_JSON[:9], BONN_JSON[9:])))
VENDOR.answers('image-output', response(DRAWN), DRAWING)

# Thinking
VENDOR.sends('thinking-effort', {'reasoning': {'effort': 'low'}})


def reasoning(*summaries: str, **fields: Any) -> dict[str, Any]:
    summary = [{'type': 'summary_text', 'text': words} for words in summaries]
    return {'type': 'reasoning', 'id': 'rs-1', 'summary': summary, 'encrypted_content': 'sealed', **fields}


def reasoning_events(*pieces: str) -> list[dict[str, Any]]:
    begun = {'type': 'response.reasoning_summary_part.added', 'summary_index': 0, 'part': {'text': ''}}
    deltas = [{'type': 'response.reasoning_summary_text.delta', 'summary_index': 0, 'delta': piece} for piece in pieces]
    return item(reasoning(''.join(pieces)), begun, *deltas, begun={'summary': [], 'encrypted_content': None})


THOUGHT = (
    response(reasoning('let me see'), text_item('hello')),
    response_events(*reasoning_events('let ', 'me see'), *text_deltas('hello')),
)
VENDOR.answers(
    'thinking',
    *THOUGHT,
    pieces=['let ', 'me see', 'hello'],
    note='Summaries of it, if `openai_reasoning_summary` asks for them.',
)
SEALED = ThinkingPart('let me see', id='rs-1', signature='sealed')
VENDOR.answers('signatures', *THOUGHT, parts=[SEALED, TextPart('hello')])
VENDOR.sends(
    'thinking-history',
    {'input': [ANY, reasoning('let me see'), {'type': 'message', 'id': 'msg-1', 'content': [{'text': 'hello'}]}, ANY]},
    reply=THOUGHT[0],
)
VENDOR.sends('thinking-history', {'include': ['reasoning.encrypted_content']})
THOUGHT_AS_TEXT = {'role': 'assistant', 'content': '<think>\nhm\n</think>'}
VENDOR.sends('foreign-thinking', {'input': [ANY, THOUGHT_AS_TEXT, {'role': 'assistant', 'content': 'b'}, ANY]})

# Caches and costs
VENDOR.lacks(
    'cache-points',
    why='The vendor decides by itself what to cache; the points are left out.',
    body=user(text('long'), text('short')),
)
VENDOR.sends(
    'cache-settings',
    {'prompt_cache_key': 'key', 'prompt_cache_retention': '24h'},
    settings={'openai_prompt_cache_key': 'key', 'openai_prompt_cache_retention': '24h'},
    note='`openai_prompt_cache_key` and `openai_prompt_cache_retention`.',
)
USAGE = {
    'input_tokens': 10,
    'output_tokens': 5,
    'total_tokens': 15,
    'input_tokens_details': {'cached_tokens': 3},
    'output_tokens_details': {'reasoning_tokens': 2},
}
COUNTED = (
    response(text_item('hello'), usage=USAGE, model='gpt-5'),
    events(*text_deltas('hello'), usage=USAGE, model='gpt-5'),
)
VENDOR.answers('usage', *COUNTED)
VENDOR.answers('cached-usage', *COUNTED)
VENDOR.answers('usage-details', *COUNTED, response={'usage': RequestUsage(details={'reasoning_tokens': 2})})
VENDOR.answers('cost', *COUNTED)
TOKENS = as_json({'object': 'response.input_tokens', 'input_tokens': 17})
VENDOR.sends(
    'token-counting', {'model': 'gpt-5', 'input': [ANY], 'stream': ABSENT}, path='/responses/input_tokens', reply=TOKENS
)
VENDOR.reads('token-counting', TOKENS, result=RequestUsage(input_tokens=17))

# Settings
VENDOR.sends('max-tokens', {'max_output_tokens': 99})
REFUSED = 'Models that reason refuse it, so that stead leaves it out, with a warning.'
VENDOR.sends('temperature', {'temperature': 0.5}, model='gpt-4o', note=REFUSED)
VENDOR.sends('temperature', {'temperature': ABSENT}, warns='left out')
VENDOR.sends('top-p', {'top_p': 0.25}, model='gpt-4o', note=REFUSED)
VENDOR.sends('top-p', {'top_p': ABSENT}, warns='left out')
VENDOR.ignores('top-k', 'top_k')
VENDOR.ignores('seed', 'seed')
VENDOR.lacks('presence-penalty', REQUEST, body={'presence_penalty': ABSENT}, model='gpt-4o')
VENDOR.lacks('frequency-penalty', REQUEST, body={'frequency_penalty': ABSENT}, model='gpt-4o')
VENDOR.lacks('logit-bias', REQUEST, body={'logit_bias': ABSENT}, model='gpt-4o')
VENDOR.ignores('stop-sequences', 'stop', 'stop_sequences')
VENDOR.sends('service-tier', {'service_tier': 'flex'})
VENDOR.sends(
    'service-tier', {'service_tier': 'priority'}, settings={'service_tier': 'flex', 'openai_service_tier': 'priority'}
)
VENDOR.sends('extra-headers', headers={'x-team': 'blue', 'user-agent': Text('stead/')})
VENDOR.sends('extra-body', {'field_of_ours': 1})

# How answers end
CUT = {'status': 'incomplete', 'incomplete_details': {'reason': 'max_output_tokens'}}
FILTERED = {'status': 'incomplete', 'incomplete_details': {'reason': 'content_filter'}}
VENDOR.answers(
    'finish-reasons', response(text_item('a')), response_events(*text_deltas('a')), response={'finish_reason': 'stop'}
)
VENDOR.answers(
    'finish-reasons',
    response(text_item('a'), **CUT),
    events(*text_deltas('a'), kind='response.incomplete', **CUT),
    response={'finish_reason': 'length', 'provider_details': {'finish_reason': 'max_output_tokens'}},
)
VENDOR.answers(
    'finish-reasons',
    response(text_item('a'), status='bored'),
    events(*text_deltas('a'), status='bored'),
    response={'finish_reason': None, 'provider_details': {'finish_reason': 'bored'}},
)
REFUSAL = {**text_item(''), 'content': [{'type': 'refusal', 'refusal': 'I will not'}]}
VENDOR.answers(
    'refusals',
    response(REFUSAL),
    response_events(
        *item(
            REFUSAL,
            {'type': 'response.refusal.delta', 'content_index': 0, 'delta': 'I will '},
            {'type': 'response.refusal.delta', 'content_index': 0, 'delta': 'not'},
            begun={'content': []},
        )
    ),
    parts=[],
    response={'finish_reason': 'content_filter', 'provider_details': {'refusal': 'I will not'}},
)
VENDOR.answers('content-filter', response(**FILTERED), events(kind='response.incomplete', **FILTERED))
LIKELY = [{'token': 'hello', 'logprob': -0.5, 'bytes': [], 'top_logprobs': []}]
WORDS = {
    **text_item('hello'),
    'content': [{'type': 'output_text', 'text': 'hello', 'annotations': [], 'logprobs': LIKELY}],
}
VENDOR.sends(
    'logprobs',
    {'top_logprobs': 2, 'include': ['message.output_text.logprobs']},
    model='gpt-4o',
    settings={'openai_logprobs': True, 'openai_top_logprobs': 2},
    note='`openai_logprobs` and `openai_top_logprobs`; in `provider_details` of the text.',
)
VENDOR.answers(
    'logprobs',
    response(WORDS),
    response_events(*item(WORDS, *text_deltas('hello'), begun={'content': []})),
    parts=[TextPart('hello', provider_details={'logprobs': LIKELY})],
)
VENDOR.sends(
    'previous-response',
    {'previous_response_id': 'resp-1', 'input': [{'role': 'user', 'content': 'go on'}]},
    settings={'openai_previous_response_id': 'auto'},
    note='`openai_previous_response_id`, or `openai_conversation_id` for a conversation that OpenAI keeps.',
)
IN_CONVERSATION = response(text_item('hello'), conversation={'id': 'conv-1'})
VENDOR.sends(
    'previous-response',
    {'conversation': 'conv-1', 'input': [{'role': 'user', 'content': 'go on'}]},
    settings={'openai_conversation_id': 'auto'},
    reply=IN_CONVERSATION,
)
VENDOR.streams('cancel')
VENDOR.answers('http-errors')
VENDOR.answers('retry-after')
