"""OpenRouter: chat completions, and what it adds to them."""

from __future__ import annotations

from typing import Any

from _vocabulary import Parameters
from _wire import as_sse
from kit import chunk, chunks, completion

from stead.messages import InstructionPart, TextPart, ThinkingPart
from stead.usage import RequestUsage

from ._features import DOUBLE, SITE, TRIPLE
from ._match import ABSENT, ANY
from ._table import RESPONSE, STREAM, Vendor
from .openai_chat import DETAILS, USAGE, VENDOR as CHAT, add_compatible_rows, chat_provider, says, text, user

CLAUDE = 'anthropic/claude-sonnet-4.5'

VENDOR: Vendor = CHAT.like(
    'openrouter',
    'OpenRouter',
    '`OpenRouterModel`: chat completions, with what OpenRouter adds to them.',
    model='openai/gpt-4o',
    **chat_provider('openrouter', 'OpenRouterProvider', 'OpenRouterModel'),
)
add_compatible_rows(VENDOR)

VENDOR.sends('video-url', user(ANY, {'type': 'video_url', 'video_url': {'url': f'{SITE}/a.mp4'}}))
VENDOR.sends('video-bytes', user(ANY, {'type': 'video_url', 'video_url': {'url': 'data:video/mp4;base64,ZnR5cA=='}}))
VENDOR.sends(
    'web-search',
    {'plugins': [{'id': 'web'}], 'web_search_options': {'search_context_size': 'medium'}},
    note='The answer does not say what was searched.',
)
VENDOR.lacks('web-search', RESPONSE, STREAM)

# Thinking
VENDOR.sends(
    'thinking-effort',
    {'reasoning': {'effort': 'low', 'enabled': True}, 'reasoning_effort': ABSENT},
    model='openai/gpt-5',
)


def detail(words: str, signature: str | None) -> dict[str, Any]:
    return {
        'type': 'reasoning.text',
        'id': 't1',
        'format': 'anthropic-claude-v1',
        'index': 0,
        'text': words,
        'signature': signature,
    }


THOUGHT = [ThinkingPart('let me see', id='t1', signature='sealed'), TextPart('hello')]
WHOLE = completion(says('hello', reasoning='let me see', reasoning_details=[detail('let me see', 'sealed')]))
VENDOR.answers(
    'signatures',
    WHOLE,
    chunks(
        {'reasoning': 'let ', 'reasoning_details': [detail('let ', None)]},
        {'reasoning': 'me see', 'reasoning_details': [detail('me see', 'sealed')]},
        {'content': 'hello'},
    ),
    parts=THOUGHT,
)
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, says('hello', reasoning_details=[detail('let me see', 'sealed')]), ANY]},
    reply=WHOLE,
)
VENDOR.sends(
    'foreign-thinking', {'messages': [ANY, says('b', reasoning='hm'), ANY]}, note='As thinking without a signature.'
)

# Caches and costs
CONTROL = {'type': 'ephemeral', 'ttl': '5m'}
VENDOR.sends(
    'cache-points',
    user({**text('long'), 'cache_control': CONTROL}, {**text('short'), 'cache_control': ABSENT}),
    model=CLAUDE,
    note='Models that are told what to cache; with others the points are left out.',
)
VENDOR.sends('cache-points', user({**text('long'), 'cache_control': ABSENT}, text('short')))
VENDOR.sends(
    'cache-settings',
    {'tools': [{'cache_control': ABSENT}, {'cache_control': CONTROL}]},
    model=CLAUDE,
    params=Parameters(function_tools=[DOUBLE, TRIPLE], instruction_parts=[InstructionPart(content='Be brief.')]),
    settings={'openrouter_cache_tool_definitions': True},
    note='`openrouter_cache_tool_definitions`, `_instructions` and `_messages`.',
)
PAID = {**USAGE, 'cost': 0.25}
VENDOR.answers(
    'usage-details',
    completion(usage=PAID),
    as_sse([chunk({'content': 'hello'}), chunk({}, 'stop'), chunk({}, usage=PAID, choices=[])]),
    response={
        'usage': RequestUsage(input_audio_tokens=1, output_audio_tokens=4, details=DETAILS),
        'provider_details': {'cost': 0.25},
    },
    note='What it cost is in `provider_details`.',
)
