"""The desk on Temporal: `python -m examples.durable.on_temporal work ORDERS` is a worker. It asks for the refund once."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from datetime import timedelta

from temporalio import workflow
from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from examples.durable.desk import Shop, desk
    from stead.durable_exec.temporal import PydanticAIPlugin, PydanticAIWorkflow, TemporalAgent

REFUND = 'refund-A-17'
"""The id of the workflow: an order is refunded once, even if the customer asks again after the workflow has ended."""

# The server notices a dead worker when its heartbeats stop.
agent = TemporalAgent(
    desk,
    activity_config={'start_to_close_timeout': timedelta(seconds=60), 'heartbeat_timeout': timedelta(seconds=3)},
)


@workflow.defn
class Desk(PydanticAIWorkflow):
    """Answers a customer."""

    __pydantic_ai_agents__ = [agent]

    @workflow.run
    async def run(self, text: str, shop: Shop) -> str:
        """Answer."""
        return (await agent.run(text, deps=shop)).output


async def work(path: str) -> None:
    """Work until the refund has an answer."""
    client = await Client.connect(f'localhost:{os.environ.get("TEMPORAL_PORT", "7233")}', plugins=[PydanticAIPlugin()])
    async with Worker(client, task_queue='desk', workflows=[Desk]):
        with suppress(WorkflowAlreadyStartedError):  # the process before this one has asked
            await client.start_workflow(
                Desk.run,
                args=['I want my money back for A-17.', Shop(path)],
                id=REFUND,
                task_queue='desk',
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            )
        handle = client.get_workflow_handle(REFUND)
        print(f'answer: {await handle.result()}', flush=True)


if __name__ == '__main__':
    asyncio.run(work(sys.argv[2]))
