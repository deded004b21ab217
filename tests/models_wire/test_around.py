"""What surrounds models: limits on requests at once, requests without an agent, transports that try again."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from _wire import Reply, Wire, as_json
from kit import ANSWERS, MODELS, chat_model, chunks, completion

from stead import Agent
from stead.concurrency import ConcurrencyLimit
from stead.direct import (
    model_request,
    model_request_stream,
    model_request_stream_sync,
    model_request_sync,
)
from stead.exceptions import ConcurrencyLimitExceeded, ModelAPIError, ModelHTTPError
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart
from stead.models.concurrency import ConcurrencyLimitedModel, limit_model_concurrency
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel

HELLO = [ModelRequest.user_text_prompt('hi')]


def counting_model() -> tuple[FunctionModel, list[int]]:
    going = [0, 0]

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        going[0] += 1
        going[1] = max(going)
        await asyncio.sleep(0.01)
        going[0] -= 1
        return ModelResponse(parts=[TextPart('ok')])

    return FunctionModel(answer), going


def test_only_so_many_requests_go_on_at_once() -> None:
    model, going = counting_model()

    async def main() -> None:
        agent = Agent(ConcurrencyLimitedModel(model, limiter=2))
        await asyncio.gather(*(agent.run('hi') for _ in range(8)))

    asyncio.run(main())
    assert going[1] == 2


def test_a_full_queue_is_an_error() -> None:
    model, _ = counting_model()

    async def main() -> None:
        agent = Agent(limit_model_concurrency(model, ConcurrencyLimit(max_running=1, max_queued=1)))
        await asyncio.gather(*(agent.run('hi') for _ in range(3)))

    with pytest.raises(ConcurrencyLimitExceeded, match='model:function'):
        asyncio.run(main())


def test_no_limit_is_the_model_itself() -> None:
    model = TestModel()
    assert limit_model_concurrency(model, None) is model
    assert limit_model_concurrency(model, 3).model_name == 'test'


def test_a_request_without_an_agent() -> None:
    assert model_request_sync('test', HELLO).text == 'success (no tool calls)'
    assert asyncio.run(model_request(TestModel(custom_output_text='x'), HELLO)).text == 'x'


def test_a_stream_without_an_agent() -> None:
    async def main() -> list[str]:
        with Wire(chunks({'content': 'he'}, {'content': 'llo'})) as wire:
            async with model_request_stream(chat_model(wire), HELLO) as stream:
                kinds = [event.event_kind async for event in stream]
                assert stream.get().text == 'hello'
                return kinds

    assert asyncio.run(main()) == ['part_start', 'final_result', 'part_delta', 'part_end']


def test_a_stream_for_code_that_is_not_async() -> None:
    with Wire(chunks({'content': 'he'}, {'content': 'llo'})) as wire:
        with model_request_stream_sync(chat_model(wire), HELLO) as stream:
            assert [event.event_kind for event in stream] == ['part_start', 'final_result', 'part_delta', 'part_end']
            assert stream.response.text == 'hello'
            assert stream.model_name == 'gpt-4o'
            assert stream.timestamp <= datetime.now(timezone.utc)
            assert list(stream) == []


def test_a_stream_that_is_left_early_ends() -> None:
    with Wire(chunks({'content': 'he'}, *({'content': 'x'} for _ in range(50)))) as wire:
        with model_request_stream_sync(chat_model(wire), HELLO) as stream:
            next(iter(stream))


def test_errors_of_a_stream_reach_code_that_is_not_async() -> None:
    with Wire(as_json({'error': 'x'}, 400)) as wire:
        with model_request_stream_sync(chat_model(wire), HELLO) as stream:
            with pytest.raises(ModelAPIError):
                list(stream)
            with pytest.raises(ModelAPIError):
                assert stream.response
    unused = model_request_stream_sync('test', HELLO)
    with pytest.raises(RuntimeError, match='use it as `with'):
        list(unused)


def flaky(failures: int, headers: dict[str, str] | None = None) -> tuple[httpx.MockTransport, list[int]]:
    calls = [0]

    def handle(request: httpx.Request) -> httpx.Response:
        calls[0] += 1
        return httpx.Response(429 if calls[0] <= failures else 200, headers=headers, text='ok')

    return httpx.MockTransport(handle), calls


def raise_for_status(response: Any) -> None:
    response.raise_for_status()


def test_transports_try_again() -> None:
    tenacity = pytest.importorskip('tenacity', reason='tenacity is not installed')
    from stead.retries import AsyncTenacityTransport, RetryConfig, TenacityTransport, wait_retry_after

    config = RetryConfig(
        stop=tenacity.stop_after_attempt(3),
        wait=wait_retry_after(),
        retry=tenacity.retry_if_exception_type(httpx.HTTPStatusError),
        reraise=True,
    )
    wrapped, calls = flaky(2, {'retry-after': '0'})
    with httpx.Client(transport=TenacityTransport(config, wrapped, raise_for_status)) as client:
        assert client.get('http://x').status_code == 200
    assert calls == [3]

    async def main() -> list[int]:
        wrapped, calls = flaky(5, {'retry-after': '0'})
        async with httpx.AsyncClient(transport=AsyncTenacityTransport(config, wrapped, raise_for_status)) as client:
            with pytest.raises(httpx.HTTPStatusError):
                await client.get('http://x')
        return calls

    assert asyncio.run(main()) == [3]


def test_waiting_follows_the_header() -> None:
    tenacity = pytest.importorskip('tenacity', reason='tenacity is not installed')
    from stead.retries import wait_retry_after

    class Outcome:
        def __init__(self, error: Exception) -> None:
            self.outcome, self.error = self, error

        def exception(self) -> Exception:
            return self.error

    def waited(headers: dict[str, str]) -> float:
        request = httpx.Request('GET', 'http://x')
        response = httpx.Response(429, headers=headers)
        error = httpx.HTTPStatusError('slow', request=request, response=response)
        return wait_retry_after(tenacity.wait_fixed(3), max_wait=100)(Outcome(error))

    soon = (datetime.now(timezone.utc) + timedelta(seconds=30)).strftime('%a, %d %b %Y %H:%M:%S GMT')
    assert waited({'retry-after': '5'}) == 5
    assert waited({'retry-after': '500'}) == 100
    assert waited({'retry-after': 'soon'}) == 3
    assert waited({'retry-after': 'Mon, 01 Jan 2020 00:00:00 GMT'}) == 3
    assert waited({}) == 3
    assert 25 < waited({'retry-after': soon}) <= 30


def test_a_provider_uses_the_http_client_it_is_given() -> None:
    tenacity = pytest.importorskip('tenacity', reason='tenacity is not installed')
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider
    from stead.retries import AsyncTenacityTransport, RetryConfig

    config = RetryConfig(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_none(), reraise=True)

    async def main() -> str:
        with Wire(
            as_json({}, 500, {'x-should-retry': 'false'}), Reply(500, {'x-should-retry': 'false'}), completion()
        ) as wire:
            transport = AsyncTenacityTransport(config, validate_response=raise_for_status)
            async with httpx.AsyncClient(transport=transport) as client:
                provider = OpenAIProvider(base_url=wire.url, api_key='k', http_client=client)
                return (await Agent(OpenAIChatModel('gpt-4o', provider=provider)).run('hi')).output

    assert asyncio.run(main()) == 'hello'


@pytest.mark.parametrize('is_async', [False, True])
def test_transports_of_httpx2_send_with_it_and_try_again(is_async: bool) -> None:
    tenacity = pytest.importorskip('tenacity', reason='tenacity is not installed')
    httpx2 = pytest.importorskip('httpx2', reason='httpx2 is not installed')
    from stead.retries import AsyncHTTPX2TenacityTransport, HTTPX2TenacityTransport, RetryConfig

    config = RetryConfig(
        stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_exception_type(httpx2.HTTPStatusError)
    )

    async def ask(url: str) -> Any:
        transport = AsyncHTTPX2TenacityTransport(config, validate_response=raise_for_status)
        assert isinstance(transport.wrapped, httpx2.AsyncHTTPTransport)
        async with httpx2.AsyncClient(transport=transport) as client:
            return (await client.post(url, json={})).json()

    def ask_sync(url: str) -> Any:
        transport = HTTPX2TenacityTransport(config, validate_response=raise_for_status)
        assert isinstance(transport.wrapped, httpx2.HTTPTransport)
        with httpx2.Client(transport=transport) as client:
            return client.post(url, json={}).json()

    with Wire(as_json({}, 429), as_json({'x': 1})) as wire:
        assert (asyncio.run(ask(wire.url)) if is_async else ask_sync(wire.url)) == {'x': 1}
        assert len(wire.requests) == 2


@pytest.mark.parametrize('reraise', [True, False])
@pytest.mark.parametrize('library', ['httpx', 'httpx2'])
@pytest.mark.parametrize('vendor', ['openai', 'anthropic', 'google', 'groq', 'mistral'])
def test_each_vendor_tries_again_through_the_client_of_its_sdk(vendor: str, library: str, reraise: bool) -> None:
    tenacity = pytest.importorskip('tenacity', reason='tenacity is not installed')
    http = pytest.importorskip(library, reason=f'{library} is not installed')
    from stead.providers import infer_provider_class
    from stead.retries import AsyncTenacityTransport, RetryConfig, wait_retry_after

    config = RetryConfig(
        stop=tenacity.stop_after_attempt(3),
        wait=wait_retry_after(),
        retry=tenacity.retry_if_exception_type(http.HTTPStatusError),
        reraise=reraise,
    )
    slow = as_json({'error': {'message': 'slow down'}}, 429, {'retry-after': '0'})

    async def ask(wire: Wire) -> str:
        transport = AsyncTenacityTransport(config, validate_response=raise_for_status)
        async with http.AsyncClient(transport=transport) as client:
            original = MODELS[vendor](wire)
            provider: Any = infer_provider_class(vendor)
            try:
                own_provider = provider(base_url=wire.url, api_key='k', http_client=client)
            except TypeError as error:  # the SDK wants a client of the other library
                pytest.skip(str(error))
            return (await Agent(type(original)(original.model_name, provider=own_provider)).run('hi')).output

    with Wire(slow, slow, ANSWERS[vendor]('hello')) as wire:
        assert asyncio.run(ask(wire)) == 'hello'
        assert len(wire.requests) == 3
    with Wire(slow) as wire:
        with pytest.raises(ModelHTTPError) as caught:
            asyncio.run(ask(wire))
    assert caught.value.status_code == 429
    assert caught.value.retry_after == 0
