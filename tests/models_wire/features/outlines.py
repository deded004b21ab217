"""Outlines: a model on a server of SGLang, which it asks by chat completions."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from _outlines_cases import chunk, completion
from _wire import as_sse
from kit_outlines import outlines_model

from stead.exceptions import UserError
from stead.messages import BinaryContent, UploadedFile

from ._features import BONN_JSON, prompt
from ._match import ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor

FILE = prompt('read', UploadedFile('file-1', provider_name='openai'))


def build(name: str, *, provider: str, **options: Any) -> Any:
    return outlines_model(provider, name, **options)


def user(*content: Any) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(content)}]}


def streamed(*texts: str) -> Any:
    return as_sse([*(chunk(piece) for piece in texts), chunk(None, 'stop')])


VENDOR = Vendor(
    'outlines',
    'Outlines',
    '`OutlinesModel` on a server of SGLang: Outlines passes on the text of an answer, and nothing else of it.',
    'outlines',
    provider=lambda server: server.url,
    build=build,
    model='sg',
    answer=completion('hello'),
)
TEXTS = 'Outlines passes on the text of an answer only.'
NO_TOOLS = 'call no tools'

# Conversation
VENDOR.sends('text', {'model': 'sg', 'messages': [{'role': 'user', 'content': 'hello'}]}, path='/chat/completions')
VENDOR.answers('text', completion('hello'), streamed('hel', 'lo'))
VENDOR.sends('system-prompts', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends('instructions', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends('history', {'messages': [{'role': role} for role in ('user', 'assistant', 'user')]})
VENDOR.lacks('identity', why=TEXTS)
for name in ('compaction', 'compaction-history'):
    VENDOR.lacks(name)

# What goes into prompts
# Outlines reads images, so this is a whole one, of one pixel.
DOT = b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')
IMAGE = {'type': 'image_url', 'image_url': {'url': Text('data:image/png;base64,iVBORw0KGgo')}}
VENDOR.sends('image-url', user(ANY, IMAGE), download=(DOT, 'image/png'))
VENDOR.sends('image-bytes', user(ANY, IMAGE), messages=prompt('look', BinaryContent(DOT, media_type='image/png')))
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'document-url', 'document-bytes', 'text-file'):
    VENDOR.lacks(name, error=UserError, match='Outlines takes no')
VENDOR.lacks('uploaded-file', error=UserError, match='Outlines takes no', messages=FILE)
VENDOR.lacks('tool-files', error=UserError, match=NO_TOOLS)

# Tools
for name in ('tools', 'parallel-setting', 'strict-tools', 'empty-calls', 'tool-results', 'tool-retries'):
    VENDOR.lacks(name, REQUEST, error=UserError, match=NO_TOOLS)
for name in ('none', 'required', 'one'):
    VENDOR.lacks(f'tool-choice-{name}', error=UserError)
for name in ('tools', 'empty-calls'):
    VENDOR.lacks(name, RESPONSE, STREAM)
VENDOR.lacks('parallel-calls')

# Native tools
NATIVE = ('web-search', 'web-fetch', 'x-search', 'code-execution', 'image-generation', 'file-search', 'mcp-server')
for name in NATIVE:
    VENDOR.lacks(name, REQUEST, error=UserError, match='native tool')
    VENDOR.lacks(name, RESPONSE, STREAM)
VENDOR.lacks('tool-search', REQUEST, error=UserError, match=NO_TOOLS)
VENDOR.lacks('tool-search', RESPONSE, STREAM)
VENDOR.lacks('memory', error=UserError)
VENDOR.lacks('native-history')
VENDOR.sends('foreign-native-history', {'messages': [ANY, {'role': 'assistant', 'content': 'b'}, ANY]})

# Output
VENDOR.lacks('tool-output', error=UserError)
SCHEMA = {'type': 'json_schema', 'json_schema': {'schema': {'properties': {'name': ANY, 'people': ANY}}}}
VENDOR.sends('native-output', {'response_format': SCHEMA})
VENDOR.sends('prompted-output', {'messages': [{'role': 'system', 'content': Text('"people"')}, ANY]})
for name in ('native-output', 'prompted-output'):
    VENDOR.answers(name, completion(BONN_JSON), streamed(BONN_JSON[:9], BONN_JSON[9:]))
VENDOR.lacks('image-output')

# Thinking
VENDOR.ignores('thinking-effort', 'reasoning_effort')
TAGS = '<think>let me see</think>hello'
VENDOR.answers(
    'thinking',
    completion(TAGS),
    streamed('<think>', 'let me see', '</think>', 'hello'),
    note='Between tags in the text.',
)
VENDOR.lacks('signatures')
VENDOR.lacks(
    'thinking-history',
    why='It is left out.',
    reply=completion(TAGS),
    body={'messages': [ANY, {'role': 'assistant', 'content': 'hello'}, ANY]},
)
VENDOR.lacks(
    'foreign-thinking', why='It is left out.', body={'messages': [ANY, {'role': 'assistant', 'content': 'b'}, ANY]}
)

# Caches and costs
VENDOR.lacks(
    'cache-points', why='The points are left out.', body={'messages': [{'role': 'user', 'content': Text('long')}]}
)
VENDOR.lacks('cache-settings')
for name in ('usage', 'cached-usage', 'usage-details', 'cost'):
    VENDOR.lacks(name, why=TEXTS)
VENDOR.lacks('token-counting', error=NotImplementedError, match='cannot count tokens')

# Settings
VENDOR.sends('max-tokens', {'max_tokens': 99})
VENDOR.sends('temperature', {'temperature': 0.5})
VENDOR.sends('top-p', {'top_p': 0.25})
VENDOR.sends('presence-penalty', {'presence_penalty': 0.1})
VENDOR.sends('frequency-penalty', {'frequency_penalty': 0.2})
for name in ('top_k', 'seed', 'logit_bias', 'service_tier'):
    VENDOR.ignores(name.replace('_', '-'), name)
VENDOR.ignores('stop-sequences', 'stop', 'stop_sequences')
VENDOR.sends('extra-headers', headers={'x-team': 'blue'})
VENDOR.sends(
    'extra-body',
    {'field_of_ours': 1},
    settings={'extra_body': {'extra_body': {'field_of_ours': 1}}},
    note='The setting has arguments of the backend, here of the SDK, which has an `extra_body` of its own.',
)

# How answers end
for name in ('finish-reasons', 'refusals', 'content-filter', 'logprobs'):
    VENDOR.lacks(name, why='' if name == 'content-filter' else TEXTS)
VENDOR.lacks('previous-response')
VENDOR.streams('cancel')
VENDOR.answers('http-errors')
VENDOR.answers('retry-after')
