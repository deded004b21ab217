"""Runs on DBOS, in a database in a file: processes that die, and the same messages as a plain run."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('dbos')
pytestmark = pytest.mark.filterwarnings('ignore')  # of its own packages

from dbos import DBOS, SetWorkflowID

from stead import Agent, RunContext
from stead.durable_exec.dbos import DBOSAgent
from stead.models.test import TestModel
from tests.durable import dbos_scenes, scenes
from tests.durable.scripts import KILLS, SCRIPTS, kill_random_agents, plain, random_script
from tests.journal.conftest import PostgresServer, postgres_server

__all__ = ('postgres_server',)

ROOT = Path(__file__).parent.parent.parent
SCENES = ['tests.durable.dbos_scenes', 'it']
CAPABILITY = ['tests.durable.dbos_capability']


@pytest.fixture(params=['sqlite', 'postgres'])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that does not exist yet."""
    if request.param == 'sqlite':
        return f'sqlite:///{tmp_path}/dbos.db'
    server: PostgresServer = request.getfixturevalue('postgres_server')
    return f'{server.url.rpartition("/")[0]}/dbos_{server.new_schema()}'


def process(url: str, folder: Path, script: Any, program: list[str], **variables: str) -> subprocess.Popen[str]:
    module, *args = program
    return subprocess.Popen(
        [sys.executable, '-m', module, url, *args, json.dumps(script)],
        cwd=ROOT,
        env={**os.environ, 'STEAD_WORLD': str(folder / 'world'), **variables},
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_when(url: str, folder: Path, script: Any, line: str, program: list[str] = SCENES) -> None:
    """Play a script in a process that is killed once a line was written."""
    world = folder / 'world'
    world.touch()
    with process(url, folder, script, program, STEAD_HANG='1') as one:
        end = time.monotonic() + 180
        while line not in world.read_text():
            assert time.monotonic() < end and one.poll() is None
            time.sleep(0.05)
        one.kill()


def finish(url: str, folder: Path, script: Any, program: list[str] = SCENES) -> list[Any]:
    """Play it in another process, and return what tools returned."""
    with process(url, folder, script, program) as other:
        messages = json.loads(other.communicate(timeout=180)[0])
    parts = [part for message in messages for part in message['parts']]
    return [part['content'] for part in parts if part['part_kind'] == 'tool-return']


@pytest.mark.parametrize(
    ('script', 'line', 'answers', 'count'),
    [
        ([[['write', {'line': 'a'}]], [['wait', {'seconds': 0}]]], 'wait begins', ['wrote a', 'DONE'], 1),
        ([[['look', {'what': 'slow'}]]], 'look slow', [{'what': 'slow', 'by': 'me', 'attempt': 0}], 2),
        ([[['book', {'room': 7}]]], 'book ', ['booked before'], 1),
    ],
    ids=['a write is asked about', 'a read is repeated', 'a booking is looked up'],
)
def test_a_process_is_killed_in_a_call(
    url: str, tmp_path: Path, script: Any, line: str, answers: list[Any], count: int
) -> None:
    kill_when(url, tmp_path, script, line)
    decision = 'a person says that it was done'
    assert finish(url, tmp_path, script) == [decision if answer == 'DONE' else answer for answer in answers]
    world = (tmp_path / 'world').read_text()
    assert world.count(line) == count
    assert world.count('write a') <= 1


def test_random_agents_do_what_they_do_in_a_plain_run(url: str) -> None:
    async def main() -> None:
        dbos_scenes.launch(url)
        for seed in range(SCRIPTS):
            script = random_script(seed)
            try:
                result = await dbos_scenes.play(f'run-{seed}', json.dumps(script))
                outcome = scenes.masked(result.all_messages_json())
            except Exception as error:
                outcome = type(error).__name__
            assert outcome == await plain(script), script

    try:
        asyncio.run(main())
    finally:
        DBOS.destroy()


def test_random_agents_whose_process_is_killed_do_nothing_twice(url: str, tmp_path: Path) -> None:
    print(kill_random_agents('dbos', url, tmp_path / 'many', SCRIPTS, KILLS))


def test_a_capability_of_a_spec_does_the_same_in_workflows_of_others(url: str, tmp_path: Path) -> None:
    script = [[['keyed', {'step': 1}], ['write', {'line': 'a'}]], [['wait', {'seconds': 0}]], [['pay', {'amount': 2}]]]
    kill_when(url, tmp_path, script, 'wait begins', CAPABILITY)
    answers = finish(url, tmp_path, script, CAPABILITY)
    assert answers == ['keyed 1', 'wrote a', 'a person says that it was done', 'paid 2']
    assert [line.partition(' ')[0] for line in (tmp_path / 'world').read_text().splitlines()] == [
        'keyed',
        'write',
        'wait',
        'pay',
    ]


def test_a_call_that_is_tried_again_has_the_same_key(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[str] = []
    # A name of its own for each store: DBOS keeps what is registered for the whole process.
    agent = Agent(TestModel(), name=f'keys-{url.partition(":")[0]}')

    @agent.tool(effect='idempotent')
    def send(ctx: RunContext[None]) -> str:
        """Send."""
        keys.append(ctx.idempotency_key)
        if len(keys) == 1:
            raise ConnectionError('The line is dead.')
        return 'sent'

    async def main() -> str:
        durable = DBOSAgent(agent, tool_step_config={'retries_allowed': True, 'interval_seconds': 0.01})
        dbos_scenes.launch(url)
        return (await durable.run('Send.')).output

    try:
        assert asyncio.run(main()) == '{"send":"sent"}'
    finally:
        DBOS.destroy()
    assert len(keys) == 2 and len(set(keys)) == 1


def test_a_tool_in_the_workflow_can_wait_and_start_workflows(url: str) -> None:
    name = f'waits-{url.partition(":")[0]}'
    agent, asked = Agent(TestModel(), name=name), asyncio.Event()

    @DBOS.workflow(name=f'{name}-ship')
    async def ship(number: int) -> int:
        return number + 1

    @agent.tool_plain
    async def ask_a_person() -> str:
        """Ask."""
        asked.set()
        return str(await DBOS.recv_async('answer', timeout_seconds=60))

    @agent.tool_plain
    async def start_shipping() -> int:
        """Ship."""
        return await ship(1)

    async def main() -> str:
        durable = DBOSAgent(agent, tool_step_config_by_name={'ask_a_person': None, 'start_shipping': None})
        dbos_scenes.launch(url)
        with SetWorkflowID(name):
            running = asyncio.ensure_future(durable.run('Go.'))
        await asked.wait()
        await DBOS.send_async(name, 'yes', 'answer')
        return (await running).output

    try:
        assert asyncio.run(main()) == '{"ask_a_person":"yes","start_shipping":2}'
    finally:
        DBOS.destroy()
