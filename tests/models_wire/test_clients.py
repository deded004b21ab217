"""One client for every event loop, closed when its loop ends."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest
from _wire import Wire
from kit import ANSWERS, MODELS

from stead import Agent
from tests.resources import CAN_COUNT_FILES, open_files
from tests.waiting import settles, until


@pytest.mark.skipif(not CAN_COUNT_FILES, reason='open files can be counted on Linux only')
@pytest.mark.parametrize('vendor', MODELS)
def test_many_event_loops_leave_nothing_open(vendor: str) -> None:
    with Wire(ANSWERS[vendor]('hello')) as wire:
        agent = Agent(MODELS[vendor](wire))
        asyncio.run(agent.run('hi'))
        before = open_files()
        for _ in range(10):
            assert asyncio.run(agent.run('hi')).output == 'hello'
        assert settles(lambda: open_files() <= before)  # the server learns a little later that a connection is closed


@pytest.mark.parametrize('vendor', MODELS)
def test_sync_runs_share_a_connection(vendor: str) -> None:
    with Wire(ANSWERS[vendor]('hello')) as wire:
        agent = Agent(MODELS[vendor](wire))
        for _ in range(5):
            agent.run_sync('hi')
        assert wire.connections == 1


@pytest.mark.parametrize('vendor', MODELS)
def test_threads_share_an_agent_and_no_connection(vendor: str) -> None:
    outputs: list[str] = []
    with Wire(ANSWERS[vendor]('hello')) as wire:
        agent = Agent(MODELS[vendor](wire))
        threads = [threading.Thread(target=lambda: outputs.append(agent.run_sync('hi').output)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()
        assert outputs == ['hello'] * 8
        assert wire.connections == 8


@pytest.mark.parametrize('vendor', MODELS)
def test_models_that_nobody_needs_are_closed_by_their_loop(vendor: str) -> None:
    async def main() -> None:
        with Wire(ANSWERS[vendor]('hello')) as wire:
            await Agent(MODELS[vendor](wire)).run('hi')
            before = open_files()
            for _ in range(3):
                await Agent(MODELS[vendor](wire)).run('hi')
                gc.collect()
            await until(lambda: open_files() <= before)

    asyncio.run(main())


@pytest.mark.parametrize('vendor', MODELS)
def test_a_provider_closes_the_connections_of_its_loop(vendor: str) -> None:
    async def main() -> None:
        with Wire(ANSWERS[vendor]('hello')) as wire:
            model = MODELS[vendor](wire)
            async with model.provider:
                first = model.client
                await Agent(model).run('hi')
                assert model.client is first
            assert model.client is not first
            assert (await Agent(model).run('hi')).output == 'hello'

    asyncio.run(main())
