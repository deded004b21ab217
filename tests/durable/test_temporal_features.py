"""What agents can do, each in a workflow on Temporal's server, and one whose module is imported in the sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest

pytest.importorskip('temporalio')
from tests.durable.servers import ROOT, TemporalServer, find_temporal

find_temporal()

from temporalio.client import WorkflowFailureError
from temporalio.worker import Worker

from tests.durable.scenes import masked
from tests.durable.temporal_features import AGENTS, EFFECTS, RUNS
from tests.durable.temporal_one import One, Small, small


def test_each_does_in_a_workflow_what_it_does_elsewhere(temporal: TemporalServer) -> None:
    async def main() -> dict[int, str]:
        client = await temporal.client()
        found: dict[int, str] = {}
        async with Worker(client, task_queue='features', workflows=[One]):

            async def play(number: int) -> None:
                name, options, _ = RUNS[number]
                found[number] = await client.execute_workflow(
                    One.run,
                    args=[name, options],
                    id=f'features-{number}',
                    task_queue='features',
                    execution_timeout=timedelta(minutes=3),
                )

            await asyncio.gather(*map(play, range(len(RUNS))))
        return found

    found = asyncio.run(main())
    for number, (name, options, expected) in enumerate(RUNS):
        if expected is None:
            expected = AGENTS[name].run_sync('Go.').output
        assert found[number] == expected, (name, options)
    assert len(EFFECTS) == 4 and len(set(EFFECTS)) == 2, 'each call was made twice under one key'


def test_the_provider_of_a_named_model_is_made_for_the_run(temporal: TemporalServer) -> None:
    async def main() -> None:
        client = await temporal.client()
        async with Worker(client, task_queue='providers', workflows=[One]):
            with pytest.raises(WorkflowFailureError) as caught:
                await client.execute_workflow(
                    One.run,
                    args=['providers', {'model': 'openai:gpt-5', 'deps': 'Ada'}],
                    id='providers',
                    task_queue='providers',
                    execution_timeout=timedelta(minutes=3),
                )
        cause: Any = caught.value.cause
        assert 'There is no openai for Ada.' in str(cause.cause)

    asyncio.run(main())


def test_an_agent_can_be_built_in_the_sandbox(temporal: TemporalServer) -> None:
    async def main() -> str:
        client = await temporal.client()
        async with Worker(client, task_queue='small', workflows=[Small]):
            return await client.execute_workflow(
                Small.run, id='small', task_queue='small', execution_timeout=timedelta(minutes=3)
            )

    assert masked(asyncio.run(main())) == masked(small.run_sync('Go.').all_messages_json())


def test_logfire_gets_one_trace_from_the_caller_to_the_activities(temporal: TemporalServer) -> None:
    pytest.importorskip('logfire')
    process = subprocess.run(
        [sys.executable, '-m', 'tests.durable.temporal_traced', str(temporal.port)],
        cwd=ROOT,
        env={**os.environ, 'LOGFIRE_SEND_TO_LOGFIRE': 'false', 'LOGFIRE_CONSOLE': 'false'},
        stdout=subprocess.PIPE,
        check=True,
        timeout=300,
    )
    # The SDK may warn on standard output, too, that metrics cannot be sent any more.
    (printed,) = (line for line in process.stdout.splitlines() if line.startswith(b'{'))
    found = json.loads(printed)
    expected = [
        ['CompleteWorkflow:One', 'StartWorkflow:One'],
        ['RunActivity:agent__models__model_request', 'StartActivity:agent__models__model_request'],
        ['RunWorkflow:One', 'StartWorkflow:One'],
        ['StartActivity:agent__models__model_request', 'chat function:<lambda>:'],
        ['StartWorkflow:One', 'the caller'],
        ['agent run', 'StartWorkflow:One'],
        ['chat function:<lambda>:', 'agent run'],
        ['the caller', None],
    ]
    assert found['spans'] == expected == found['measured']
    assert ['/v1/metrics', 'Bearer pylf_v1_us_0123456789'] in found['sent']
