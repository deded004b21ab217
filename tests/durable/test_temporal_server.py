"""Runs on Temporal's server, which the tests start: faults, waiting, cancellation, and the same messages as a plain run."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('temporalio')
from tests.durable.servers import TemporalServer, find_temporal, until, worker

find_temporal()

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.worker import Worker

from tests.durable import scenes
from tests.durable.scripts import SCRIPTS, plain, random_script
from tests.durable.temporal_scenes import WORKFLOWS, Ask, Play


async def start(client: Client, queue: str, script: Any, **more: Any) -> WorkflowHandle[Any, Any]:
    args = [json.dumps(script), 'me', *more.values()]
    return await client.start_workflow(Play.run, args=args, id=f'{queue}-{time.monotonic_ns()}', task_queue=queue)


def answers(messages_json: str) -> list[Any]:
    return [
        part['content']
        for message in json.loads(messages_json)
        for part in message['parts']
        if part['part_kind'] == 'tool-return'
    ]


def test_random_agents_do_what_they_do_in_a_plain_run(temporal: TemporalServer) -> None:
    async def main() -> None:
        client = await temporal.client()
        async with Worker(client, task_queue='random', workflows=WORKFLOWS):

            async def durably(script: Any) -> Any:
                try:
                    handle = await start(client, 'random', script)
                    return scenes.masked(await handle.result())
                except WorkflowFailureError as error:
                    return getattr(error.cause, 'type', None)

            for begin in range(0, SCRIPTS, 20):
                scripts = [random_script(seed) for seed in range(begin, begin + 20)]
                expected = [await plain(script) for script in scripts]
                actual = await asyncio.gather(*map(durably, scripts))
                for script, one, other in zip(scripts, expected, actual):
                    assert one == other, script

    asyncio.run(main())


def test_a_write_is_not_repeated_when_its_worker_dies(temporal: TemporalServer, world: Path) -> None:
    async def main() -> None:
        client = await temporal.client()
        with worker(temporal, 'killed', STEAD_HANG='1'):
            handle = await start(client, 'killed', [[['wait', {'seconds': 0}]]], name='fleeting')
            await until(lambda: 'wait begins' in world.read_text())
        with worker(temporal, 'killed'):
            messages = await handle.result()
        assert answers(messages) == ['a person says that it was done']

    asyncio.run(main())
    assert world.read_text().count('wait begins') == 1


def test_a_read_is_repeated_and_a_booking_is_looked_up(temporal: TemporalServer, world: Path) -> None:
    async def main() -> None:
        client = await temporal.client()
        with worker(temporal, 'replaced', STEAD_HANG='1'):
            reads = await start(client, 'replaced', [[['look', {'what': 'slow'}]]], name='fleeting')
            books = await start(client, 'replaced', [[['book', {'room': 7}]]], name='fleeting')
            await until(lambda: 'look slow' in world.read_text() and 'book ' in world.read_text())
        with worker(temporal, 'replaced'):
            assert answers(await reads.result()) == [{'what': 'slow', 'by': 'me', 'attempt': 0}]
            assert answers(await books.result()) == ['booked before']

    asyncio.run(main())
    assert world.read_text().count('look slow') == 2
    assert world.read_text().count('book ') == 1


def test_a_decision_comes_as_a_signal_after_the_server_was_started_again(tmp_path: Path, world: Path) -> None:
    server = TemporalServer(tmp_path)
    server.start()
    script = json.dumps([[['pay', {'amount': 3}]]])

    async def ask() -> str:
        client = await server.client()
        with worker(server, 'ask'):
            handle = await client.start_workflow(Ask.run, args=[script, 'me'], id='ask', task_queue='ask')

            async def waits() -> bool:
                return bool(await handle.query(Ask.waits))

            await until(waits)
        return handle.id

    async def decide() -> str:
        client = await server.client()
        handle = client.get_workflow_handle('ask')
        await handle.signal(Ask.decide, True)
        with worker(server, 'ask'):
            return await handle.result()

    try:
        asyncio.run(ask())
        server.stop()
        server.start()
        assert asyncio.run(decide()) == "After 1 steps: ['paid 3']"
    finally:
        server.stop()
    assert world.read_text() == 'pay 3\n'


def test_cancellation_reaches_the_tool(temporal: TemporalServer, world: Path) -> None:
    async def main() -> None:
        client = await temporal.client()
        async with Worker(client, task_queue='cancelled', workflows=WORKFLOWS):
            handle = await start(client, 'cancelled', [[['wait', {'seconds': 60}]]], name='fleeting')
            await until(lambda: 'wait begins' in world.read_text())
            await handle.cancel()
            with pytest.raises(WorkflowFailureError):
                await handle.result()
            await until(lambda: 'wait is cancelled' in world.read_text())

    asyncio.run(main())


def test_what_is_too_large_is_named(temporal: TemporalServer) -> None:
    async def main() -> None:
        client = await temporal.client()
        async with Worker(client, task_queue='large', workflows=WORKFLOWS):
            handle = await start(client, 'large', [[['large', {'megabytes': 3}]]])
            with pytest.raises(WorkflowFailureError) as caught:
                await handle.result()
            cause: Any = caught.value.cause.cause  # type: ignore[union-attr]
            assert cause.type == 'PayloadTooLarge'
            assert "The outcome of call_tool (large) of the agent 'scripted' has 3,145" in str(cause)

    asyncio.run(main())


def test_a_handler_sees_the_events(temporal: TemporalServer, world: Path) -> None:
    async def main() -> None:
        client = await temporal.client()
        async with Worker(client, task_queue='watched', workflows=WORKFLOWS):
            handle = await start(client, 'watched', [[['write', {'line': 'a'}]]], name='shown')
            await handle.result()

    asyncio.run(main())
    assert world.read_text().splitlines() == [
        'events part_start,part_end',
        'events function_tool_call',
        'write a',
        'events function_tool_result',
        'events part_start,final_result,part_end',
    ]
