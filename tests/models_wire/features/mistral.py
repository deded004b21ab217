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
from .openai_chat import VENDOR as CHAT, called, function, of_house, piece, says, text

FILE = prompt('read', UploadedFile('file-1', provider_name='openai'))


def provider(server: Any) -> Any:
    from stead.providers.mistral import MistralProvider

    return MistralProvider(api_key='sk-secret-of-ours', base_url=server.url)


def build(name: str, **options: Any) -> Any:
    from stead.models.mistral import MistralModel

    return MistralModel(name, **options)


V: Vendor = CHAT.like(
    'mistral',
    'Mistral',
    '`MistralModel`: chat completions, through the SDK of Mistral.',
    sdk='mistralai',
    model='mistral-large-latest',
    provider=provider,
    build=build,
)
VENDOR = V
of_house(V)


def user(*pieces: dict[str, Any]) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(pieces)}]}


def thought(words: str) -> dict[str, Any]:
    return {'type': 'thinking', 'thinking': [text(words)]}


# What goes into prompts
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'uploaded-file'):
    V.lacks(name, error=UserError, match='Mistral takes no', **({'messages': FILE} if name == 'uploaded-file' else {}))
V.sends('image-url', user(ANY, {'type': 'image_url', 'image_url': {'url': f'{SITE}/a.png'}}))
V.sends(
    'document-url', user(ANY, {'type': 'document_url', 'document_url': f'{SITE}/a.pdf'}), note='Only PDF, and text.'
)
PDF = f'data:application/pdf;base64,{base64.b64encode(b"%PDF").decode()}'
V.sends('document-bytes', user(ANY, {'type': 'document_url', 'document_url': PDF}), note='Only PDF, and text.')
SEEN = {'role': 'user', 'content': [ANY, {'type': 'image_url', 'image_url': {'url': Text(PNG_64)}}]}
V.sends(
    'tool-files',
    {'messages': [ANY, ANY, {'role': 'tool'}, {'role': 'assistant'}, SEEN]},
    note='Results are text, so the files follow in a prompt.',
)

# Tools
V.anew('tools', 'parallel-calls')
TWO = [function('double', description='Double a number.'), function('triple')]
V.sends('tools', {'tools': TWO, 'tool_choice': 'auto'})
V.answers(
    'tools',
    completion(call('double', '{"x": 4}'), 'tool_calls'),
    chunks(piece('{"x"', name='double', id='call-1'), piece(': 4}', name='', id='null'), reason='tool_calls'),
    response={'finish_reason': 'tool_call'},
)
V.answers(
    'parallel-calls',
    completion(says('', tool_calls=[called('double', '{"x":4}', 'call-1'), called('triple', '{"x":5}', 'call-2')])),
    chunks(piece('{"x":4}', name='double', id='call-1'), piece('{"x":5}', 1, name='triple', id='call-2')),
)
ASKED = [
    ANY,
    {'role': 'assistant', 'tool_calls': [{'id': 'call-1', 'function': {'name': 'double', 'arguments': '{"x":4}'}}]},
]
V.sends('tool-results', {'messages': [*ASKED, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
V.sends('tool-retries', {'messages': [*ASKED, AGAIN]})
V.lacks('strict-tools', body={'tools': [{'function': {'name': 'double'}}]})
V.sends('tool-choice-none', {'tools': ABSENT, 'tool_choice': ABSENT}, note='By sending no tools.')
V.sends('tool-choice-required', {'tool_choice': 'any'})
V.sends('tool-choice-one', {'tool_choice': 'any', 'tools': [function('double')]}, note='By sending that one only.')

# Native tools
V.lacks('web-search', REQUEST, error=UserError, match='native tool')
V.sends('foreign-native-history', {'messages': [ANY, {'role': 'assistant', 'content': [text('b')]}, ANY]})

# Output
V.anew('tool-output')
V.sends('tool-output', {'tools': [function('final_result')], 'tool_choice': 'any'})
V.answers(
    'tool-output',
    completion(call('final_result', BONN_JSON), 'tool_calls'),
    chunks({'content': BONN_JSON[:9]}, {'content': BONN_JSON[9:]}),
)
V.streams('tool-output', chunks(piece(BONN_JSON, name='final_result', id='c'), reason='tool_calls'))
HELD = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
FORM = {'type': 'json_schema', 'json_schema': {'name': 'City', 'schema': {'type': 'object', 'properties': ANY}}}
V.anew('native-output', 'prompted-output')
V.sends(
    'native-output',
    {'response_format': FORM},
    profile=HELD,
    note='With a profile that says `supports_json_schema_output=True`.',
)
V.sends('native-output', error=UserError, match='native structured output')
V.sends('prompted-output', {'messages': [{'role': 'system', 'content': Text('"people"')}, ANY]})
V.sends('prompted-output', {'response_format': {'type': 'json_object'}}, profile=HELD)
for name in ('native-output', 'prompted-output'):
    whole, streamed = completion(says(BONN_JSON)), chunks({'content': BONN_JSON[:9]}, {'content': BONN_JSON[9:]})
    V.answers(name, whole, streamed, profile=HELD)

# Thinking
V.lacks('thinking-effort', body={'reasoning_effort': ABSENT})
V.anew('thinking')
THOUGHT = completion(says([thought('let me see'), text('hello')]))
V.reads('thinking', THOUGHT)
V.streams(
    'thinking',
    chunks({'content': [thought('let ')]}, {'content': [thought('me see')]}, {'content': 'hello'}),
    pieces=['let ', 'me see', 'hello'],
)
ANSWERED = {'role': 'assistant', 'content': [thought('let me see'), text('hello')]}
V.sends('thinking-history', {'messages': [ANY, ANSWERED, ANY]}, reply=THOUGHT)
V.sends(
    'foreign-thinking',
    {'messages': [ANY, {'role': 'assistant', 'content': [thought('hm'), text('b')]}, ANY]},
    note='As thinking without a signature.',
)
V.sends(
    'history',
    {'messages': [ANY, {'role': 'assistant', 'content': [text('two')]}, {'role': 'user', 'content': 'three'}]},
)

# Caches, costs, settings
V.lacks('cache-settings')
V.sends('max-tokens', {'max_tokens': 99})
V.sends('seed', {'random_seed': 7})
V.ignores('logit-bias', 'logit_bias')
V.ignores('service-tier', 'service_tier')
V.sends('extra-headers', headers={'x-team': 'blue'})
V.sends(
    'extra-body',
    {'safe_prompt': True},
    settings={'extra_body': {'safe_prompt': True}},
    note='Fields that the SDK knows; others are left out, with a warning.',
)
V.sends('extra-body', {'field_of_ours': ABSENT}, warns='left out')

# How answers end
V.anew('finish-reasons')
for said, reason in {
    'stop': 'stop',
    'length': 'length',
    'model_length': 'length',
    'tool_calls': 'tool_call',
    'bored': None,
}.items():
    V.answers(
        'finish-reasons',
        completion(reason=said),
        chunks({'content': 'hello'}, reason=said),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': said}},
    )
V.lacks('refusals')
V.lacks('content-filter')
V.lacks('logprobs')
