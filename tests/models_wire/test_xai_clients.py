"""Clients and providers of xAI: what is open and shared, among loops and threads."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest

pytest.importorskip('xai_sdk', reason='the SDK xai-sdk is not installed')

from _grpc_wire import Answer, GrpcWire
from kit_xai import KEY, says, xai_model
from test_xai_faults import ask, both

from stead import Agent
from stead.exceptions import UserError
from stead.models import infer_model
from stead.models.xai import XaiModel
from stead.providers.xai import XaiProvider
from tests.loading import run_program
from tests.resources import CAN_COUNT_FILES, open_files
from tests.waiting import settles, until

linux = pytest.mark.skipif(not CAN_COUNT_FILES, reason='open files can be counted on Linux only')


@linux
def test_many_event_loops_leave_nothing_open() -> None:
    with GrpcWire(says('hello', stream=False)) as wire:
        agent = Agent(xai_model(wire))
        asyncio.run(agent.run('hi'))
        before = open_files()
        for _ in range(10):
            assert asyncio.run(agent.run('hi')).output == 'hello'
        assert settles(lambda: open_files() <= before)  # the server learns a little later that a connection is closed


def test_sync_runs_share_a_connection() -> None:
    with GrpcWire(says('hello', stream=False)) as wire:
        agent = Agent(xai_model(wire))
        for _ in range(5):
            agent.run_sync('hi')
        assert wire.connections == 1


@both
def test_threads_share_an_agent(stream: bool) -> None:
    outputs: list[str] = []
    errors: list[Any] = []

    async def main() -> str:
        if not stream:
            return (await agent.run('hi')).output
        async with agent.run_stream('hi') as result:
            return await result.get_output()

    def work() -> None:
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda _, context: errors.append(context))
        try:
            outputs.extend(loop.run_until_complete(main()) for _ in range(5))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    with GrpcWire(says('hello', stream=stream)) as wire:
        agent = Agent(xai_model(wire))
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert outputs == ['hello'] * 40
    assert errors == []


@both
def test_a_call_that_is_cut_short_does_not_disturb_other_loops(stream: bool) -> None:
    errors: list[Any] = []
    cuts: list[bool] = []

    async def cut() -> None:
        asking = asyncio.ensure_future(ask(model, stream=stream))
        await asyncio.sleep(0.012)
        asking.cancel()
        await asyncio.wait([asking])
        cuts.append(asking.cancelled())

    def work() -> None:
        for number in range(12):
            loop = asyncio.new_event_loop()
            loop.set_exception_handler(lambda _, context: errors.append(context))
            try:
                loop.run_until_complete(cut() if number % 2 else ask(model, stream=stream))
                loop.run_until_complete(loop.shutdown_asyncgens())
            finally:
                loop.close()

    with GrpcWire(Answer([0.03, *says('hello', stream=stream).pieces])) as wire:
        model = xai_model(wire)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []
    assert any(cuts), 'some came in time'


@linux
def test_models_that_nobody_needs_are_closed_by_their_loop() -> None:
    async def main() -> None:
        with GrpcWire(says('hello', stream=False)) as wire:
            await Agent(xai_model(wire)).run('hi')
            before = open_files()
            for _ in range(3):
                await Agent(xai_model(wire)).run('hi')
                gc.collect()
            await until(lambda: open_files() <= before)

    asyncio.run(main())


def test_a_provider_closes_the_channel_of_its_loop() -> None:
    async def main() -> None:
        with GrpcWire(says('hello', stream=False)) as wire:
            model = xai_model(wire)
            async with model.provider:
                first = model.client
                await Agent(model).run('hi')
                assert model.client is first
            assert model.client is not first
            assert (await Agent(model).run('hi')).output == 'hello'

    asyncio.run(main())


@both
def test_a_client_that_is_like_that_of_the_sdk(stream: bool) -> None:
    class Chats:
        """What is public of the SDK's chats."""

        def __init__(self, chats: Any) -> None:
            self.create = chats.create

    class Client:
        def __init__(self, client: Any) -> None:
            self.chat = Chats(client.chat)

    async def main(host: str) -> Any:
        from xai_sdk import AsyncClient

        client = AsyncClient(api_key='k', api_host=host, use_insecure_channel=True)
        try:
            return await ask(XaiModel('grok-4', provider=XaiProvider(xai_client=Client(client))), stream=stream)
        finally:
            await client.close()

    with GrpcWire(says('hello', stream=stream)) as wire:
        assert asyncio.run(main(wire.host)).text == 'hello'


# Providers


def test_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('XAI_API_KEY', raising=False)
    with pytest.raises(UserError, match='XAI_API_KEY'):
        XaiProvider()


def test_a_model_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('XAI_API_KEY', KEY)
    model = infer_model('xai:grok-4.3')
    assert isinstance(model, XaiModel)
    assert (model.model_name, model.system, model.base_url) == ('grok-4.3', 'xai', 'https://api.x.ai/v1')
    assert model.profile.supports_thinking
    assert KEY not in repr(model) + repr(model.provider)


def test_a_client_and_what_to_make_one_of() -> None:
    with pytest.raises(UserError, match='xai_client'):
        XaiProvider(xai_client=object(), api_key='k')


def test_a_client_outside_of_a_loop() -> None:
    from xai_sdk import AsyncClient

    provider = XaiProvider(api_key='k')
    assert isinstance(provider.client, AsyncClient)

    async def inside() -> bool:
        return provider.client is outside

    outside = provider.client
    assert not asyncio.run(inside())


def test_the_sdk_is_loaded_with_the_provider() -> None:
    code = (
        'import sys, stead.models.xai, stead.providers.xai as p; '
        'loaded = lambda: sorted({"grpc", "xai_sdk", "google.protobuf"} & set(sys.modules)); print(loaded()); '
        'p.XaiProvider(api_key="k"); print("xai_sdk" in loaded())'
    )
    process = run_program(code)
    assert (process.stdout.split(), process.stderr) == (['[]', 'True'], '')


def test_a_provider_says_its_host_and_key_and_sends_metadata() -> None:
    with GrpcWire(says('hello', stream=False)) as wire:
        model = xai_model(wire, metadata=(('x-team', 'books'),))
        assert asyncio.run(Agent(model).run('hi')).output == 'hello'
        assert wire.requests[0].headers['x-team'] == 'books'
        assert isinstance(model.provider, XaiProvider)
        assert (model.provider.api_host, model.provider.api_key) == (wire.host, KEY)
    own = XaiProvider(api_key=KEY)
    assert (own.api_host, own.api_key) == (None, KEY)
