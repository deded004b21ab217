"""An agent on Hugging Face, through its client and a socket."""

from __future__ import annotations

import asyncio
import gc
import json
from types import SimpleNamespace
from typing import Any

import pytest
from _wire import Reply, Wire, as_json, as_sse
from kit_huggingface import call, chunk, huggingface_answer, huggingface_chunks, huggingface_model
from kit_outputs import City

from stead import Agent, ModelProfile, NativeOutput, UserError
from stead.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from stead.messages import ModelRequest, TextPart, ThinkingPart
from stead.models import ModelRequestParameters, infer_model
from stead.models.huggingface import HuggingFaceModel
from stead.providers.huggingface import HuggingFaceProvider

hub = pytest.importorskip('huggingface_hub', reason='the package huggingface-hub is not installed')
HELLO = [ModelRequest.user_text_prompt('hi')]


async def streamed(model: Any) -> tuple[list[Any], Any]:
    async with model.request_stream(HELLO, None, ModelRequestParameters()) as stream:
        return [event async for event in stream], stream.get()


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
def test_a_tool_is_called_and_its_result_sent_back(stream: bool) -> None:
    calling: Any = {'content': None, 'tool_calls': [call(0, 'call-1', 'double', '{"x": 4}')]}
    replies = (
        (huggingface_chunks(calling, reason='tool_calls'), huggingface_chunks({'content': '8'}))
        if stream
        else (huggingface_answer('tool_calls', **calling), huggingface_answer(content='8'))
    )

    async def main() -> Any:
        agent = Agent(huggingface_model(wire))

        @agent.tool_plain
        def double(x: int) -> int:
            return 2 * x

        if not stream:
            return (result := await agent.run('Double 4')).output, result.usage
        async with agent.run_stream('Double 4') as streaming:
            return await streaming.get_output(), streaming.usage

    with Wire(*replies) as wire:
        output, usage = asyncio.run(main())
    assert (output, usage.input_tokens, usage.output_tokens) == ('8', 20, 10)
    assert wire.requests[0].path == '/v1/chat/completions'
    assert wire.requests[0].headers['authorization'] == 'Bearer sk-secret-of-ours'
    assert wire.bodies[0].get('stream_options') == ({'include_usage': True} if stream else None)
    asks, returned = wire.bodies[1]['messages'][1:]
    assert asks['tool_calls'] == [
        {'id': 'call-1', 'type': 'function', 'function': {'name': 'double', 'arguments': '{"x": 4}'}}
    ]
    assert returned == {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}


def test_output_by_schema() -> None:
    """The client asks endpoints for it in the form of text-generation-inference."""
    with Wire(huggingface_answer(content='{"name": "Bonn", "people": 330000}')) as wire:
        model = huggingface_model(wire, profile=ModelProfile(supports_json_schema_output=True))
        assert Agent(model, output_type=NativeOutput(City)).run_sync('Bonn?').output.people == 330_000
    form = wire.bodies[0]['response_format']
    schema = form.get('value') or form['json_schema']['schema']
    assert sorted(schema['properties']) == ['name', 'people']


@pytest.mark.parametrize('field', ['reasoning', 'reasoning_content'])
def test_thinking_is_a_part_of_its_own(field: str) -> None:
    parts = [ThinkingPart('hm'), TextPart('hello')]
    with Wire(huggingface_answer(content='hello', **{field: 'hm'}), huggingface_answer(content='more')) as wire:
        agent = Agent(huggingface_model(wire))
        first = agent.run_sync('hi')
        assert first.response.parts == parts
        agent.run_sync('more', message_history=first.all_messages())
    assert wire.bodies[1]['messages'][1]['content'] == '<think>\nhm\n</think>\n\nhello'
    with Wire(huggingface_chunks({field: 'h'}, {field: 'm'}, {'content': 'hello'})) as wire:
        assert asyncio.run(streamed(huggingface_model(wire)))[1].parts == parts


def test_settings_headers_and_timeouts_are_those_of_a_request() -> None:
    with Wire(huggingface_answer(content='hello')) as wire:
        agent = Agent(huggingface_model(wire))
        settings: Any = {'seed': 4, 'extra_body': {'reasoning_effort': 'low'}, 'extra_headers': {'x-a': 'b'}}
        agent.run_sync('hi', model_settings=settings)
        agent.run_sync('hi')
    first, second = wire.requests
    assert (first.body['seed'], first.body['reasoning_effort'], first.headers['x-a']) == (4, 'low', 'b')
    assert first.headers['user-agent'].startswith('stead/')
    assert 'x-a' not in second.headers
    httpx = pytest.importorskip('httpx')
    with Wire(Reply(pieces=[60.0])) as wire, pytest.raises(ModelAPIError, match='failed'):
        model = huggingface_model(wire, settings={'timeout': httpx.Timeout(0.1, connect=5)})
        Agent(model).run_sync('hi')


def test_streams_leave_nothing_in_the_client() -> None:
    """The client itself keeps the connection of each stream until it is closed."""

    async def main() -> None:
        many = huggingface_chunks(*({'content': 'x'} for _ in range(50)))
        with Wire(many) as wire:
            model = huggingface_model(wire)
            async with model.provider:
                client = model.client
                for leave in (True, False, True):
                    async with model.request_stream(HELLO, None, ModelRequestParameters()) as stream:
                        async for _ in stream:
                            if leave:
                                break
                assert len(client.exit_stack._exit_callbacks) == 1  # its connections
                gc.collect()

    asyncio.run(main())


@pytest.mark.parametrize(
    'error',
    ['boom', {'message': 'boom'}, {'message': 'boom', 'http_status_code': 503}],
    ids=['text', 'object', 'status'],
)
def test_what_a_server_reports_inside_of_a_stream(error: Any) -> None:
    with Wire(as_sse([chunk({'content': 'a'}), {'error': error, 'error_type': 'overloaded'}])) as wire:
        with pytest.raises(ModelAPIError, match='boom'):
            asyncio.run(streamed(huggingface_model(wire)))


@pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
@pytest.mark.parametrize('body', [b'["no"]', b'"no"', b'{"error": {"message": "no"}}', b'no', b''])
def test_errors_keep_their_status_and_body(body: bytes, stream: bool) -> None:
    """The client fails itself when the body of an error is not an object."""
    with Wire(Reply(429, {'retry-after': '3'}, [body])) as wire, pytest.raises(ModelHTTPError) as caught:
        model = huggingface_model(wire)
        asyncio.run(streamed(model) if stream else model.request(HELLO, None, ModelRequestParameters()))
    assert (caught.value.status_code, caught.value.retry_after) == (429, 3)
    assert caught.value.body == (json.loads(body) if body[:1] in (b'[', b'"', b'{') else body.decode())


def test_an_answer_without_choices() -> None:
    with Wire(as_json({'id': 'c1', 'choices': []})) as wire, pytest.raises(UnexpectedModelBehavior, match='no choices'):
        Agent(huggingface_model(wire)).run_sync('hi')


def test_what_the_client_refuses_to_send() -> None:
    provider = HuggingFaceProvider(api_key='k', provider_name='nonsense')
    with pytest.raises(UserError, match="'nonsense' not supported"):
        Agent(HuggingFaceModel('Qwen/Qwen3-32B', provider=provider)).run_sync('hi')
    with pytest.raises(UserError, match='auto-router'):  # keys of others need the name of their provider
        Agent(HuggingFaceModel('Qwen/Qwen3-32B', provider=HuggingFaceProvider(api_key='k'))).run_sync('hi')


def test_where_requests_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('HF_TOKEN', raising=False)
    with pytest.raises(UserError, match='`HF_TOKEN`'):
        HuggingFaceProvider()
    monkeypatch.setenv('HF_TOKEN', 'hf_k')
    model = infer_model('huggingface:Qwen/Qwen3-32B')
    assert isinstance(model, HuggingFaceModel)
    assert (model.system, model.base_url) == ('huggingface', 'https://router.huggingface.co/v1')
    assert HuggingFaceProvider(provider_name='together').base_url == 'https://router.huggingface.co/together'
    assert HuggingFaceProvider(base_url='http://h/v1').base_url == 'http://h/v1'
    with pytest.raises(ValueError, match='either `base_url`.*or `provider_name`'):
        HuggingFaceProvider(base_url='http://h/v1', provider_name='together')
    with pytest.raises(ValueError, match='set_async_client_factory'):
        HuggingFaceProvider(http_client=object())  # type: ignore[arg-type]


def test_a_client_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('HF_TOKEN', raising=False)
    client = hub.AsyncInferenceClient(api_key='hf_k', provider='groq')
    provider = HuggingFaceProvider(hf_client=client)
    assert provider.client is client
    assert (provider.base_url, provider.secret) == ('https://router.huggingface.co/groq', 'hf_k')
    endpoint = hub.AsyncInferenceClient('http://h/v1', api_key='hf_k')
    assert HuggingFaceProvider(hf_client=endpoint, api_key='hf_k').base_url == 'http://h/v1'
    with pytest.raises(UserError, match='`hf_client`.*not both'):
        HuggingFaceProvider(hf_client=client, provider_name='groq')


def test_a_substitute_for_the_client_is_asked_as_it_is() -> None:
    calls: list[Any] = []

    async def create(**arguments: Any) -> Any:
        calls.append(arguments)
        return {'choices': [{'message': {'role': 'assistant', 'content': 'hello'}, 'finish_reason': 'stop'}]}

    client: Any = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    model = HuggingFaceModel('x', provider=HuggingFaceProvider(hf_client=client))
    assert Agent(model).run_sync('hi').output == 'hello'
    assert (calls[0]['model'], calls[0]['stream']) == ('x', False)


@pytest.mark.parametrize(
    ('name', 'inlines', 'thinks', 'has_schemas'),
    [
        ('Qwen/Qwen3-32B', True, False, False),
        ('meta-llama/Llama-3.3-70B-Instruct', True, False, False),
        ('deepseek-ai/DeepSeek-R1', False, True, False),
        ('google/gemma-3-27b-it', False, False, True),
        ('mistralai/Mixtral-8x7B', False, False, False),
        ('moonshotai/Kimi-K2', False, False, False),
        ('nobody/knows-it', False, False, False),
    ],
)
def test_what_models_can_do(name: str, inlines: bool, thinks: bool, has_schemas: bool) -> None:
    profile = HuggingFaceProvider.model_profile(name)
    assert profile is not None
    assert profile.supports_inline_system_prompts
    assert getattr(profile.json_schema_transformer, '__name__', '').startswith('Inline') is inlines
    assert profile.supports_thinking is thinks
    assert profile.supports_json_schema_output is has_schemas
