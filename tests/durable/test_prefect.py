"""Runs on Prefect, whose own server is started by the tests: flows that are tried again, and the same messages as a plain run."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('prefect')
pytestmark = [
    pytest.mark.filterwarnings('ignore'),
    pytest.mark.xdist_group('prefect'),
]  # of its own packages; one server

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.context import TaskRunContext
from prefect.settings import (
    PREFECT_API_URL,
    PREFECT_HOME,
    PREFECT_LOGGING_LEVEL,
    PREFECT_SERVER_ANALYTICS_ENABLED,
    PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS,
    temporary_settings,
)
from prefect.testing.utilities import prefect_test_harness

from stead import Agent, RunContext
from stead.durable_exec.prefect import PrefectAgent
from stead.models.test import TestModel
from tests.durable import prefect_scenes, scenes
from tests.durable.scripts import KILLS, SCRIPTS, kill_random_agents, plain, random_script

durable = PrefectAgent(scenes.agent)


@pytest.fixture(scope='module', autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    settings = {
        PREFECT_HOME: tmp_path_factory.mktemp('prefect'),
        PREFECT_LOGGING_LEVEL: 'CRITICAL',
        PREFECT_SERVER_ANALYTICS_ENABLED: False,
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: 180,
    }
    with temporary_settings(settings), prefect_test_harness(server_startup_timeout=180):
        yield


def test_a_flow_that_is_tried_again_does_nothing_twice(world: Path) -> None:
    tries: list[str] = []
    script = [[['write', {'line': 'a'}], ['write', {'line': 'a'}], ['look', {'what': 'it'}]], [['pay', {'amount': 4}]]]

    @flow(retries=1)
    async def twice() -> Any:
        result = await scenes.run_to_end(durable, json.dumps(script), 'me')
        tries.append(result.run_id)
        if len(tries) == 1:
            raise ValueError('The flow fails after the run.')
        return scenes.masked(result.all_messages_json())

    messages = asyncio.run(twice())
    assert sorted(world.read_text().splitlines()) == ['look it', 'pay 4', 'write a', 'write a']
    assert tries[0] == tries[1], 'the run has the same id, so that idempotency keys are the same'
    assert messages == asyncio.run(plain(script))


def test_random_agents_do_what_they_do_in_a_plain_run() -> None:
    async def durably(script: Any) -> Any:
        try:
            return scenes.masked((await scenes.run_to_end(durable, json.dumps(script), 'me')).all_messages_json())
        except Exception as error:
            return type(error).__name__

    @flow(persist_result=False)
    async def together(seeds: list[int]) -> list[Any]:
        return await asyncio.gather(*(durably(random_script(seed)) for seed in seeds))

    async def main() -> None:
        # A flow takes many times as long as a run in one that is there, so few have one of their own.
        for seed in range(3):
            assert await durably(random_script(seed)) == await plain(random_script(seed)), seed
        for begin in range(0, SCRIPTS, 20):
            seeds = list(range(begin, begin + 20))
            for seed, messages in zip(seeds, await together(seeds)):
                assert messages == await plain(random_script(seed)), seed

    asyncio.run(main())


def test_random_agents_whose_process_is_killed_do_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings_of_the_server().items():
        monkeypatch.setenv(name, value)
    print(kill_random_agents('prefect', '', tmp_path / 'many', SCRIPTS, KILLS))


def settings_of_the_server() -> dict[str, str]:
    home = str(PREFECT_HOME.value())
    return {'PREFECT_API_URL': PREFECT_API_URL.value() or '', 'PREFECT_HOME': home, 'PREFECT_LOGGING_LEVEL': 'CRITICAL'}


def process(flow_run_id: str, script: Any, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, '-W', 'ignore', '-m', 'tests.durable.prefect_scenes', flow_run_id, json.dumps(script)],
        cwd=Path(__file__).parent.parent.parent,
        env={**os.environ, **settings_of_the_server(), **variables},
        stdout=subprocess.PIPE,
        text=True,
    )


async def new_flow_run() -> str:
    async with get_client() as client:
        return str((await client.create_flow_run(prefect_scenes.play, parameters={'script': ''})).id)


@pytest.mark.parametrize(
    ('script', 'line', 'answers'),
    [
        (
            [[['write', {'line': 'a'}]], [['wait', {'seconds': 0}]], [['pay', {'amount': 2}]]],
            'wait begins',
            ['wrote a', 'a person says that it was done', 'paid 2'],
        ),
        ([[['book', {'room': 7}]]], 'book ', ['booked before']),
    ],
    ids=['a write is asked about', 'a booking is looked up'],
)
def test_a_process_is_killed_and_another_one_goes_on(world: Path, script: Any, line: str, answers: list[str]) -> None:
    flow_run_id = asyncio.run(new_flow_run())
    with process(flow_run_id, script, STEAD_HANG='1') as one:
        end = time.monotonic() + 300
        while line not in world.read_text():
            assert time.monotonic() < end and one.poll() is None
            time.sleep(0.02)
        one.kill()
    with process(flow_run_id, script) as other:
        messages = json.loads(other.communicate(timeout=300)[0])
    parts = [part for message in messages for part in message['parts']]
    found = [part['content'] for part in parts if part['part_kind'] == 'tool-return']
    assert found == answers
    notes = world.read_text().splitlines()
    assert len(notes) == len(set(notes)) == len(answers), 'nothing is done twice'


def test_a_call_that_is_tried_again_has_the_same_key() -> None:
    keys: list[str] = []
    agent = Agent.from_spec({'model': 'test', 'name': 'keys', 'capabilities': [{'Durable': 'prefect'}]})
    wrapped = Agent(TestModel(), name='wrapped')

    @wrapped.tool(effect='idempotent')
    @agent.tool(effect='idempotent')
    def send(ctx: RunContext[None]) -> str:
        """Send."""
        keys.append(ctx.idempotency_key)
        if keys.count(ctx.idempotency_key) == 1:
            raise ConnectionError('The line is dead.')
        return 'sent'

    @flow(retries=1)
    async def twice() -> list[str]:
        wrapper = PrefectAgent(wrapped, tool_task_config={'retries': 1})
        return [(await agent.run('Send.')).output, (await wrapper.run('Send.')).output]

    assert asyncio.run(twice()) == ['{"send":"sent"}'] * 2
    assert (len(keys), len(set(keys))) == (4, 2), 'by the flow, and by the task'


def test_options_by_tool_of_a_spec() -> None:
    capability = {'engine': 'prefect', 'tools_by_name': {'here': None, 'flaky': {'retries': 1}}}
    agent = Agent.from_spec({'model': 'test', 'name': 'by-name', 'capabilities': [{'Durable': capability}]})
    tries: list[int] = []

    @agent.tool_plain
    def here() -> bool:
        """Return whether the call belongs to the flow itself."""
        return TaskRunContext.get() is None

    @agent.tool_plain(effect='read')
    def flaky() -> str:
        """Fail once."""
        tries.append(1)
        if len(tries) == 1:
            raise ConnectionError('The line is dead.')
        return 'fine'

    @flow
    async def once() -> str:
        return (await agent.run('Go.')).output

    assert asyncio.run(once()) == '{"here":true,"flaky":"fine"}'


def test_a_write_that_raised_is_called_again_when_the_flow_is_tried_again() -> None:
    calls: list[str] = []
    agent = Agent(TestModel(), name='raises')

    @agent.tool_plain
    def fetch(page: str) -> str:
        """Fetch a page."""
        calls.append(page)
        if len(calls) < 3:
            raise OSError('a passing fault')
        return 'the page'

    attempts: list[int] = []

    @flow(retries=3)
    async def work() -> str:
        attempts.append(len(calls))
        output = (await PrefectAgent(agent).run('Go.')).output
        if len(attempts) == 3:
            raise ValueError('The flow fails after the run.')
        return output

    assert asyncio.run(work()) == '{"fetch":"the page"}'
    assert attempts == [0, 1, 2, 3], 'each attempt calls it once, and the last one takes what is kept'
