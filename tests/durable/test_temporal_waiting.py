"""Waiting for people for hours, and continuing as a new workflow, on Temporal's server: nothing that waits is lost."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('temporalio')
from tests.durable.servers import TemporalServer, find_temporal, until

find_temporal()

from temporalio.api.common.v1 import TimeSkippingConfig
from temporalio.client import Interceptor, OutboundInterceptor, StartWorkflowInput
from temporalio.worker import Worker

from tests.durable import scenes
from tests.durable.temporal_waiting import WORKFLOWS, Long, Remind, Talk, long_agent

LIMIT = timedelta(minutes=4)


class _Skipping(OutboundInterceptor):
    async def start_workflow(self, input: StartWorkflowInput) -> Any:
        input.time_skipping_config = TimeSkippingConfig(enabled=True, max_session_skip_count=5)
        return await super().start_workflow(input)


class Skipping(Interceptor):
    """Lets the server skip the time until the next timer of a workflow, five times."""

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        return _Skipping(next)


def test_a_decision_comes_as_an_update_hours_later(temporal: TemporalServer, world: Path) -> None:
    async def main() -> tuple[str, str]:
        client = await temporal.client(interceptors=[Skipping()])
        async with Worker(client, task_queue='hours', workflows=WORKFLOWS):
            script = json.dumps([[['pay', {'amount': 3}]]])
            handle = await client.start_workflow(Remind.run, script, id='hours', task_queue='hours')

            async def reminded() -> bool:
                return await handle.query(Remind.reminded) >= 5

            await until(reminded)
            assert await handle.query(Remind.reminded) == 5, 'then the time is as it is'
            thanks = await handle.execute_update(Remind.decide, True)
            return thanks, await handle.result()

    assert asyncio.run(main()) == ('thank you', "After 1 steps: ['paid 3'] 5")
    assert world.read_text() == 'pay 3\n'


def test_a_long_run_goes_on_as_a_new_workflow(temporal: TemporalServer, world: Path) -> None:
    script = json.dumps(
        [[['remind', {'text': f'{n}'}], ['look', {'what': f'{n}'}]] for n in range(10)]
        + [[['mend', {'tries': 2}]], [['mend', {'tries': 2}]], [['mend', {'tries': 2}]]]
        + [[['write', {'line': f'{n}'}]] for n in range(3)]
    )

    async def main() -> list[Any]:
        client = await temporal.client()
        async with Worker(client, task_queue='long', workflows=WORKFLOWS):
            return await client.execute_workflow(Long.run, script, id='long', task_queue='long', run_timeout=LIMIT)

    messages, requests, calls, workflows = asyncio.run(main())
    notes = world.read_text().splitlines()
    assert len(notes) == len(set(notes)) == 10 + 10 + 2, (
        'nothing is done twice, and the third `write` is over the limit'
    )
    assert workflows > 2
    plain = asyncio.run(long_agent.run(script, deps='me'))
    assert scenes.masked(messages) == scenes.masked(plain.all_messages_json())
    assert (requests, calls) == (plain.usage.requests, plain.usage.tool_calls)
    assert len({message['run_id'] for message in json.loads(messages)}) == 1, 'it is one run, under one id'


def test_a_conversation_goes_on_as_a_new_workflow_with_what_waits(temporal: TemporalServer, world: Path) -> None:
    prompts = [json.dumps([[['look', {'what': str(n) * 500}]], [['pay', {'amount': n}]]]) for n in range(4)]

    async def main() -> list[Any]:
        client = await temporal.client()
        async with Worker(client, task_queue='talk', workflows=WORKFLOWS):
            handle = await client.start_workflow(Talk.run, args=[[]], id='talk', task_queue='talk', run_timeout=LIMIT)
            for prompt in [*prompts, 'goodbye']:
                await handle.signal(Talk.say, prompt)
            for decision in (True, False, True, True):
                await handle.signal(Talk.decide, decision)
            return await handle.result()

    messages, workflows = asyncio.run(main())
    assert workflows > 2
    assert [line for line in world.read_text().splitlines() if line.startswith('pay')] == ['pay 0', 'pay 2', 'pay 3']
    contents = [part['content'] for message in json.loads(messages) for part in message['parts'] if 'content' in part]
    assert [text for text in contents if text in prompts] == prompts, 'each prompt was answered once, in order'
