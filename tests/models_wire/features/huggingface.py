"""Hugging Face: chat completions through its inference client."""

from __future__ import annotations

from typing import Any

from kit import chunks, completion

from stead import ModelProfile
from stead.exceptions import UserError
from stead.messages import UploadedFile

from ._features import BONN_JSON, prompt
from ._match import ABSENT, ANY, Text
from ._table import Vendor
from .openai_chat import VENDOR as CHAT, add_compatible_rows, called, says

FILE = prompt('read', UploadedFile('file-1', provider_name='openai'))
WITH_SCHEMAS = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)


def provider(server: Any) -> Any:
    from stead.providers.huggingface import HuggingFaceProvider

    return HuggingFaceProvider(base_url=server.url, api_key='sk-secret-of-ours')


def build(name: str, **options: Any) -> Any:
    from stead.models.huggingface import HuggingFaceModel

    return HuggingFaceModel(name, **options)


VENDOR: Vendor = CHAT.like(
    'huggingface',
    'Hugging Face',
    '`HuggingFaceModel`: chat completions of inference providers and endpoints, through the client of `huggingface_hub`.',
    sdk='huggingface_hub',
    model='meta-llama/Llama-3.3-70B-Instruct',
    provider=provider,
    build=build,
)
add_compatible_rows(VENDOR)

# What goes into prompts
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'document-url', 'document-bytes', 'uploaded-file'):
    VENDOR.lacks(
        name, error=UserError, match='Hugging Face takes no', **({'messages': FILE} if name == 'uploaded-file' else {})
    )

# Tools
AFTER_CALL = [ANY, {'role': 'assistant', 'tool_calls': [called('double', '{"x":4}', 'call-1')]}]
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, AGAIN]})
VENDOR.lacks('strict-tools', body={'tools': [{'function': {'strict': ABSENT}}]})
VENDOR.ignores('parallel-setting', 'parallel_tool_calls', why='`extra_body` can ask for it.')

# Native tools
VENDOR.lacks('web-search', error=UserError, match='native tool')
VENDOR.lacks('native-history')

# Output
VENDOR.anew('native-output', 'prompted-output')
VENDOR.sends(
    'native-output',
    {'response_format': {'type': 'json_object', 'value': {'type': 'object', 'properties': ANY}}},
    profile=WITH_SCHEMAS,
    note='With a profile that says `supports_json_schema_output=True`. Endpoints get the schema in their own form.',
)
VENDOR.sends('native-output', error=UserError, match='native structured output')
VENDOR.sends('prompted-output', {'messages': [{'role': 'system', 'content': Text('"people"')}, ANY]})
VENDOR.sends('prompted-output', {'response_format': {'type': 'json_object'}}, profile=WITH_SCHEMAS)
for name in ('native-output', 'prompted-output'):
    whole, streamed = completion(says(BONN_JSON)), chunks({'content': BONN_JSON[:9]}, {'content': BONN_JSON[9:]})
    VENDOR.answers(name, whole, streamed, profile=WITH_SCHEMAS)

# Thinking
VENDOR.lacks('thinking-effort', body={'reasoning_effort': ABSENT}, why='`extra_body` can ask for it.')
VENDOR.anew('thinking')
for field in ('reasoning', 'reasoning_content'):
    VENDOR.reads('thinking', completion(says('hello', **{field: 'let me see'})))
    VENDOR.streams(
        'thinking',
        chunks({field: 'let '}, {field: 'me see'}, {'content': 'hello'}),
        pieces=['let ', 'me see', 'hello'],
    )
VENDOR.reads('thinking', completion(says('<think>let me see</think>hello')))
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, says('<think>\nlet me see\n</think>\n\nhello', reasoning=ABSENT), ANY]},
    reply=completion(says('hello', reasoning='let me see')),
    note='As text, between tags.',
)

# Caches, costs, settings
VENDOR.lacks('cache-settings')
VENDOR.lacks('cost', why='Prices depend on the inference provider.')
VENDOR.sends('max-tokens', {'max_tokens': 99})
VENDOR.ignores('service-tier', 'service_tier')

# How answers end
VENDOR.anew('finish-reasons')
for vendor_reason, reason in {
    'stop': 'stop',
    'eos_token': 'stop',
    'stop_sequence': 'stop',
    'length': 'length',
    'tool_calls': 'tool_call',
    'content_filter': 'content_filter',
    'bored': None,
}.items():
    VENDOR.answers(
        'finish-reasons',
        completion(reason=vendor_reason),
        chunks({'content': 'hello'}, reason=vendor_reason),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': vendor_reason}},
    )
VENDOR.lacks('refusals')
VENDOR.lacks('logprobs')
