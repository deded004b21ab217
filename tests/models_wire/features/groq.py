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
from .openai_chat import USAGE, VENDOR as CHAT, called, of_house, says

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


V: Vendor = CHAT.like(
    'groq',
    'Groq',
    '`GroqModel`: chat completions, through the SDK of Groq.',
    sdk='groq',
    model='moonshotai/kimi-k2-instruct-0905',
    provider=provider,
    build=build,
)
VENDOR = V
of_house(V)

# What goes into prompts
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'document-url', 'document-bytes', 'uploaded-file'):
    V.lacks(name, error=UserError, match='Groq takes no', **({'messages': FILE} if name == 'uploaded-file' else {}))

# Tools
ASKED = [ANY, {'role': 'assistant', 'tool_calls': [called('double', '{"x":4}', 'call-1')]}]
V.sends('tool-results', {'messages': [*ASKED, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
V.sends('tool-retries', {'messages': [*ASKED, AGAIN]})
V.lacks('strict-tools', body={'tools': [{'function': {'strict': ABSENT}}]})

# Native tools
V.sends('web-search', {'tools': ABSENT}, model=COMPOUND, note='The `compound` models only, which search unasked.')
V.sends('web-search', error=UserError, match='does not search the web')
RESULTS = {'results': [{'title': 't', 'url': 'u', 'content': 'c', 'score': 0.5}]}
SEARCH = {'index': 0, 'type': 'search', 'arguments': '{"query": "q"}', 'output': None, 'search_results': None}
FOUND = {**SEARCH, 'output': 'found', 'search_results': RESULTS}
V.answers(
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
V.lacks('native-history', why='They stay away from the next request.')

# Output
FORM = {'type': 'json_schema', 'json_schema': {'name': 'City', 'schema': {'type': 'object', 'properties': ANY}}}
V.sends('native-output', {'response_format': FORM, 'tools': ABSENT})

# Thinking
THINKER = 'deepseek-r1-distill-llama-70b'
V.sends(
    'thinking-effort',
    {'reasoning_format': 'parsed', 'reasoning_effort': ABSENT},
    model=THINKER,
    note='Models that stead knows to think show it; not how hard they think. `groq_reasoning_format` says more.',
)
V.sends(
    'thinking-effort', {'reasoning_format': 'hidden'}, settings={'groq_reasoning_format': 'hidden', 'thinking': True}
)
V.anew('thinking')
V.reads('thinking', completion(says('hello', reasoning='let me see')))
V.reads('thinking', completion(says('<think>let me see</think>hello')))
V.streams(
    'thinking',
    chunks({'reasoning': 'let '}, {'reasoning': 'me see'}, {'content': 'hello'}),
    pieces=['let ', 'me see', 'hello'],
)
V.sends(
    'thinking-history',
    {'messages': [ANY, says('<think>\nlet me see\n</think>\n\nhello', reasoning=ABSENT), ANY]},
    reply=completion(says('hello', reasoning='let me see')),
    note='As text, between tags.',
)

# Caches, costs, settings
V.lacks('cache-settings')
COUNTED = (
    completion(usage=USAGE),
    as_sse([chunk({'content': 'hello'}), chunk({}, 'stop', x_groq={'id': 'r1', 'usage': USAGE})]),
)
V.answers('usage', *COUNTED)
V.answers('cached-usage', *COUNTED)
V.sends('max-tokens', {'max_tokens': 99})
V.ignores('service-tier', 'service_tier', why='Groq has tiers of its own; `extra_body` can send them.')

# How answers end
V.lacks('refusals')
V.lacks('logprobs')
