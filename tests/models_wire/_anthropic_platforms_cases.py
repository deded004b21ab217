"""Requests to Anthropic's models on other platforms, which have less of its API, and cache points beside those of prompts."""

from __future__ import annotations

from _anthropic_bodies import message_body, text
from _anthropic_streams_cases import START, block_delta, block_start, block_stop, end, text_delta
from _vocabulary import TOOL, Cases, Parameters, request_of, response_of
from _wire import as_json, as_sse

from stead.messages import CachePoint, SystemPromptPart, ToolCallPart, ToolReturnPart, UserPromptPart

cases = Cases('claude-opus-4-6', lambda: as_json(message_body()))
case = cases.add


def points(*content):
    return request_of(UserPromptPart(list(content)))


RESUMED = [
    request_of('a'),
    response_of(ToolCallPart('t1', {'x': 1}, tool_call_id='1')),
    request_of(ToolReturnPart('t1', 'r', tool_call_id='1')),
]
STREAM = as_sse(
    [START, block_start(0, text('')), block_delta(0, **text_delta('hello')), block_stop(0), *end()],
    done=False,
    named=True,
)
MANY = [request_of(SystemPromptPart('s')), points('a', CachePoint(), 'b', CachePoint(), 'c', CachePoint(), 'd')]
EVERYWHERE = {'anthropic_cache_instructions': True, 'anthropic_cache_tool_definitions': True}
for platform in ('bedrock', 'vertex', 'foundry', None):
    name = platform or 'own'
    case(f'{name}_cache', platform=platform, settings={'anthropic_cache': True})
    case(f'{name}_cache_hour', platform=platform, settings={'anthropic_cache': '1h'})
    case(f'{name}_cache_result', RESUMED, platform=platform, settings={'anthropic_cache': True})
    case(
        f'{name}_cache_point',
        [points('a', CachePoint(), 'b'), response_of('x'), points('c', CachePoint(ttl='1h'))],
        platform=platform,
        settings={'anthropic_cache': True},
    )
    case(
        f'{name}_cache_most',
        MANY,
        Parameters(function_tools=[TOOL]),
        {'anthropic_cache': True, **EVERYWHERE},
        platform=platform,
    )
    case(f'{name}_cache_twice', platform=platform, settings={'anthropic_cache': True, 'anthropic_cache_messages': True})
    for speed in ('fast', 'standard'):
        case(f'{name}_speed_{speed}', platform=platform, settings={'anthropic_speed': speed})
for point, setting in (('1h', True), ('5m', '1h')):
    case(
        f'point_{point}_messages_{setting}',
        [points('a', CachePoint(ttl=point))],
        None,
        {'anthropic_cache_messages': setting},
    )
for most in (4096, 20_000, 32_000, 64_000):
    case(f'long_{most}', reply=STREAM if most > 21_000 else None, settings={'max_tokens': most})
