"""Mistral: chat completions in its own SDK."""

from __future__ import annotations

import base64
from typing import Any

from kit import call, chunks, completion

from stead import ModelProfile
from stead.exceptions import UserError
from stead.messages import UploadedFile

from ._features import BONN_JSON, PNG_64, SITE, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, Vendor
from .openai_chat import VENDOR as CHAT, add_compatible_rows, called, function, piece, says, text

FILE = prompt('read', UploadedFile('file-1', provider_name='openai'))


def provider(server: Any) -> Any:
    from stead.providers.mistral import MistralProvider

    return MistralProvider(api_key='sk-secret-of-ours', base_url=server.url)


def build(name: str, **options: Any) -> Any:
    from stead.models.mistral import MistralModel

    return MistralModel(name, **options)


VENDOR: Vendor = CHAT.like(
    'mistral',
    'Mistral',
    '`MistralModel`: chat completions, through the SDK of Mistral.',
    sdk='mistralai',
    model='mistral-large-latest',
    provider=provider,
    build=build,
)
add_compatible_rows(VENDOR)


def user(*pieces: dict[str, Any]) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(pieces)}]}


def thought(words: str) -> dict[str, Any]:
    return {'type': 'thinking', 'thinking': [text(words)]}


# What goes into prompts
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'uploaded-file'):
    VENDOR.lacks(
        name, error=UserError, match='Mistral takes no', **({'messages': FILE} if name == 'uploaded-file' else {})
    )
VENDOR.sends('image-url', user(ANY, {'type': 'image_url', 'image_url': {'url': f'{SITE}/a.png'}}))
VENDOR.sends(
    'document-url', user(ANY, {'type': 'document_url', 'document_url': f'{SITE}/a.pdf'}), note='Only PDF, and text.'
)
PDF = f'data:application/pdf;base64,{base64.b64encode(b"%PDF").decode()}'
VENDOR.sends('document-bytes', user(ANY, {'type': 'document_url', 'document_url': PDF}), note='Only PDF, and text.')
SEEN = {'role': 'user', 'content': [ANY, {'type': 'image_url', 'image_url': {'url': Text(PNG_64)}}]}
VENDOR.sends(
    'tool-files',
    {'messages': [ANY, ANY, {'role': 'tool'}, {'role': 'assistant'}, SEEN]},
    note='Results are text, so the files follow in a prompt.',
)

# Tools
VENDOR.anew('tools', 'parallel-calls')
TWO = [function('double', description='Double a number.'), function('triple')]
VENDOR.sends('tools', {'tools': TWO, 'tool_choice': 'auto'})
VENDOR.answers(
    'tools',
    completion(call('double', '{"x": 4}'), 'tool_calls'),
    chunks(piece('{"x"', name='double', id='call-1'), piece(': 4}', name='', id='null'), reason='tool_calls'),
    response={'finish_reason': 'tool_call'},
)
VENDOR.answers(
    'parallel-calls',
    completion(says('', tool_calls=[called('double', '{"x":4}', 'call-1'), called('triple', '{"x":5}', 'call-2')])),
    chunks(piece('{"x":4}', name='double', id='call-1'), piece('{"x":5}', 1, name='triple', id='call-2')),
)
AFTER_CALL = [
    ANY,
    {'role': 'assistant', 'tool_calls': [{'id': 'call-1', 'function': {'name': 'double', 'arguments': '{"x":4}'}}]},
]
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, AGAIN]})
VENDOR.lacks('strict-tools', body={'tools': [{'function': {'name': 'double'}}]})
VENDOR.sends('tool-choice-none', {'tools': ABSENT, 'tool_choice': ABSENT}, note='By sending no tools.')
VENDOR.sends('tool-choice-required', {'tool_choice': 'any'})
VENDOR.sends('tool-choice-one', {'tool_choice': 'any', 'tools': [function('double')]}, note='By sending that one only.')

# Native tools
VENDOR.lacks('web-search', REQUEST, error=UserError, match='native tool')
VENDOR.sends('foreign-native-history', {'messages': [ANY, {'role': 'assistant', 'content': [text('b')]}, ANY]})

# Output
VENDOR.anew('tool-output')
VENDOR.sends('tool-output', {'tools': [function('final_result')], 'tool_choice': 'any'})
VENDOR.answers(
    'tool-output',
    completion(call('final_result', BONN_JSON), 'tool_calls'),
    chunks({'content': BONN_JSON[:9]}, {'content': BONN_JSON[9:]}),
)
VENDOR.streams('tool-output', chunks(piece(BONN_JSON, name='final_result', id='c'), reason='tool_calls'))
WITH_SCHEMAS = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
FORM = {'type': 'json_schema', 'json_schema': {'name': 'City', 'schema': {'type': 'object', 'properties': ANY}}}
VENDOR.anew('native-output', 'prompted-output')
VENDOR.sends(
    'native-output',
    {'response_format': FORM},
    profile=WITH_SCHEMAS,
    note='With a profile that says `supports_json_schema_output=True`.',
)
VENDOR.sends('native-output', error=UserError, match='native structured output')
VENDOR.sends('prompted-output', {'messages': [{'role': 'system', 'content': Text('"people"')}, ANY]})
VENDOR.sends('prompted-output', {'response_format': {'type': 'json_object'}}, profile=WITH_SCHEMAS)
for name in ('native-output', 'prompted-output'):
    whole, streamed = completion(says(BONN_JSON)), chunks({'content': BONN_JSON[:9]}, {'content': BONN_JSON[9:]})
    VENDOR.answers(name, whole, streamed, profile=WITH_SCHEMAS)

# Thinking
VENDOR.lacks('thinking-effort', body={'reasoning_effort': ABSENT})
VENDOR.anew('thinking')
THOUGHT = completion(says([thought('let me see'), text('hello')]))
VENDOR.reads('thinking', THOUGHT)
VENDOR.streams(
    'thinking',
    chunks({'content': [thought('let ')]}, {'content': [thought('me see')]}, {'content': 'hello'}),
    pieces=['let ', 'me see', 'hello'],
)
ANSWERED = {'role': 'assistant', 'content': [thought('let me see'), text('hello')]}
VENDOR.sends('thinking-history', {'messages': [ANY, ANSWERED, ANY]}, reply=THOUGHT)
VENDOR.sends(
    'foreign-thinking',
    {'messages': [ANY, {'role': 'assistant', 'content': [thought('hm'), text('b')]}, ANY]},
    note='As thinking without a signature.',
)
VENDOR.sends(
    'history',
    {'messages': [ANY, {'role': 'assistant', 'content': [text('two')]}, {'role': 'user', 'content': 'three'}]},
)

# Caches, costs, settings
VENDOR.lacks('cache-settings')
VENDOR.sends('max-tokens', {'max_tokens': 99})
VENDOR.sends('seed', {'random_seed': 7})
VENDOR.ignores('logit-bias', 'logit_bias')
VENDOR.ignores('service-tier', 'service_tier')
VENDOR.sends('extra-headers', headers={'x-team': 'blue'})
VENDOR.sends(
    'extra-body',
    {'safe_prompt': True},
    settings={'extra_body': {'safe_prompt': True}},
    note='Fields that the SDK knows; others are left out, with a warning.',
)
VENDOR.sends('extra-body', {'field_of_ours': ABSENT}, warns='left out')

# How answers end
VENDOR.anew('finish-reasons')
for vendor_reason, reason in {
    'stop': 'stop',
    'length': 'length',
    'model_length': 'length',
    'tool_calls': 'tool_call',
    'bored': None,
}.items():
    VENDOR.answers(
        'finish-reasons',
        completion(reason=vendor_reason),
        chunks({'content': 'hello'}, reason=vendor_reason),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': vendor_reason}},
    )
VENDOR.lacks('refusals')
VENDOR.lacks('content-filter')
VENDOR.lacks('logprobs')
