"""Settings that mean the same for all vendors: what is cached and cited, and how often a request is sent again."""

from __future__ import annotations

import asyncio
import re
from importlib.metadata import version
from typing import Any

import pytest
from _wire import Wire, as_json
from kit import ANSWERS, BOTH_WAYS

from stead import Agent, BinaryContent, UserError
from stead.exceptions import ModelAPIError
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from stead.models import ModelRequestParameters
from stead.profiles.anthropic import AnthropicModelProfile

PDF = BinaryContent(b'%PDF', media_type='application/pdf')
WITHOUT_COUNT = ('mistral', 'huggingface', 'bedrock', 'outlines')
"""Their SDKs cannot be told how often to try."""


def sent(vendor: str, settings: Any, *, name: str | None = None, prompt: Any = 'q', **options: Any) -> Any:
    """The body of a request with instructions and a tool."""

    async def main() -> Any:
        with Wire(ANSWERS[vendor.partition(',')[0]]('hi')) as wire:
            model = BOTH_WAYS[vendor](wire, *filter(None, [name]), **options)
            agent = Agent(model, instructions='be brief', model_settings=settings)

            @agent.tool_plain
            def add(x: int) -> int:
                return x

            await agent.run(prompt)
            return wire.bodies[0]

    return asyncio.run(main())


def points(vendor: str, settings: Any, **options: Any) -> list[Any]:
    """The cache points of a request, in the order of tools, instructions, conversation and request."""
    body = sent(vendor, settings, **options)
    where = [
        body.get('tools') or body.get('toolConfig'),
        body.get('system'),
        body['messages'],
        body.get('cache_control'),
    ]
    found: list[Any] = []
    for part in where:
        text = re.sub(r"[' ]", '', str(part))
        match = re.search(r'(?:cache_control|cachePoint):\{([^}]*)\}', text) or re.fullmatch(r'\{([^}]*)\}', text)
        found.append(match and ','.join(sorted(match.group(1).split(','))))
    return found


FIVE, HOUR = 'ttl:5m,type:ephemeral', 'ttl:1h,type:ephemeral'
DEFAULT, SHORT, LONG = 'type:default', 'ttl:5m,type:default', 'ttl:1h,type:default'
CACHED: list[tuple[Any, list[Any], list[Any]]] = [
    (True, [FIVE, FIVE, None, FIVE], [DEFAULT, DEFAULT, DEFAULT, None]),
    ('30m', [FIVE, FIVE, None, FIVE], [SHORT, SHORT, SHORT, None]),
    ('1h', [HOUR, HOUR, None, HOUR], [LONG, LONG, LONG, None]),
    ('12h', [HOUR, HOUR, None, HOUR], [LONG, LONG, LONG, None]),
    ({'messages': False}, [FIVE, FIVE, None, None], [DEFAULT, DEFAULT, None, None]),
    ({'retention': '1h', 'messages': False}, [HOUR, HOUR, None, None], [LONG, LONG, None, None]),
    (False, [None] * 4, [None] * 4),
    (None, [None] * 4, [None] * 4),
]


@pytest.mark.parametrize(('cache', 'anthropic', 'bedrock'), CACHED)
def test_one_setting_caches_with_each_vendor(cache: Any, anthropic: list[Any], bedrock: list[Any]) -> None:
    for vendor in ('anthropic', 'anthropic, typed'):
        assert points(vendor, {'cache': cache}) == anthropic
    claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
    assert points('bedrock', {'cache': cache}, name=claude) == bedrock
    assert points('openai', {'cache': cache}) == [None] * 4  # it caches by itself


def test_a_time_that_a_model_cannot_cache_for_is_shortened() -> None:
    nova = points('bedrock', {'cache': '1h'}, name='us.amazon.nova-pro-v1:0')
    assert nova == [None, SHORT, SHORT, None]
    old = points('bedrock', {'cache': '1h'}, name='anthropic.claude-3-7-sonnet-20250219-v1:0')
    assert old == [SHORT, SHORT, SHORT, None]


def test_openrouter_caches_where_the_model_can() -> None:
    body = sent('openrouter', {'cache': '1h'}, name='anthropic/claude-sonnet-4.5')
    assert str(body).count("'ttl': '1h'") == 3
    assert 'cache_control' not in str(sent('openrouter', {'cache': '1h'}, name='openai/gpt-5'))


@pytest.mark.parametrize('own', ['anthropic_cache', 'anthropic_cache_messages', 'anthropic_cache_instructions'])
def test_settings_of_the_vendor_take_precedence(own: str) -> None:
    assert points('anthropic', {'cache': '1h', own: False}) == [None] * 4
    assert HOUR not in points('anthropic', {'cache': '1h', own: '5m'})


def test_a_profile_says_that_nothing_can_be_cached() -> None:
    profile = AnthropicModelProfile(supports_cache=False)
    assert points('anthropic', {'cache': True}, profile=profile) == [None] * 4


@pytest.mark.parametrize('cache', ['2h', 5, {'retention': '2h'}, {'for': '1h'}])
@pytest.mark.parametrize('vendor', ['anthropic', 'openai', 'bedrock'])
def test_an_unknown_cache_is_refused(vendor: str, cache: Any) -> None:
    with pytest.raises(UserError, match='The setting `cache`'):
        sent(vendor, {'cache': cache})


@pytest.mark.parametrize('vendor', ['anthropic', 'anthropic, typed', 'bedrock'])
def test_all_documents_are_cited_or_none(vendor: str) -> None:
    for cites in (True, False):
        body = sent(vendor, {'citations': cites}, prompt=['q', PDF, PDF])
        assert str(body['messages']).count("'citations': {'enabled': True}") == 2 * cites


def test_messages_that_were_written_before_are_cited_too() -> None:
    async def main() -> list[Any]:
        with Wire(ANSWERS['anthropic']('hi')) as wire:
            model = BOTH_WAYS['anthropic'](wire)
            messages: list[ModelMessage] = [
                ModelRequest(parts=[UserPromptPart(['q', PDF])]),
                ModelResponse(parts=[TextPart('a')]),
                ModelRequest(parts=[UserPromptPart('q')]),
            ]
            for cites in (False, True, False):
                await model.request(messages, {'citations': cites}, ModelRequestParameters())
            return wire.bodies

    assert ['citations' in str(body) for body in asyncio.run(main())] == [False, True, False]


@pytest.mark.parametrize('vendor', [vendor for vendor in BOTH_WAYS if vendor not in WITHOUT_COUNT])
def test_the_sdk_sends_a_failed_request_again_as_often_as_asked(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if vendor.startswith('mistral'):
        pytest.skip('its SDK cannot be told how often to try')
    if vendor.startswith('cohere') and int(version('cohere').split('.')[0]) < 6:
        pytest.skip('this SDK does not try again after this answer')
    sleep = asyncio.sleep
    monkeypatch.setattr(asyncio, 'sleep', lambda seconds, *args: sleep(0, *args))  # Google's SDK waits for a second

    async def main() -> None:
        failure = as_json(
            {'error': {'message': 'no'}, 'message': 'no'}, 503, {'retry-after-ms': '1', 'retry-after': '0'}
        )
        for retries in (0, 1):
            with Wire(failure) as wire:
                model = BOTH_WAYS[vendor](wire)
                with pytest.raises(ModelAPIError):
                    await Agent(model).run('q', model_settings={'max_retries': retries})
                assert len(wire.requests) == retries + 1

    asyncio.run(main())


@pytest.mark.parametrize('retries', [-1, 'x', 1.5, True])
def test_a_number_of_retries_is_checked(retries: Any) -> None:
    with pytest.raises(UserError, match='`max_retries`'):
        sent('openai', {'max_retries': retries})
