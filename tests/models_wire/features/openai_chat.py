"""OpenAI's chat completions."""

from __future__ import annotations

import base64
import importlib
from typing import Any

from _wire import Reply, as_sse
from kit import call, chat_model, chunk, chunks, completion

from stead.exceptions import UserError
from stead.messages import TextPart, ThinkingPart, UploadedFile
from stead.usage import RequestUsage

from ._features import BONN_JSON, LOCAL_SEARCH, PNG_64, SITE, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor


def build(name: str, **options: Any) -> Any:
    from stead.models.openai import OpenAIChatModel

    return OpenAIChatModel(name, **options)


def chat_provider(module: str, provider: str, model: str, *, by_url: bool = False) -> dict[str, Any]:
    """Return how to reach a vendor that speaks chat completions in its own way: its provider and its model."""

    def connect(server: Any) -> Any:
        kind: Any = getattr(importlib.import_module(f'stead.providers.{module}'), provider)

        class Provider(kind):
            def _client_options(self, sdk: Any) -> dict[str, Any]:
                return {**super()._client_options(sdk), 'max_retries': 0, 'base_url': server.url}

        where = {'base_url': server.url} if by_url else {}
        return Provider(api_key='sk-secret-of-ours', **where)

    def make(name: str, **options: Any) -> Any:
        return getattr(importlib.import_module(f'stead.models.{module}'), model)(name, **options)

    return {'provider': connect, 'build': make}


def user(*content: Any) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(content)}]}


def text(words: str) -> dict[str, str]:
    return {'type': 'text', 'text': words}


def says(words: str | None, **fields: Any) -> dict[str, Any]:
    return {'role': 'assistant', 'content': words, **fields}


def function(name: str, **fields: Any) -> dict[str, Any]:
    return {'type': 'function', 'function': {'name': name, 'parameters': {'type': 'object'}, **fields}}


def called(name: str, arguments: str, call_id: str) -> dict[str, Any]:
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}


def piece(arguments: str, index: int = 0, **fields: Any) -> dict[str, Any]:
    function = {'arguments': arguments, **({'name': fields.pop('name')} if 'name' in fields else {})}
    return {'tool_calls': [{'index': index, 'function': function, **fields}]}


VENDOR = Vendor(
    'openai-chat',
    'OpenAI Chat',
    '`OpenAIChatModel`: chat completions, of OpenAI and of [all servers that speak them](models.md#providers).',
    'openai',
    provider=lambda server: chat_model(server).provider,
    build=build,
    model='gpt-4o',
    answer=completion(),
)

# Conversation
VENDOR.sends('text', {'model': 'gpt-4o', 'messages': [{'role': 'user', 'content': 'hello'}], 'stream': False})
VENDOR.sends('text', path='/chat/completions')
VENDOR.answers(
    'text', completion(), chunks({'role': 'assistant', 'content': ''}, {'content': 'hel'}, {'content': 'lo'})
)
VENDOR.sends('system-prompts', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends('instructions', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends(
    'history', {'messages': [{'role': 'user', 'content': 'one'}, says('two'), {'role': 'user', 'content': 'three'}]}
)
VENDOR.reads('identity', completion(), response={'provider_response_id': 'c1', 'model_name': 'gpt-4o-2024'})
VENDOR.streams('identity', chunks({'content': 'a'}), response={'provider_response_id': 'c1', 'model_name': 'gpt-4o'})

VENDOR.lacks('compaction')
VENDOR.lacks('compaction-history')

# What goes into prompts
VENDOR.sends('image-url', user(text('look'), {'type': 'image_url', 'image_url': {'url': f'{SITE}/a.png'}}))
VENDOR.sends('image-bytes', user(ANY, {'type': 'image_url', 'image_url': {'url': f'data:image/png;base64,{PNG_64}'}}))
RIFF = {'type': 'input_audio', 'input_audio': {'data': base64.b64encode(b'RIFF').decode(), 'format': 'wav'}}
FORMATS = 'Only wav and mp3; another format is a `UserError`.'
VENDOR.sends('audio-url', user(ANY, RIFF), download=(b'RIFF', 'audio/wav'), note=FORMATS)
VENDOR.sends('audio-bytes', user(ANY, RIFF), note=FORMATS)
VENDOR.lacks('video-url', error=UserError, match='take no videos')
VENDOR.lacks('video-bytes', error=UserError, match="take no 'video/mp4'")
PDF = {'file_data': f'data:application/pdf;base64,{base64.b64encode(b"%PDF").decode()}', 'filename': 'filename.pdf'}
VENDOR.sends('document-url', user(ANY, {'type': 'file', 'file': PDF}), download=(b'%PDF', 'application/pdf'))
VENDOR.sends('document-bytes', user(ANY, {'type': 'file', 'file': PDF}))
VENDOR.sends(
    'text-file',
    user(ANY, {'type': 'text', 'text': Text('some text', 'id="f1"')}),
    note='As text, with its name around it.',
)
VENDOR.sends(
    'uploaded-file',
    user(ANY, {'type': 'file', 'file': {'file_id': 'file-1'}}),
    messages=prompt('read', UploadedFile('file-1', provider_name='openai')),
)
SEEN = [{'type': 'text', 'text': ANY}, {'type': 'image_url', 'image_url': {'url': Text(PNG_64)}}]
VENDOR.sends(
    'tool-files',
    {'messages': [ANY, ANY, {'role': 'tool', 'content': Text('f1')}, {'role': 'user', 'content': SEEN}]},
    note='Results are text, so the files follow in a prompt.',
)

# Tools
VENDOR.sends(
    'tools', {'tools': [function('double', description='Double a number.'), function('triple')], 'tool_choice': 'auto'}
)
VENDOR.answers(
    'tools',
    completion(call('double', '{"x": 4}'), 'tool_calls'),
    chunks(piece('{"x"', name='double', id='call-1'), piece(': 4}'), reason='tool_calls'),
    response={'finish_reason': 'tool_call'},
)
VENDOR.sends('parallel-setting', {'parallel_tool_calls': False})
VENDOR.answers(
    'parallel-calls',
    completion(says(None, tool_calls=[called('double', '{"x":4}', 'call-1'), called('triple', '{"x":5}', 'call-2')])),
    chunks(piece('{"x":4}', name='double', id='call-1'), piece('{"x"', 1, name='triple', id='call-2'), piece(':5}', 1)),
)
VENDOR.sends('empty-calls', {'messages': [ANY, {'tool_calls': [called('double', '{}', 'call-1')]}, ANY]})
VENDOR.answers(
    'empty-calls',
    completion(call('double', ''), 'tool_calls'),
    chunks(piece('', name='double', id='call-1'), reason='tool_calls'),
)
AFTER_CALL = [ANY, says(None, tool_calls=[called('double', '{"x":4}', 'call-1')])]
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, AGAIN]})
VENDOR.sends('strict-tools', {'tools': [{'function': {'strict': True, 'parameters': {'additionalProperties': False}}}]})
VENDOR.sends('tool-choice-none', {'tools': [ANY, ANY], 'tool_choice': 'none'})
VENDOR.sends('tool-choice-required', {'tool_choice': 'required'})
VENDOR.sends(
    'tool-choice-one', {'tool_choice': {'type': 'function', 'function': {'name': 'double'}}, 'tools': [ANY, ANY]}
)

# Native tools
VENDOR.sends(
    'web-search',
    {'web_search_options': {'search_context_size': 'medium'}},
    model='gpt-4o-search-preview',
    note='Only models made for searching; the answer does not say what was searched.',
)
VENDOR.lacks('web-search', RESPONSE, STREAM)
for name in ('web-fetch', 'x-search', 'code-execution', 'image-generation', 'file-search', 'mcp-server'):
    VENDOR.lacks(name, REQUEST, error=UserError, match='native tool')
    VENDOR.lacks(name, RESPONSE, STREAM)
VENDOR.lacks(
    'tool-search',
    REQUEST,
    why=LOCAL_SEARCH,
    body={'tools': [{'function': {'name': 'double'}}, {'function': {'name': 'search_tools'}}]},
)
VENDOR.lacks('tool-search', RESPONSE, STREAM)
VENDOR.lacks('memory', error=UserError, match='native tool')
VENDOR.lacks('native-history')
VENDOR.sends('foreign-native-history', {'messages': [ANY, says('b'), ANY]})

# Output
VENDOR.sends('tool-output', {'tools': [function('final_result')], 'tool_choice': 'required'})
VENDOR.answers(
    'tool-output',
    completion(call('final_result', BONN_JSON), 'tool_calls'),
    chunks(piece(BONN_JSON[:9], name='final_result', id='c'), piece(BONN_JSON[9:]), reason='tool_calls'),
)
FORM = {
    'type': 'json_schema',
    'json_schema': {'name': 'City', 'strict': True, 'schema': {'additionalProperties': False}},
}
VENDOR.sends('native-output', {'response_format': FORM, 'tools': ABSENT})
VENDOR.sends(
    'prompted-output', {'response_format': {'type': 'json_object'}, 'messages': [{'content': Text('"people"')}, ANY]}
)
for name in ('native-output', 'prompted-output'):
    VENDOR.answers(name, completion(says(BONN_JSON)), chunks({'content': BONN_JSON[:9]}, {'content': BONN_JSON[9:]}))
VENDOR.lacks('image-output')

# Thinking
VENDOR.sends('thinking-effort', {'reasoning_effort': 'low'}, model='gpt-5')
THOUGHT = ThinkingPart('let me see', id='reasoning_content')
VENDOR.answers(
    'thinking',
    completion(says('hello', reasoning_content='let me see')),
    chunks({'reasoning_content': 'let '}, {'reasoning_content': 'me see'}, {'content': 'hello'}),
    parts=[THOUGHT, TextPart('hello')],
    pieces=['let ', 'me see', 'hello'],
    note="OpenAI's own models do not show it here; servers of others do, in fields of their own or between tags.",
)
TAGGED = ThinkingPart('let me see', id='content')
VENDOR.reads('thinking', completion(says('<think>let me see</think>hello')), parts=[TAGGED, TextPart('hello')])
VENDOR.streams(
    'thinking',
    chunks({'content': '<think>'}, {'content': 'let me see'}, {'content': '</think>'}, {'content': 'hello'}),
    parts=[TAGGED, TextPart('hello')],
    pieces=['let me see', 'hello'],
)
VENDOR.lacks('signatures')
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, says('hello', reasoning_content='let me see'), ANY]},
    reply=completion(says('hello', reasoning_content='let me see')),
    note='In the field that it came in.',
)
VENDOR.sends('foreign-thinking', {'messages': [ANY, says('<think>\nhm\n</think>\n\nb'), ANY]})

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
    'prompt_tokens': 10,
    'completion_tokens': 5,
    'total_tokens': 15,
    'prompt_tokens_details': {'cached_tokens': 3, 'audio_tokens': 1},
    'completion_tokens_details': {'reasoning_tokens': 2, 'audio_tokens': 4, 'accepted_prediction_tokens': 6},
}


def counted(model: str) -> tuple[Reply, Reply]:
    """Return an answer with usage, whole and streamed."""
    pieces = [
        chunk({'content': 'hello'}, model=model),
        chunk({}, 'stop'),
        chunk({}, usage=USAGE, choices=[], model=model),
    ]
    return completion(usage=USAGE, model=model), as_sse(pieces)


COUNTED = counted('gpt-4o')
VENDOR.answers('usage', *COUNTED)
VENDOR.answers('cached-usage', *COUNTED)
DETAILS = {'reasoning_tokens': 2, 'accepted_prediction_tokens': 6}
VENDOR.answers(
    'usage-details',
    *COUNTED,
    response={'usage': RequestUsage(input_audio_tokens=1, output_audio_tokens=4, details=DETAILS)},
)
VENDOR.answers('cost', *COUNTED)
VENDOR.lacks('token-counting', error=NotImplementedError, match='cannot count tokens')

# Settings
VENDOR.sends('max-tokens', {'max_completion_tokens': 99})
VENDOR.sends(
    'temperature',
    {'temperature': 0.5},
    note='Models that reason refuse it, so that stead leaves it out, with a warning.',
)
VENDOR.sends('temperature', {'temperature': ABSENT}, model='gpt-5', warns='left out')
VENDOR.sends(
    'top-p', {'top_p': 0.25}, note='Models that reason refuse it, so that stead leaves it out, with a warning.'
)
VENDOR.sends('top-p', {'top_p': ABSENT}, model='gpt-5', warns='left out')
VENDOR.ignores('top-k', 'top_k')
VENDOR.sends('seed', {'seed': 7})
VENDOR.sends('presence-penalty', {'presence_penalty': 0.1})
VENDOR.sends('frequency-penalty', {'frequency_penalty': 0.2})
VENDOR.sends('logit-bias', {'logit_bias': {'1': 2}})
VENDOR.sends('stop-sequences', {'stop': ['END']})
VENDOR.sends('service-tier', {'service_tier': 'flex'})
VENDOR.sends(
    'service-tier', {'service_tier': 'priority'}, settings={'service_tier': 'flex', 'openai_service_tier': 'priority'}
)
VENDOR.sends('extra-headers', headers={'x-team': 'blue', 'user-agent': Text('stead/')})
VENDOR.sends('extra-body', {'field_of_ours': 1})

# How answers end
REASONS = {
    'stop': 'stop',
    'length': 'length',
    'tool_calls': 'tool_call',
    'content_filter': 'content_filter',
    'bored': None,
}
for vendor_reason, reason in REASONS.items():
    VENDOR.answers(
        'finish-reasons',
        completion(reason=vendor_reason),
        chunks({'content': 'hello'}, reason=vendor_reason),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': vendor_reason}},
    )
VENDOR.answers(
    'refusals',
    completion(says(None, refusal='I will not')),
    chunks({'refusal': 'I will '}, {'refusal': 'not'}),
    parts=[],
    response={'finish_reason': 'content_filter', 'provider_details': {'refusal': 'I will not'}},
)
VENDOR.answers(
    'content-filter', completion(says(None), 'content_filter'), chunks({'role': 'assistant'}, reason='content_filter')
)
VENDOR.sends(
    'logprobs',
    {'logprobs': True, 'top_logprobs': 2},
    settings={'openai_logprobs': True, 'openai_top_logprobs': 2},
    note='`openai_logprobs` and `openai_top_logprobs`; in `provider_details` of the response.',
)


def likely(word: str) -> dict[str, Any]:
    return {'content': [{'token': word, 'logprob': -0.5, 'bytes': None, 'top_logprobs': []}], 'refusal': None}


def with_likely(word: str) -> dict[str, Any]:
    choice = {'index': 0, 'delta': {'content': word}, 'finish_reason': None, 'logprobs': likely(word)}
    return chunk({}, choices=[choice])


VENDOR.reads(
    'logprobs',
    completion(choices=[{'index': 0, 'message': says('hello'), 'finish_reason': 'stop', 'logprobs': likely('hello')}]),
    response={'provider_details': {'logprobs': [{'token': 'hello', 'logprob': -0.5}]}},
)
VENDOR.streams(
    'logprobs',
    as_sse([with_likely('hel'), with_likely('lo'), chunk({}, 'stop')]),
    response={'provider_details': {'logprobs': [{'token': 'hel'}, {'token': 'lo', 'logprob': -0.5}]}},
)
VENDOR.lacks('previous-response')
VENDOR.streams('cancel')
VENDOR.answers('http-errors')
VENDOR.answers('retry-after')


def add_compatible_rows(vendor: Vendor) -> None:
    """Say what is alike at all vendors but OpenAI that speak chat completions."""
    vendor.sends('text', {'model': vendor.model, 'messages': [{'role': 'user', 'content': 'hello'}], 'stream': False})
    file = UploadedFile('file-1', provider_name='openai')
    vendor.lacks('uploaded-file', messages=prompt('read', file), error=UserError, match='Upload it there')
    vendor.sends('temperature', {'temperature': 0.5})
    vendor.sends('top-p', {'top_p': 0.25})
    vendor.anew('cost')
    vendor.answers('cost', *counted(vendor.model))
    thought = VENDOR.cells['thinking', RESPONSE].cases, VENDOR.cells['thinking', STREAM].cases
    for whole, streamed in zip(*thought):
        vendor.reads('thinking', **whole)
        vendor.streams('thinking', **streamed)
