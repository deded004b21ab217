"""Providers behind Pydantic AI Gateway."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator
from typing import Any

import pytest
from _wire import Wire, as_json
from kit import ANSWERS, completion, message, response, text_item

from stead import Agent, ModelHTTPError, UserError
from stead._kit.warnings import PydanticAIDeprecationWarning
from stead.models import infer_model, infer_model_profile
from stead.profiles import DEFAULT_PROFILE
from stead.providers import infer_provider, infer_provider_class
from stead.providers.gateway import gateway_provider, normalize_gateway_provider

pytest.importorskip('openai', reason='the SDK openai is not installed')
KEY = 'pylf_v1_us_of-ours'
OPENAI = [('openai', 'openai'), ('openai-chat', 'openai'), ('chat', 'openai')]
RESPONSES = [('openai-responses', 'openai-responses'), ('responses', 'openai-responses')]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ('PYDANTIC_AI_GATEWAY_API_KEY', 'PYDANTIC_AI_GATEWAY_BASE_URL', 'PAIG_API_KEY', 'PAIG_BASE_URL'):
        monkeypatch.delenv(name, raising=False)
    yield


@pytest.mark.parametrize(('name', 'route'), [*OPENAI, *RESPONSES])
def test_a_name_has_its_route_at_the_gateway(name: str, route: str) -> None:
    provider = gateway_provider(name, api_key=KEY, base_url='https://g.example/proxy/')
    assert (provider.name, provider.base_url) == ('openai', f'https://g.example/proxy/{route}/')
    assert normalize_gateway_provider(name) == normalize_gateway_provider(f'gateway/{name}') == route


@pytest.mark.parametrize(('route', 'path'), [('mine', '/mine/'), ('/a/b/', '/a/b/'), ('', '/')])
def test_routes_of_ones_own(route: str, path: str) -> None:
    assert (
        gateway_provider('openai', api_key=KEY, base_url='https://g.example', route=route).base_url
        == f'https://g.example{path}'
    )


@pytest.mark.parametrize(
    ('key', 'url'),
    [
        ('pylf_v1_us_x', 'https://gateway-us.pydantic.dev/proxy/openai/'),
        ('pylf_v12_eu_x', 'https://gateway-eu.pydantic.dev/proxy/openai/'),
        ('pylf_v1_staging_x', 'https://gateway.pydantic.info/proxy/openai/'),
    ],
)
def test_keys_say_where_the_gateway_is(key: str, url: str) -> None:
    assert gateway_provider('openai', api_key=key).base_url == url


@pytest.mark.parametrize('key', ['x', 'pylf_v1_us', 'pylf_v1_us_', 'pylf_v1_US_x', 'pylf_us_x', 'xpylf_v1_us_x'])
def test_keys_that_do_not(key: str) -> None:
    with pytest.raises(UserError, match='does not name a region.*`PYDANTIC_AI_GATEWAY_BASE_URL`'):
        gateway_provider('openai', api_key=key)


@pytest.mark.parametrize('prefix', ['PYDANTIC_AI_GATEWAY', 'PAIG'])
def test_key_and_address_come_from_the_environment(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f'{prefix}_API_KEY', 'mine-mine')
    monkeypatch.setenv(f'{prefix}_BASE_URL', 'https://env.example')
    provider: Any = infer_provider('gateway/openai')
    assert (provider.base_url, provider.secret) == ('https://env.example/openai/', 'mine-mine')


@pytest.mark.parametrize('name', ['openai', 'gateway/openai:gpt-5'])
def test_a_missing_key_is_named(name: str) -> None:
    with pytest.raises(UserError, match='no API key for Pydantic AI Gateway.*`PYDANTIC_AI_GATEWAY_API_KEY`'):
        infer_model(name) if ':' in name else gateway_provider(name)


@pytest.mark.parametrize('name', ['nope', '', 'mistral', 'gateway/openai', 'google'])
def test_what_the_gateway_does_not_have(name: str) -> None:
    for use in (lambda: gateway_provider(name, api_key=KEY), lambda: infer_provider_class(f'gateway/{name}')):
        with pytest.raises(UserError, match=f"cannot route requests to '{name}': Its name is not known"):
            use()
    with pytest.raises(UserError, match=f"cannot route requests to '{name}'"):
        infer_model(f'gateway/{name}:x')
    assert infer_model_profile(f'gateway/{name}:x') == DEFAULT_PROFILE


@pytest.mark.parametrize('name', ['bedrock', 'converse'])
def test_bedrock_takes_the_key_as_a_token(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('boto3', reason='the SDK boto3 is not installed')
    with Wire(ANSWERS['bedrock']('hello')) as wire:
        monkeypatch.setenv('PYDANTIC_AI_GATEWAY_API_KEY', 'the-key-of-the-gateway')
        monkeypatch.setenv('PYDANTIC_AI_GATEWAY_BASE_URL', f'{wire.url}/proxy')
        assert Agent(f'gateway/{name}:us.amazon.nova-pro-v1:0').run_sync('hi').output == 'hello'
    sent = wire.requests[0]
    assert sent.path == '/proxy/bedrock/model/us.amazon.nova-pro-v1%3A0/converse'
    assert sent.headers['authorization'] == 'Bearer the-key-of-the-gateway'


@pytest.mark.parametrize('name', ['google-vertex', 'gemini'])
def test_old_names_of_providers_warn_with_the_new_one(name: str) -> None:
    with pytest.warns(
        PydanticAIDeprecationWarning, match=f"'gateway/{name}' is deprecated: use 'gateway/google-cloud'"
    ):
        assert normalize_gateway_provider(name) == 'google-vertex'


GENERATED = {'candidates': [{'content': {'role': 'model', 'parts': [{'text': 'hello'}]}, 'finishReason': 'STOP'}]}
CASES: list[Any] = [
    *((name, 'openai', 'OpenAIChatModel', completion, '/openai/chat/completions') for name, _ in OPENAI),
    *(
        (name, 'openai', 'OpenAIResponsesModel', lambda: response(text_item('hello')), '/openai-responses/responses')
        for name, _ in RESPONSES
    ),
    (
        'anthropic',
        'anthropic',
        'AnthropicModel',
        lambda: message({'type': 'text', 'text': 'hello'}),
        '/anthropic/v1/messages',
    ),
    ('groq', 'groq', 'GroqModel', completion, '/groq/openai/v1/chat/completions'),
    (
        'google-cloud',
        'google-cloud',
        'GoogleModel',
        lambda: as_json(GENERATED),
        '/google-vertex/v1beta1/publishers/google/models/gpt-4o:generateContent',
    ),
]


@pytest.mark.parametrize(('name', 'system', 'cls', 'answer', 'path'), CASES, ids=[case[0] for case in CASES])
def test_models_are_asked_by_way_of_the_gateway(
    name: str, system: str, cls: str, answer: Any, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sdk = {'google-cloud': 'google.genai'}.get(system, system)
    pytest.importorskip(sdk, reason=f'the SDK {sdk} is not installed')
    monkeypatch.setenv('PYDANTIC_AI_GATEWAY_API_KEY', KEY)
    monkeypatch.setenv('ANTHROPIC_API_KEY', 'not-for-the-gateway')
    with Wire(answer()) as wire:
        monkeypatch.setenv('PYDANTIC_AI_GATEWAY_BASE_URL', wire.url)
        model = infer_model(f'gateway/{name}:gpt-4o')
        assert (type(model).__name__, model.model_name, model.system) == (cls, 'gpt-4o', system)
        assert isinstance(model.provider, infer_provider_class(system))
        agent = Agent(model)
        assert [asyncio.run(agent.run('hi')).output for _ in range(2)] == ['hello', 'hello']  # on two event loops
        for request in wire.requests:
            assert request.path.partition('?')[0] == path
            assert request.headers['authorization'] == f'Bearer {KEY}'
            assert 'not-for-the-gateway' not in str(request.headers)
            assert 'traceparent' not in request.headers


@pytest.mark.parametrize('name', ['openai', 'anthropic'])
def test_errors_do_not_show_the_key(name: str) -> None:
    pytest.importorskip(name, reason=f'the SDK {name} is not installed')
    with Wire(as_json({'error': {'message': f'bad key {KEY}'}}, status=401)) as wire:
        room = importlib.import_module(f'stead.models.{name}')
        cls = {'openai': 'OpenAIChatModel', 'anthropic': 'AnthropicModel'}[name]
        model = getattr(room, cls)('x', provider=gateway_provider(name, api_key=KEY, base_url=wire.url))
        with pytest.raises(ModelHTTPError) as caught:
            Agent(model).run_sync('hi')
    assert caught.value.status_code == 401
    assert KEY not in str(caught.value)


def test_the_gateway_learns_the_span_of_a_request() -> None:
    trace = pytest.importorskip('opentelemetry.sdk.trace', reason='opentelemetry is not installed')
    tracer = trace.TracerProvider().get_tracer('tests')
    from stead.models.openai import OpenAIChatModel

    with Wire(completion()) as wire, tracer.start_as_current_span('mine') as span:
        Agent(OpenAIChatModel('gpt-4o', provider=gateway_provider('openai', api_key=KEY, base_url=wire.url))).run_sync(
            'hi'
        )
        (request,) = wire.requests
    assert f'{span.get_span_context().trace_id:032x}' in request.headers['traceparent']


def test_a_client_of_ones_own_is_told_of_spans_only_for_the_gateway() -> None:
    openai = pytest.importorskip('openai', reason='the SDK openai is not installed')
    trace = pytest.importorskip('opentelemetry.sdk.trace', reason='opentelemetry is not installed')
    tracer = trace.TracerProvider().get_tracer('tests')
    from stead.models.openai import OpenAIChatModel

    async def main(wire: Wire) -> None:
        async with openai.DefaultAsyncHttpxClient() as http:
            for _ in range(2):
                provider = gateway_provider('openai', api_key=KEY, base_url=f'{wire.url}/proxy', http_client=http)
            assert len(http.event_hooks['request']) == 1
            with tracer.start_as_current_span('mine'):
                await Agent(OpenAIChatModel('gpt-4o', provider=provider)).run('hi')
                await http.get(f'{wire.url}/elsewhere')

    with Wire(completion()) as wire:
        asyncio.run(main(wire))
        ours, other = wire.requests
    assert ours.path == '/proxy/openai/chat/completions'
    assert 'traceparent' in ours.headers
    assert 'traceparent' not in other.headers
