"""Runs on Prefect, whose own server is started by the tests: flows that are tried again, and the same messages as a plain run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('prefect')
pytestmark = pytest.mark.filterwarnings('ignore')  # of its own packages

from prefect import flow
from prefect.settings import (
    PREFECT_HOME,
    PREFECT_LOGGING_LEVEL,
    PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS,
    temporary_settings,
)
from prefect.testing.utilities import prefect_test_harness

from stead.durable_exec.prefect import PrefectAgent
from tests.durable import scenes
from tests.durable.scripts import SCRIPTS, plain, random_script

durable = PrefectAgent(scenes.agent)


@pytest.fixture(scope='module', autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    settings = {
        PREFECT_HOME: tmp_path_factory.mktemp('prefect'),
        PREFECT_LOGGING_LEVEL: 'CRITICAL',
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: 180,
    }
    with temporary_settings(settings), prefect_test_harness(server_startup_timeout=180):
        yield


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / 'world'
    path.touch()
    monkeypatch.setenv('STEAD_WORLD', str(path))
    return path


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

    got = asyncio.run(twice())
    assert sorted(world.read_text().splitlines()) == ['look it', 'pay 4', 'write a', 'write a']
    assert tries[0] == tries[1], 'the run has the same id, so that idempotency keys are the same'
    assert got == asyncio.run(plain(script))


def test_random_agents_do_what_they_do_in_a_plain_run() -> None:
    async def durably(script: Any) -> Any:
        try:
            return scenes.masked((await scenes.run_to_end(durable, json.dumps(script), 'me')).all_messages_json())
        except Exception as error:
            return type(error).__name__

    async def main() -> None:
        for seed in range(min(SCRIPTS, 40)):
            script = random_script(seed)
            assert await durably(script) == await plain(script), script

    asyncio.run(main())
