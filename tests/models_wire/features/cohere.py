"""Cohere: version 2 of its chat API."""

from __future__ import annotations

from typing import Any

from _cohere_bodies import USAGE, answer, call, calling, event, pieces, stream, thought
from kit_cohere import cohere_provider

from stead import ModelProfile
from stead.exceptions import UserError
from stead.messages import TextPart, ThinkingPart, UploadedFile
from stead.usage import RequestUsage

from ._features import BONN_JSON, LOCAL_SEARCH, PNG_64, SITE, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor

FILE = prompt('read', UploadedFile('file-1', provider_name='openai'))
WITH_SCHEMAS = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
THINKS = ModelProfile(supports_thinking=True)


def build(name: str, **options: Any) -> Any:
    from stead.models.cohere import CohereModel

    return CohereModel(name, **options)


def text(words: str) -> dict[str, str]:
    return {'type': 'text', 'text': words}


def user(*content: Any) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(content)}]}


def says(*content: Any, **fields: Any) -> dict[str, Any]:
    return {'role': 'assistant', 'content': list(content), **fields}


def function(name: str, **fields: Any) -> dict[str, Any]:
    return {'type': 'function', 'function': {'name': name, 'parameters': {'type': 'object'}, **fields}}


def whole_and_streamed(**fields: Any) -> tuple[Any, Any]:
    """Return an answer that says hello, whole and streamed."""
    return answer('hello', **fields), stream(pieces('hel', 'lo'))


VENDOR = Vendor(
    'cohere',
    'Cohere',
    '`CohereModel`: version 2 of its chat API.',
    'cohere',
    provider=lambda server: cohere_provider(server.url),
    build=build,
    model='command-r-08-2024',
    answer=answer('hello'),
)
HELLO = whole_and_streamed()

# Conversation
VENDOR.sends('text', {'model': VENDOR.model, 'messages': [{'role': 'user', 'content': 'hello'}]}, path='/v2/chat')
VENDOR.answers('text', *HELLO)
VENDOR.sends('system-prompts', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends('instructions', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends(
    'history',
    {'messages': [{'role': 'user', 'content': 'one'}, says(text('two')), {'role': 'user', 'content': 'three'}]},
)
VENDOR.answers('identity', *HELLO, response={'provider_response_id': 'c1', 'model_name': VENDOR.model})
VENDOR.lacks('compaction')
VENDOR.lacks('compaction-history')

# What goes into prompts
VENDOR.sends('image-url', user(text('look'), {'type': 'image_url', 'image_url': {'url': f'{SITE}/a.png'}}))
VENDOR.sends('image-bytes', user(ANY, {'type': 'image_url', 'image_url': {'url': f'data:image/png;base64,{PNG_64}'}}))
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'document-url', 'document-bytes', 'uploaded-file'):
    VENDOR.lacks(
        name, error=UserError, match='Cohere takes no', **({'messages': FILE} if name == 'uploaded-file' else {})
    )
VENDOR.sends('text-file', user(ANY, text(Text('some text', 'id="f1"'))), note='As text, with its name around it.')  # type: ignore[arg-type]
SEEN = [text(ANY), {'type': 'image_url', 'image_url': {'url': Text(PNG_64)}}]
VENDOR.sends(
    'tool-files',
    {'messages': [ANY, ANY, {'role': 'tool', 'content': Text('f1')}, {'role': 'user', 'content': SEEN}]},
    note='Results are text, so the files follow in a prompt.',
)

# Tools
VENDOR.sends('tools', {'tools': [function('double', description='Double a number.'), function('triple')]})
CALLED = {'tool_calls': [call('double', '{"x": 4}', 'call-1')]}
VENDOR.answers(
    'tools',
    answer(message=CALLED, finish='TOOL_CALL'),
    stream(calling('double', '{"x"', ': 4}', call_id='call-1'), finish='TOOL_CALL'),
    response={'finish_reason': 'tool_call'},
)
TWO = {'tool_calls': [call('double', '{"x":4}', 'call-1'), call('triple', '{"x":5}', 'call-2')]}
VENDOR.answers(
    'parallel-calls',
    answer(message=TWO, finish='TOOL_CALL'),
    stream(
        calling('double', '{"x":4}', call_id='call-1'),
        calling('triple', '{"x":5}', index=1, call_id='call-2'),
        finish='TOOL_CALL',
    ),
)
AFTER_CALL = [ANY, {'role': 'assistant', 'tool_calls': [call('double', '{"x":4}', 'call-1')]}]
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, AGAIN]})
VENDOR.ignores('parallel-setting', 'parallel_tool_calls')
VENDOR.sends('empty-calls', {'messages': [ANY, {'tool_calls': [call('double', '{}', 'call-1')]}, ANY]})
VENDOR.answers(
    'empty-calls',
    answer(message={'tool_calls': [call('double', '', 'call-1')]}, finish='TOOL_CALL'),
    stream(calling('double', call_id='call-1'), finish='TOOL_CALL'),
)
VENDOR.lacks('strict-tools', body={'strict_tools': ABSENT, 'tools': [{'function': {'strict': ABSENT}}]})
VENDOR.sends('tool-choice-none', {'tools': [ANY, ANY], 'tool_choice': 'NONE'})
VENDOR.sends('tool-choice-required', {'tool_choice': 'REQUIRED'}, note='Only if the setting asks for it.')
VENDOR.sends(
    'tool-choice-one', {'tool_choice': 'REQUIRED', 'tools': [function('double')]}, note='By sending that one only.'
)

# Native tools
NATIVE = ('web-search', 'web-fetch', 'x-search', 'code-execution', 'image-generation', 'file-search', 'mcp-server')
for name in NATIVE:
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
VENDOR.sends('foreign-native-history', {'messages': [ANY, says(text('b')), ANY]})

# Output
VENDOR.sends('tool-output', {'tools': [function('final_result')], 'tool_choice': ABSENT})
VENDOR.answers(
    'tool-output',
    answer(message={'tool_calls': [call('final_result', BONN_JSON)]}, finish='TOOL_CALL'),
    stream(calling('final_result', BONN_JSON[:9], BONN_JSON[9:]), finish='TOOL_CALL'),
)
FORM = {'type': 'json_object', 'json_schema': {'type': 'object', 'properties': ANY}}
VENDOR.sends(
    'native-output',
    {'response_format': FORM},
    profile=WITH_SCHEMAS,
    note='With a profile that says `supports_json_schema_output=True`, and without tools.',
)
VENDOR.sends('native-output', error=UserError, match='native structured output')
VENDOR.sends('prompted-output', {'messages': [{'role': 'system', 'content': Text('"people"')}, ANY]})
VENDOR.sends('prompted-output', {'response_format': {'type': 'json_object'}}, profile=WITH_SCHEMAS)
for name in ('native-output', 'prompted-output'):
    VENDOR.answers(name, answer(BONN_JSON), stream(pieces(BONN_JSON[:9], BONN_JSON[9:])), profile=WITH_SCHEMAS)
VENDOR.lacks('image-output')

# Thinking
VENDOR.sends(
    'thinking-effort',
    {'thinking': {'type': 'enabled'}},
    profile=THINKS,
    note='On or off, for models whose profile says `supports_thinking=True`; not how hard.',
)
VENDOR.sends('thinking-effort', {'thinking': {'type': 'disabled'}}, profile=THINKS, settings={'thinking': False})
VENDOR.answers(
    'thinking',
    answer(thought('let me see'), 'hello'),
    stream(pieces('let ', 'me see', key='thinking'), pieces('hello', index=1)),
    pieces=['let ', 'me see', 'hello'],
)
PLANNED = [ThinkingPart('let me see', id='tool_plan'), TextPart('hello')]
VENDOR.streams(
    'thinking',
    stream(event('tool-plan-delta', tool_plan='let '), event('tool-plan-delta', tool_plan='me see'), pieces('hello')),
    parts=PLANNED,
    pieces=['let ', 'me see', 'hello'],
    note='What a model plans before it calls tools is thinking, too.',
)
VENDOR.lacks('signatures')
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, says({'type': 'thinking', 'thinking': 'let me see'}, text('hello')), ANY]},
    reply=answer(thought('let me see'), 'hello'),
)
VENDOR.sends(
    'foreign-thinking',
    {'messages': [ANY, says({'type': 'thinking', 'thinking': 'hm'}, text('b')), ANY]},
    note='As thinking of its own.',
)

# Caches and costs
VENDOR.lacks('cache-points', why='The points are left out.', body=user(text('long'), text('short')))
VENDOR.lacks('cache-settings')
CACHED = {**USAGE, 'cached_tokens': 3}
VENDOR.answers('usage', *HELLO)
VENDOR.answers('cached-usage', answer('hello', usage=CACHED), stream(pieces('hello'), usage=CACHED))
BILLED = {'usage': RequestUsage(details={'input_tokens': 8, 'output_tokens': 4})}
VENDOR.answers('usage-details', *HELLO, response=BILLED, note='What is billed.')
VENDOR.answers('cost', *HELLO)
VENDOR.lacks('token-counting', error=NotImplementedError, match='cannot count tokens')

# Settings
VENDOR.sends('max-tokens', {'max_tokens': 99})
VENDOR.sends('temperature', {'temperature': 0.5})
VENDOR.sends('top-p', {'p': 0.25})
VENDOR.sends('top-k', {'k': 3})
VENDOR.sends('seed', {'seed': 7})
VENDOR.sends('presence-penalty', {'presence_penalty': 0.1})
VENDOR.sends('frequency-penalty', {'frequency_penalty': 0.2})
VENDOR.ignores('logit-bias', 'logit_bias')
VENDOR.sends('stop-sequences', {'stop_sequences': ['END']})
VENDOR.ignores('service-tier', 'service_tier')
VENDOR.sends('extra-headers', headers={'x-team': 'blue', 'user-agent': Text('stead/')})
VENDOR.sends('extra-body', {'field_of_ours': 1})

# How answers end
REASONS = {
    'COMPLETE': 'stop',
    'STOP_SEQUENCE': 'stop',
    'MAX_TOKENS': 'length',
    'TOOL_CALL': 'tool_call',
    'ERROR': 'error',
    'TIMEOUT': 'error',
    'BORED': None,
}
for vendor_reason, reason in REASONS.items():
    VENDOR.answers(
        'finish-reasons',
        answer('hello', finish=vendor_reason),
        stream(pieces('hello'), finish=vendor_reason),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': vendor_reason}},
    )
VENDOR.lacks('refusals')
VENDOR.lacks('content-filter')
VENDOR.lacks('logprobs')
VENDOR.lacks('previous-response')
VENDOR.streams('cancel')
VENDOR.answers('http-errors')
VENDOR.answers('retry-after')
