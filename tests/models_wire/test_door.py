"""Requests go past the typed methods of SDKs, unless someone has put something on the client."""

from __future__ import annotations

import asyncio
import copy
import functools
import importlib
import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from _in_process import COMPLETION, MAKERS, InProcess
from _wire import Wire
from kit import ANSWERS, MODELS

from stead.exceptions import UserError
from stead.messages import ModelRequest
from stead.models import ModelRequestParameters
from stead.tools import ToolDefinition
from tests.loading import run_program

HELLO = [ModelRequest.user_text_prompt('hi')]
TYPED = {
    'openai': ('openai.resources.chat.completions.completions', 'AsyncCompletions', ('chat', 'completions')),
    'openai-responses': ('openai.resources.responses.responses', 'AsyncResponses', ('responses',)),
    'anthropic': ('anthropic.resources.beta.messages.messages', 'AsyncMessages', ('beta', 'messages')),
    'groq': ('groq.resources.chat.completions', 'AsyncCompletions', ('chat', 'completions')),
}
"""Where the typed method of each vendor is: its module, its class, and the attributes of the client that lead there."""


VENDORS = [*TYPED, 'google', 'mistral']


def ask(model: Any, settings: Any = None) -> Any:
    return asyncio.run(model.request(HELLO, settings, ModelRequestParameters()))


class Seen:
    """Counts the calls of a function."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, function: Any) -> Any:
        @functools.wraps(function)
        async def counted(*args: Any, **options: Any) -> Any:
            self.calls += 1
            return await function(*args, **options)

        return counted


@pytest.fixture(params=TYPED)
def vendor(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def model_and_wire(vendor: str) -> Iterator[tuple[Any, InProcess]]:
    yield MAKERS[vendor]()


def test_the_typed_method_is_called_if_that_is_set(
    vendor: str, model_and_wire: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The method is replaced in the class, as packages for tracing do it."""
    model, wire = model_and_wire
    module, owner, _ = TYPED[vendor]
    cls, seen = getattr(importlib.import_module(module), owner), Seen()
    ask(model)
    direct = json.loads(wire.sent[-1])
    ask(model, {'wire': 'sdk'})
    assert json.loads(wire.sent[-1]) == direct
    monkeypatch.setattr(cls, 'create', seen(cls.create))
    ask(model)
    ask(model, {'wire': 'sdk'})
    assert seen.calls == 2
    monkeypatch.undo()
    ask(model)
    assert seen.calls == 2
    assert json.loads(wire.sent[-1]) == direct


@pytest.mark.parametrize('name', ['post', 'request'])
def test_what_is_put_on_the_class_of_clients_sees_typed_requests(
    model_and_wire: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = model_and_wire
    cls, kinds = type(model.client), []
    original = getattr(cls, name)

    async def watched(self: Any, *args: Any, **options: Any) -> Any:
        kinds.append(options['cast_to'] if 'cast_to' in options else args[0])
        return await original(self, *args, **options)

    monkeypatch.setattr(cls, name, watched)
    ask(model)
    (kind,) = kinds
    assert kind.__module__.startswith(cls.__module__.partition('.')[0])  # a type of the SDK, not a bare response


def test_what_is_put_on_a_client_sees_its_requests(vendor: str, model_and_wire: Any) -> None:
    model, _ = model_and_wire
    seen = Seen()
    resource = model.client
    for name in TYPED[vendor][2]:
        resource = getattr(resource, name)
    resource.create = seen(resource.create)
    ask(model)
    assert seen.calls == 1
    del resource.create
    ask(model)
    assert seen.calls == 1
    model.client.request = seen(model.client.request)
    ask(model)
    assert seen.calls == 2


def test_a_subclass_of_the_client_gets_typed_requests(vendor: str, model_and_wire: Any) -> None:
    model, _ = model_and_wire
    seen = Seen()
    cls = type(model.client)

    class Own(cls):
        post = seen(cls.post)

        def __init__(self) -> None:
            self.__dict__.update(model.client.__dict__)

    provider = type(model.provider)(**{f'{model.provider.sdk_extra}_client': Own()})
    ask(type(model)(model.model_name, provider=provider))
    assert seen.calls == 1


def test_a_value_that_has_no_json_form_is_left_to_the_sdk(vendor: str, model_and_wire: Any) -> None:
    model, wire = model_and_wire
    with pytest.raises(Exception) as caught:
        ask(model, {'extra_body': {'x': object()}})
    with pytest.raises(type(caught.value)) as typed:
        ask(model, {'extra_body': {'x': object()}, 'wire': 'sdk'})
    assert str(caught.value) == str(typed.value)
    assert not wire.sent


def test_a_way_that_does_not_exist(model_and_wire: Any) -> None:
    with pytest.raises(UserError, match="`wire` must be 'auto' or 'sdk'"):
        ask(model_and_wire[0], {'wire': 'fast'})


def test_headers_query_and_retries_are_those_of_the_client(vendor: str, model_and_wire: Any) -> None:
    model, wire = model_and_wire
    requests: list[Any] = []

    def handle(request: Any) -> Any:
        requests.append(request)
        return wire.http.Response(500) if len(requests) < 3 else wire._handle(request)

    client = model.client.with_options(
        default_headers={'x-of-ours': '1'},
        default_query={'q': 'of-ours'},
        max_retries=2,
        http_client=wire.http.AsyncClient(transport=wire.http.MockTransport(handle)),
    )
    client._calculate_retry_timeout = lambda *args: 0
    provider = type(model.provider)(**{f'{model.provider.sdk_extra}_client': client})
    assert ask(type(model)(model.model_name, provider=provider), {'extra_headers': {'x-more': '2'}}).model_name
    assert len(requests) == 3
    assert (requests[-1].headers['x-of-ours'], requests[-1].headers['x-more']) == ('1', '2')
    assert requests[-1].url.params['q'] == 'of-ours'
    assert requests[-1].headers['content-type'] == 'application/json'
    assert requests[-1].headers['x-stainless-retry-count'] == '2'


@pytest.mark.parametrize('vendor', TYPED)
def test_both_ways_send_the_same_headers(vendor: str) -> None:
    with Wire(ANSWERS[vendor]('hello')) as wire:
        model = MODELS[vendor](wire)
        ask(model)
        ask(model, {'wire': 'sdk'})
    direct, typed = (dict(request.headers) for request in wire.requests)
    for headers in (direct, typed):
        headers.pop('idempotency-key', None)
    assert direct == typed
    assert wire.requests[0].path == wire.requests[1].path
    assert wire.requests[0].body == wire.requests[1].body


@pytest.mark.parametrize('where', ['class', 'models', 'api client', 'client'])
def test_what_is_put_on_a_client_of_google_sees_its_requests(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, wire = MAKERS['google']()
    from stead.models.google import GoogleModel
    from stead.providers.google import GoogleProvider

    seen, client = Seen(), model.client
    ask(model)
    direct = json.loads(wire.sent[-1])
    if where == 'class':
        monkeypatch.setattr(type(client.aio.models), 'generate_content', seen(type(client.aio.models).generate_content))
    elif where == 'models':
        client.aio.models.generate_content = seen(client.aio.models.generate_content)
    elif where == 'api client':
        client._api_client.async_request = seen(client._api_client.async_request)
    else:

        class Own(type(client)):
            def __init__(self) -> None:
                self.__dict__.update(client.__dict__)

        model = GoogleModel(model.model_name, provider=GoogleProvider(client=Own()))
        client._api_client.async_request = seen(client._api_client.async_request)
    ask(model)
    ask(model, {'wire': 'sdk'})
    assert seen.calls == 2
    assert [json.loads(body) for body in wire.sent] == [direct] * 3


def test_both_ways_send_the_same_to_google() -> None:
    settings = {'extra_headers': {'x-a': 'b'}, 'extra_body': {'generationConfig': {'topK': 3}}, 'timeout': 20}
    with Wire(ANSWERS['google']('hello')) as wire:
        model = MODELS['google'](wire)
        for _ in range(2):
            ask(model, settings)
        ask(model, {**settings, 'wire': 'sdk'})
    for request in wire.requests:
        request.headers.pop('content-length')  # the SDK writes spaces
    assert wire.requests[0] == wire.requests[1] == wire.requests[2]
    assert wire.bodies[0]['generationConfig']['topK'] == 3


@pytest.mark.parametrize('where', ['class', 'chat', 'below', 'client'])
def test_what_is_put_on_a_client_of_mistral_sees_its_requests(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, wire = MAKERS['mistral']()
    from stead.models.mistral import MistralModel
    from stead.providers.mistral import MistralProvider

    seen, client = Seen(), model.client
    kind: Any = type(client.chat)
    ask(model)
    direct = json.loads(wire.sent[-1])
    if where == 'class':
        monkeypatch.setattr(kind, 'complete_async', seen(kind.complete_async))
    elif where == 'chat':
        client.chat.complete_async = seen(client.chat.complete_async)
    elif where == 'below':
        client.chat.do_request_async = seen(client.chat.do_request_async)
    else:

        class Own(type(client)):
            def __init__(self) -> None:
                self.__dict__.update(client.__dict__)

        model = MistralModel(model.model_name, provider=MistralProvider(mistral_client=Own()))
        client.chat.complete_async = seen(client.chat.complete_async)
    ask(model)
    ask(model, {'wire': 'sdk'})
    assert seen.calls == 2
    assert [json.loads(body) for body in wire.sent] == [direct] * 3


def test_both_ways_send_the_same_to_mistral() -> None:
    schema = {'type': 'object', 'properties': {'a': {'type': 'integer'}}}
    tool = ToolDefinition(name='add', parameters_json_schema=schema, description='Add.')
    requests: list[Any] = [
        ({'extra_headers': {'x-a': 'b'}, 'timeout': 20}, ModelRequestParameters()),
        ({'extra_body': {'safe_prompt': True}, 'temperature': 0.5}, ModelRequestParameters()),
        (None, ModelRequestParameters(function_tools=[tool])),
        ({'parallel_tool_calls': False}, ModelRequestParameters(function_tools=[tool])),
    ]

    async def send(model: Any) -> None:
        for settings, params in [*requests, *reversed(requests)]:
            await model.request(HELLO, settings, params)
            await model.request(HELLO, {**(settings or {}), 'wire': 'sdk'}, params)

    with Wire(ANSWERS['mistral']('hello')) as wire:
        asyncio.run(send(MODELS['mistral'](wire)))
    for request in wire.requests:
        for name in ('content-length', 'traceparent'):  # the SDK writes spaces
            request.headers.pop(name, None)
    assert len(wire.requests) == 16
    assert wire.requests[::2] == wire.requests[1::2]
    assert wire.requests[0].headers['x-a'] == 'b'
    assert wire.bodies[2]['safe_prompt'] is True
    assert wire.bodies[4]['tools'][0]['function']['name'] == 'add'


def test_a_client_of_mistral_that_is_configured_again() -> None:
    model, wire = MAKERS['mistral']()
    ask(model)
    model.client.sdk_configuration.server_url = 'http://elsewhere.example'
    urls: list[str] = []
    wire.answer = lambda body: COMPLETION
    handle = wire._handle

    def noting(request: Any) -> Any:
        urls.append(str(request.url))
        return handle(request)

    model.client.sdk_configuration.async_client = wire.http.AsyncClient(transport=wire.http.MockTransport(noting))
    ask(model)
    assert urls == ['http://elsewhere.example/v1/chat/completions']


@pytest.mark.parametrize('vendor', ['google', 'mistral'])
def test_a_model_that_has_sent_requests_can_be_copied(vendor: str) -> None:
    model, _ = MAKERS[vendor]()
    ask(model)
    door = getattr(model, f'_{vendor}_door')
    for copied in (copy.deepcopy(door), pickle.loads(pickle.dumps(door))):
        assert type(copied) is type(door)


FIRST_REQUESTS = """
import asyncio, sys
sys.path.insert(0, 'tests/models_wire')
from _wire import Wire
from kit import ANSWERS, MODELS
from stead import Agent

async def main(vendor, agent):
    before = set(sys.modules)
    assert (await agent.run('hi')).output == 'hello'
    print(vendor, len(set(sys.modules) - before))

asyncio.run(Agent('test').run('hi'))  # what any first run loads
for vendor in {vendors}:
    with Wire(ANSWERS[vendor]('hello')) as wire:
        asyncio.run(main(vendor, Agent(MODELS[vendor](wire))))
"""


@pytest.mark.parametrize(
    'loaded_together',
    [{'openai': 'openai', 'openai-responses': 'openai', 'groq': 'groq'}, {'anthropic': 'anthropic'}]
    + [{'google': 'google.genai', 'mistral': 'mistralai'}],
    ids=' '.join,
)
def test_a_first_request_loads_next_to_nothing(loaded_together: dict[str, str]) -> None:
    for sdk in loaded_together.values():
        pytest.importorskip(sdk, reason=f'the SDK {sdk} is not installed')
    process = run_program(FIRST_REQUESTS.format(vendors=[*loaded_together]))
    assert process.stderr == ''
    loaded = dict(line.split() for line in process.stdout.splitlines())
    assert [*loaded] == [*loaded_together]
    assert all(int(count) < 20 for count in loaded.values()), loaded
