"""Anthropic's Messages API."""

from __future__ import annotations

import base64
import importlib
from typing import Any

from _vocabulary import Parameters
from _wire import Reply, as_json, as_sse
from kit import anthropic_model, block, message, message_events

from stead.exceptions import UserError
from stead.messages import (
    CompactionPart,
    InstructionPart,
    NativeToolCallPart,
    NativeToolReturnPart,
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    TextPart,
    ThinkingPart,
    UploadedFile,
)
from stead.usage import RequestUsage

from ._features import BONN_JSON, DOUBLE, PNG_64, SITE, TRIPLE, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor


def build(name: str, **options: Any) -> Any:
    from stead.models.anthropic import AnthropicModel

    return AnthropicModel(name, **options)


def user(*content: Any) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(content)}]}


def text(words: Any) -> dict[str, Any]:
    return {'type': 'text', 'text': words}


def use(name: str, arguments: Any, call_id: str = 'call-1') -> dict[str, Any]:
    return {'type': 'tool_use', 'id': call_id, 'name': name, 'input': arguments}


def function(name: str, **fields: Any) -> dict[str, Any]:
    return {'name': name, 'input_schema': {'type': 'object'}, **fields}


def words(place: int, *pieces: str) -> list[Any]:
    return block(place, text(''), *({'type': 'text_delta', 'text': piece} for piece in pieces))


def arguments(place: int, begun: dict[str, Any], *pieces: str) -> list[Any]:
    deltas = ({'type': 'input_json_delta', 'partial_json': piece} for piece in pieces)
    return block(place, {**begun, 'input': {}}, *deltas)


def events(*blocks: list[Any], start: Any = None, usage: Any = None, **delta: Any) -> Reply:
    """Return a stream whose first and last events say more."""
    head = {'id': 'm1', 'type': 'message', 'role': 'assistant', 'model': 'claude-2025', 'content': []}
    head.update(stop_reason=None, stop_sequence=None, usage={'input_tokens': 10, 'output_tokens': 1})
    head.update(start or {})
    inner = [{'type': 'message_start', 'message': head}, *(event for each in blocks for event in each)]
    end = {
        'type': 'message_delta',
        'delta': {'stop_reason': 'end_turn', **delta},
        'usage': usage or {'output_tokens': 5},
    }
    return as_sse([*inner, end, {'type': 'message_stop'}], done=False, named=True)


VENDOR = Vendor(
    'anthropic',
    'Anthropic',
    '`AnthropicModel`: the Messages API.',
    'anthropic',
    provider=lambda server: anthropic_model(server).provider,
    build=build,
    model='claude-sonnet-4-5',
    answer=message(text('hello')),
)

# Conversation
VENDOR.sends(
    'text', {'model': 'claude-sonnet-4-5', 'max_tokens': 4096, **user(text('hello'))}, path=Text('/v1/messages')
)
VENDOR.answers('text', message(text('hello')), message_events(words(0, 'hel', 'lo')))
VENDOR.sends('system-prompts', {'system': 'Be brief.', **user(text('hello'))})
VENDOR.sends('instructions', {'system': [text('Be brief.')], **user(text('hello'))})
VENDOR.sends('history', {'messages': [ANY, {'role': 'assistant', 'content': [text('two')]}, ANY]})
VENDOR.sends(
    'compaction',
    {'context_management': {'edits': [{'type': 'compact_20260112'}]}},
    headers={'anthropic-beta': Text('compact-2026-01-12')},
    capability=lambda: importlib.import_module('stead.models.anthropic').AnthropicCompaction(),
    note='With the capability `AnthropicCompaction`.',
)
SUMMARY = {'type': 'compaction', 'content': 'long ago'}
LONG_AGO = {'type': 'compaction_delta', 'content': 'long ago'}
VENDOR.answers(
    'compaction',
    message(SUMMARY, text('hello')),
    message_events(block(0, {'type': 'compaction', 'content': None}, LONG_AGO), words(1, 'hello')),
    parts=[CompactionPart('long ago', provider_name='anthropic'), TextPart('hello')],
)
VENDOR.sends(
    'compaction-history',
    {'messages': [ANY, {'role': 'assistant', 'content': [SUMMARY, text('hello')]}, ANY]},
    reply=message(SUMMARY, text('hello')),
)
VENDOR.answers(
    'identity',
    message(text('hello')),
    message_events(words(0, 'hello')),
    response={'provider_response_id': 'm1', 'model_name': 'claude-2025'},
)

# What goes into prompts
VENDOR.sends('image-url', user(text('look'), {'type': 'image', 'source': {'type': 'url', 'url': f'{SITE}/a.png'}}))
PIXELS = {'type': 'image', 'source': {'type': 'base64', 'media_type': 'image/png', 'data': PNG_64}}
VENDOR.sends('image-bytes', user(ANY, PIXELS))
VENDOR.lacks('audio-url', error=UserError, match='does not support AudioUrl')
VENDOR.lacks('audio-bytes', error=UserError, match="does not support 'audio/wav'")
VENDOR.lacks('video-url', error=UserError, match='does not support VideoUrl')
VENDOR.lacks('video-bytes', error=UserError, match="does not support 'video/mp4'")
VENDOR.sends('document-url', user(ANY, {'type': 'document', 'source': {'type': 'url', 'url': f'{SITE}/a.pdf'}}))
PDF = {'type': 'base64', 'media_type': 'application/pdf', 'data': base64.b64encode(b'%PDF').decode()}
VENDOR.sends('document-bytes', user(ANY, {'type': 'document', 'source': PDF}))
TXT = {'type': 'text', 'media_type': 'text/plain', 'data': 'some text'}
VENDOR.sends(
    'text-file',
    user(ANY, {'type': 'document', 'source': TXT}),
    note='Plain text; another type of text is a `UserError`.',
)
VENDOR.sends(
    'uploaded-file',
    user(ANY, {'type': 'document', 'source': {'type': 'file', 'file_id': 'file-1'}}),
    messages=prompt('read', UploadedFile('file-1', provider_name='anthropic')),
)
VENDOR.sends('tool-files', {'messages': [ANY, ANY, {'content': [{'type': 'tool_result', 'content': [PIXELS]}]}]})

# Tools
VENDOR.sends(
    'tools',
    {
        'tools': [function('double', description='Double a number.'), function('triple')],
        'tool_choice': {'type': 'auto'},
    },
)
VENDOR.answers(
    'tools',
    message(use('double', {'x': 4}), reason='tool_use'),
    message_events(arguments(0, use('double', {}), '{"x"', ': 4}'), reason='tool_use'),
    response={'finish_reason': 'tool_call'},
)
VENDOR.sends('parallel-setting', {'tool_choice': {'type': 'auto', 'disable_parallel_tool_use': True}})
VENDOR.answers(
    'parallel-calls',
    message(use('double', {'x': 4}), use('triple', {'x': 5}, 'call-2')),
    message_events(
        arguments(0, use('double', {}), '{"x":4}'), arguments(1, use('triple', {}, 'call-2'), '{"x"', ':5}')
    ),
)
VENDOR.sends('empty-calls', {'messages': [ANY, {'role': 'assistant', 'content': [use('double', {})]}, ANY]})
VENDOR.answers('empty-calls', message(use('double', {})), message_events(arguments(0, use('double', {}))))
AFTER_CALL = [ANY, {'role': 'assistant', 'content': [use('double', {'x': 4})]}]
RESULT = {'type': 'tool_result', 'tool_use_id': 'call-1', 'content': [text('8')], 'is_error': False}
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, {'role': 'user', 'content': [RESULT]}]})
AGAIN = {'type': 'tool_result', 'tool_use_id': 'call-1', 'content': Text('Use small numbers.'), 'is_error': True}
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, {'role': 'user', 'content': [AGAIN]}]})
VENDOR.sends('strict-tools', {'tools': [{'strict': True, 'input_schema': {'additionalProperties': False}}]})
VENDOR.sends('tool-choice-none', {'tool_choice': {'type': 'none'}, 'tools': [ANY, ANY]})
VENDOR.sends('tool-choice-required', {'tool_choice': {'type': 'any'}})
VENDOR.sends(
    'tool-choice-required',
    settings={'tool_choice': 'required', 'thinking': True},
    error=UserError,
    match='while it thinks',
)
VENDOR.sends(
    'tool-choice-one',
    {'tool_choice': {'type': 'tool', 'name': 'double'}, 'tools': [ANY, ANY]},
    note='A model cannot be made to call a tool while it thinks; that is a `UserError`.',
)

# Native tools


def server_use(name: str, tool_input: dict[str, Any], kind: str = 'server_tool_use', **fields: Any) -> dict[str, Any]:
    return {'type': kind, 'id': 's1', 'name': name, 'input': tool_input, **fields}


def result(name: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {'type': f'{name}_tool_result', 'tool_use_id': 's1', 'content': content, **fields}


VENDOR.sends('web-search', {'tools': [{'name': 'web_search', 'type': 'web_search_20250305'}]})
PAGES = [{'type': 'web_search_result', 'url': 'u', 'title': 't', 'encrypted_content': 'e', 'page_age': None}]
SEARCH = [server_use('web_search', {'query': 'q'}), result('web_search', PAGES)]
VENDOR.answers(
    'web-search',
    message(*SEARCH, text('hello')),
    message_events(arguments(0, SEARCH[0], '{"query"', ':"q"}'), block(1, SEARCH[1]), words(2, 'hello')),
    parts=[
        NativeToolCallPart('web_search', {'query': 'q'}, 's1'),
        NativeToolReturnPart('web_search', PAGES, 's1'),
        TextPart('hello'),
    ],
)
VENDOR.sends(
    'web-fetch',
    {'tools': [{'name': 'web_fetch', 'type': 'web_fetch_20250910'}]},
    headers={'anthropic-beta': Text('web-fetch-2025-09-10')},
)
PAGE = {
    'type': 'web_fetch_result',
    'url': 'u',
    'content': {'type': 'document', 'source': {'type': 'text', 'media_type': 'text/plain', 'data': 'x'}},
}
FETCH = [server_use('web_fetch', {'url': 'u'}), result('web_fetch', PAGE)]
VENDOR.answers(
    'web-fetch',
    message(*FETCH),
    message_events(arguments(0, FETCH[0], '{"url":"u"}'), block(1, FETCH[1])),
    parts=[
        NativeToolCallPart('web_fetch', {'url': 'u'}, 's1'),
        NativeToolReturnPart('web_fetch', PAGE, 's1'),
    ],
)
for name in ('x-search', 'image-generation', 'file-search'):
    VENDOR.lacks(name, REQUEST, error=UserError, match='native tool')
    VENDOR.lacks(name, RESPONSE, STREAM)
VENDOR.sends('code-execution', {'tools': [{'name': 'code_execution', 'type': Text('code_execution_20')}]})
PRINTED = {'type': 'code_execution_result', 'stdout': '1', 'stderr': '', 'return_code': 0, 'content': []}
CODE = [server_use('code_execution', {'code': 'print(1)'}), result('code_execution', PRINTED)]
VENDOR.answers(
    'code-execution',
    message(*CODE),
    message_events(arguments(0, CODE[0], '{"code":', '"print(1)"}'), block(1, CODE[1])),
    parts=[
        NativeToolCallPart('code_execution', {'code': 'print(1)'}, 's1'),
        NativeToolReturnPart('code_execution', PRINTED, 's1'),
    ],
)
BASH = [server_use('bash_code_execution', {'command': 'ls'}), result('bash_code_execution', PRINTED)]
SHELL: dict[str, Any] = {'provider_details': {'anthropic_tool_name': 'bash_code_execution'}}
VENDOR.answers(
    'code-execution',
    message(*BASH),
    message_events(arguments(0, BASH[0], '{"command":"ls"}'), block(1, BASH[1])),
    parts=[
        NativeToolCallPart('code_execution', {'command': 'ls'}, 's1', **SHELL),
        NativeToolReturnPart('code_execution', PRINTED, 's1', **SHELL),
    ],
)
VENDOR.sends(
    'mcp-server',
    {'mcp_servers': [{'type': 'url', 'name': 'srv', 'url': f'{SITE}/mcp'}]},
    headers={'anthropic-beta': Text('mcp-client-')},
)
ECHOED = [{'type': 'text', 'text': 'x', 'citations': None}]
ECHO = [
    server_use('echo', {'a': 1}, 'mcp_tool_use', server_name='srv'),
    result('mcp', ECHOED, is_error=False),
]
VENDOR.answers(
    'mcp-server',
    message(*ECHO),
    message_events(arguments(0, ECHO[0], '{"a"', ':1}'), block(1, ECHO[1])),
    parts=[
        NativeToolCallPart('mcp_server:srv', {'action': 'call_tool', 'tool_name': 'echo', 'tool_args': {'a': 1}}, 's1'),
        NativeToolReturnPart('mcp_server:srv', {'content': ECHOED, 'is_error': False}, 's1'),
    ],
)
VENDOR.sends(
    'memory',
    {'tools': [{'name': 'memory', 'type': 'memory_20250818'}]},
    headers={'anthropic-beta': Text('context-management-2025-06-27')},
    note='It needs a function tool named `memory`, which keeps what the model writes.',
)
DEFERRED = [{'name': 'double'}, {'name': 'triple', 'defer_loading': True}, {'type': 'tool_search_tool_bm25_20251119'}]
VENDOR.sends('tool-search', {'tools': DEFERRED})
REFERENCES = [{'type': 'tool_reference', 'tool_name': 'triple'}]
FOUND = {'type': 'tool_search_tool_search_result', 'tool_references': REFERENCES}
TOOLS = [server_use('tool_search_tool_bm25', {'query': 'q'}), result('tool_search_tool', FOUND)]
TOOLS[1]['type'] = 'tool_search_tool_result'
VENDOR.answers(
    'tool-search',
    message(*TOOLS, text('hello')),
    message_events(arguments(0, TOOLS[0], '{"query"', ':"q"}'), block(1, TOOLS[1]), words(2, 'hello')),
    parts=[
        NativeToolSearchCallPart(args={'queries': ['q']}, tool_call_id='s1'),
        NativeToolSearchReturnPart(content={'discovered_tools': [{'name': 'triple'}]}, tool_call_id='s1'),
        TextPart('hello'),
    ],
)
ALL = [*SEARCH, *FETCH, *CODE, *BASH, *ECHO]
VENDOR.sends('native-history', {'messages': [ANY, {'role': 'assistant', 'content': ALL}, ANY]}, reply=message(*ALL))
VENDOR.sends('foreign-native-history', {'messages': [ANY, {'role': 'assistant', 'content': [text('b')]}, ANY]})

# Output
VENDOR.sends('tool-output', {'tools': [function('final_result')], 'tool_choice': {'type': 'any'}})
VENDOR.answers(
    'tool-output',
    message(use('final_result', {'name': 'Bonn', 'people': 330_000}), reason='tool_use'),
    message_events(arguments(0, use('final_result', {}), BONN_JSON[:9], BONN_JSON[9:]), reason='tool_use'),
)
FORM = {'type': 'json_schema', 'schema': {'additionalProperties': False, 'properties': {'name': ANY, 'people': ANY}}}
VENDOR.sends('native-output', {'output_config': {'format': FORM}, 'tools': ABSENT})
VENDOR.sends('prompted-output', {'system': [text(Text('"people"'))], 'output_config': ABSENT})
for name in ('native-output', 'prompted-output'):
    VENDOR.answers(name, message(text(BONN_JSON)), message_events(words(0, BONN_JSON[:9], BONN_JSON[9:])))
VENDOR.lacks('image-output', error=UserError, match='does not support image output')

# Thinking
VENDOR.sends('thinking-effort', {'thinking': {'type': 'enabled', 'budget_tokens': 2048}})
VENDOR.sends(
    'thinking-effort', {'thinking': {'type': 'adaptive'}, 'output_config': {'effort': 'low'}}, model='claude-opus-4-6'
)
SEEN = {'type': 'thinking', 'thinking': 'let me see', 'signature': 'sealed'}
THINKING = block(
    0,
    {'type': 'thinking', 'thinking': '', 'signature': ''},
    {'type': 'thinking_delta', 'thinking': 'let '},
    {'type': 'thinking_delta', 'thinking': 'me see'},
    {'type': 'signature_delta', 'signature': 'sealed'},
)
THOUGHT = (message(SEEN, text('hello')), message_events(THINKING, words(1, 'hello')))
VENDOR.answers('thinking', *THOUGHT, pieces=['let ', 'me see', 'hello'])
VENDOR.answers('signatures', *THOUGHT, parts=[ThinkingPart('let me see', signature='sealed'), TextPart('hello')])
HIDDEN = {'type': 'redacted_thinking', 'data': 'hidden'}
VENDOR.answers(
    'signatures',
    message(HIDDEN, text('hello')),
    message_events(block(0, HIDDEN), words(1, 'hello')),
    parts=[ThinkingPart('', id='redacted_thinking', signature='hidden'), TextPart('hello')],
)
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, {'role': 'assistant', 'content': [SEEN, HIDDEN, text('hello')]}, ANY]},
    reply=message(SEEN, HIDDEN, text('hello')),
)
VENDOR.sends(
    'foreign-thinking',
    {'messages': [ANY, {'role': 'assistant', 'content': [text('<thinking>\nhm\n</thinking>'), text('b')]}, ANY]},
)

# Caches and costs
CONTROL = {'type': 'ephemeral', 'ttl': '5m'}
VENDOR.sends(
    'cache-points', user({**text('long'), 'cache_control': CONTROL}, {**text('short'), 'cache_control': ABSENT})
)
VENDOR.sends(
    'cache-settings',
    {
        'tools': [{'cache_control': ABSENT}, {'cache_control': CONTROL}],
        'system': [{**text('Be brief.'), 'cache_control': CONTROL}],
        **user({**text('hello'), 'cache_control': {'type': 'ephemeral', 'ttl': '1h'}}),
    },
    params=Parameters(function_tools=[DOUBLE, TRIPLE], instruction_parts=[InstructionPart(content='Be brief.')]),
    settings={
        'anthropic_cache_tool_definitions': True,
        'anthropic_cache_instructions': True,
        'anthropic_cache_messages': '1h',
    },
    note='`anthropic_cache_tool_definitions`, `_instructions` and `_messages`; or `anthropic_cache`, which leaves it to the vendor.',
)
VENDOR.sends('cache-settings', {'cache_control': CONTROL}, settings={'anthropic_cache': True})
USAGE = {'input_tokens': 5, 'output_tokens': 5, 'cache_creation_input_tokens': 2, 'cache_read_input_tokens': 3}
COUNTED = (
    message(text('hello'), usage=USAGE, model='claude-sonnet-4-5'),
    events(words(0, 'hello'), start={'usage': {**USAGE, 'output_tokens': 1}, 'model': 'claude-sonnet-4-5'}),
)
VENDOR.answers('usage', *COUNTED)
VENDOR.answers('cached-usage', *COUNTED, response={'usage': RequestUsage(cache_read_tokens=3, cache_write_tokens=2)})
VENDOR.answers(
    'usage-details',
    *COUNTED,
    response={'usage': RequestUsage(details={'input_tokens': 5})},
    note='The counts as the vendor has them.',
)
VENDOR.answers('cost', *COUNTED)
VENDOR.sends(
    'token-counting', user(text('hello')), path=Text('/v1/messages/count_tokens'), reply=as_json({'input_tokens': 17})
)
VENDOR.reads('token-counting', as_json({'input_tokens': 17}), result=RequestUsage(input_tokens=17))

# Settings
VENDOR.sends('max-tokens', {'max_tokens': 99})
REFUSED = 'The newest models refuse it, so that stead leaves it out, with a warning.'
for name, key, value in (('temperature', 'temperature', 0.5), ('top-p', 'top_p', 0.25), ('top-k', 'top_k', 3)):
    VENDOR.sends(name, {key: value}, note=REFUSED)
    VENDOR.sends(name, {key: ABSENT}, model='claude-opus-4-7', warns='left out')
VENDOR.ignores('seed', 'seed')
VENDOR.ignores('presence-penalty', 'presence_penalty')
VENDOR.ignores('frequency-penalty', 'frequency_penalty')
VENDOR.ignores('logit-bias', 'logit_bias')
VENDOR.sends('stop-sequences', {'stop_sequences': ['END']})
VENDOR.sends('service-tier', {'service_tier': 'standard_only'}, settings={'service_tier': 'default'})
VENDOR.sends('service-tier', {'service_tier': 'auto'}, settings={'service_tier': 'auto'})
VENDOR.sends(
    'service-tier',
    {'service_tier': ABSENT},
    note="`'auto'` and `'default'`; Anthropic has no others, and they are left out.",
)
VENDOR.sends('extra-headers', headers={'x-team': 'blue', 'user-agent': Text('stead/')})
VENDOR.sends('extra-body', {'field_of_ours': 1})

# How answers end
REASONS = {
    'end_turn': 'stop',
    'stop_sequence': 'stop',
    'max_tokens': 'length',
    'tool_use': 'tool_call',
    'refusal': 'content_filter',
    'bored': None,
}
for vendor_reason, reason in REASONS.items():
    VENDOR.answers(
        'finish-reasons',
        message(text('hello'), reason=vendor_reason),
        message_events(words(0, 'hello'), reason=vendor_reason),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': vendor_reason}},
    )
VENDOR.answers(
    'refusals', message(text('I will not'), reason='refusal'), message_events(words(0, 'I will not'), reason='refusal')
)
VENDOR.answers(
    'content-filter', message(reason='refusal'), message_events(reason='refusal'), note='They are refusals here.'
)
VENDOR.lacks('logprobs')
VENDOR.lacks('previous-response')
VENDOR.streams('cancel')
VENDOR.answers('http-errors')
VENDOR.answers('retry-after')
