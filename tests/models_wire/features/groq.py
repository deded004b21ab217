"""Groq: chat completions in its own SDK."""

from __future__ import annotations

from typing import Any

from _wire import as_sse
from kit import chunk, chunks, completion

from stead.exceptions import UserError
from stead.messages import NativeToolCallPart, NativeToolReturnPart, TextPart, UploadedFile

from ._features import prompt
from ._match import ABSENT, ANY, Text
from ._table import Vendor
from .openai_chat import USAGE, VENDOR as CHAT, add_compatible_rows, called, says

COMPOUND = 'compound-beta'
FILE = prompt('read', UploadedFile('file-1', provider_name='openai'))


def provider(server: Any) -> Any:
    from stead.providers.groq import GroqProvider

    class Provider(GroqProvider):
        def _client_options(self, sdk: Any) -> dict[str, Any]:
            return {**super()._client_options(sdk), 'max_retries': 0}

    return Provider(api_key='sk-secret-of-ours', base_url=server.url)


def build(name: str, **options: Any) -> Any:
    from stead.models.groq import GroqModel

    return GroqModel(name, **options)


VENDOR: Vendor = CHAT.like(
    'groq',
    'Groq',
    '`GroqModel`: chat completions, through the SDK of Groq.',
    sdk='groq',
    model='moonshotai/kimi-k2-instruct-0905',
    provider=provider,
    build=build,
)
add_compatible_rows(VENDOR)

# What goes into prompts
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'document-url', 'document-bytes', 'uploaded-file'):
    VENDOR.lacks(
        name, error=UserError, match='Groq takes no', **({'messages': FILE} if name == 'uploaded-file' else {})
    )

# Tools
AFTER_CALL = [ANY, {'role': 'assistant', 'tool_calls': [called('double', '{"x":4}', 'call-1')]}]
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, AGAIN]})
VENDOR.lacks('strict-tools', body={'tools': [{'function': {'strict': ABSENT}}]})

# Native tools
VENDOR.sends('web-search', {'tools': ABSENT}, model=COMPOUND, note='The `compound` models only, which search unasked.')
VENDOR.sends('web-search', error=UserError, match='does not search the web')
RESULTS = {'results': [{'title': 't', 'url': 'u', 'content': 'c', 'score': 0.5}]}
SEARCH = {'index': 0, 'type': 'search', 'arguments': '{"query": "q"}', 'output': None, 'search_results': None}
FOUND = {**SEARCH, 'output': 'found', 'search_results': RESULTS}
VENDOR.answers(
    'web-search',
    completion(says('hello', executed_tools=[FOUND])),
    chunks({'executed_tools': [SEARCH]}, {'executed_tools': [FOUND]}, {'content': 'hello'}),
    model=COMPOUND,
    parts=[
        NativeToolCallPart('web_search', {'query': 'q'}),
        NativeToolReturnPart('web_search', RESULTS),
        TextPart('hello'),
    ],
)
VENDOR.lacks('native-history', why='They stay away from the next request.')

# Output
FORM = {'type': 'json_schema', 'json_schema': {'name': 'City', 'schema': {'type': 'object', 'properties': ANY}}}
VENDOR.sends('native-output', {'response_format': FORM, 'tools': ABSENT})

# Thinking
THINKER = 'deepseek-r1-distill-llama-70b'
VENDOR.sends(
    'thinking-effort',
    {'reasoning_format': 'parsed', 'reasoning_effort': ABSENT},
    model=THINKER,
    note='Models that stead knows to think show it; not how hard they think. `groq_reasoning_format` says more.',
)
VENDOR.sends(
    'thinking-effort', {'reasoning_format': 'hidden'}, settings={'groq_reasoning_format': 'hidden', 'thinking': True}
)
VENDOR.anew('thinking')
VENDOR.reads('thinking', completion(says('hello', reasoning='let me see')))
VENDOR.reads('thinking', completion(says('<think>let me see</think>hello')))
VENDOR.streams(
    'thinking',
    chunks({'reasoning': 'let '}, {'reasoning': 'me see'}, {'content': 'hello'}),
    pieces=['let ', 'me see', 'hello'],
)
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, says('<think>\nlet me see\n</think>\n\nhello', reasoning=ABSENT), ANY]},
    reply=completion(says('hello', reasoning='let me see')),
    note='As text, between tags.',
)

# Caches, costs, settings
VENDOR.lacks('cache-settings')
COUNTED = (
    completion(usage=USAGE),
    as_sse([chunk({'content': 'hello'}), chunk({}, 'stop', x_groq={'id': 'r1', 'usage': USAGE})]),
)
VENDOR.answers('usage', *COUNTED)
VENDOR.answers('cached-usage', *COUNTED)
VENDOR.sends('max-tokens', {'max_tokens': 99})
VENDOR.ignores('service-tier', 'service_tier', why='Groq has tiers of its own; `extra_body` can send them.')

# How answers end
VENDOR.lacks('refusals')
VENDOR.lacks('logprobs')
