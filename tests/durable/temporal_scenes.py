"""The scenes as workflows of Temporal, and a worker for them: `python -m tests.durable.temporal_scenes PORT QUEUE`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from stead import DeferredToolRequests, DeferredToolResults, RunContext
    from stead.durable_exec.temporal import PydanticAIPlugin, PydanticAIWorkflow, TemporalAgent
    from tests.durable.killed import Play as Played
    from tests.durable.scenes import agent, note, run_to_end


async def show(ctx: RunContext[Any], events: Any) -> None:
    """Write down what kinds of events there were."""
    kinds = [event.event_kind async for event in events]
    note(f'events {",".join(dict.fromkeys(kinds))}')


QUICK: Any = {'start_to_close_timeout': timedelta(seconds=90), 'heartbeat_timeout': timedelta(seconds=3)}
durable = TemporalAgent(agent)
fleeting = TemporalAgent(agent, name='fleeting', activity_config=QUICK)  # that a worker is gone is known soon
streaming = TemporalAgent(agent, name='shown', event_stream_handler=show)
unlimited = TemporalAgent(agent, name='unlimited', largest_payload=None)


@workflow.defn
class Play(PydanticAIWorkflow):
    """Plays a script to its end, and returns the messages."""

    __pydantic_ai_agents__ = [durable, fleeting, streaming, unlimited]

    @workflow.run
    async def run(self, script: str, deps: str, name: str = 'scripted') -> str:
        """Run the agent."""
        (runner,) = (each for each in self.__pydantic_ai_agents__ if each.name == name)
        result = await run_to_end(runner, script, deps)
        return result.all_messages_json().decode()


@workflow.defn
class Ask(PydanticAIWorkflow):
    """Plays a script; a person decides by a signal."""

    __pydantic_ai_agents__ = [durable]

    def __init__(self) -> None:
        self.decision: bool | None = None

    @workflow.signal
    async def decide(self, approved: bool) -> None:
        """Decide."""
        self.decision = approved

    @workflow.query
    def waits(self) -> bool:
        """Whether a person has to decide."""
        return self.waiting

    waiting = False

    @workflow.run
    async def run(self, script: str, deps: str) -> str:
        """Run the agent."""
        result = await durable.run(script, deps=deps)
        while isinstance(result.output, DeferredToolRequests):
            self.waiting = True
            await workflow.wait_condition(lambda: self.decision is not None, timeout=timedelta(days=3))
            approvals = {call.tool_call_id: bool(self.decision) for call in result.output.approvals}
            self.waiting, self.decision = False, None
            result = await durable.run(
                deps=deps,
                message_history=result.all_messages(),
                deferred_tool_results=DeferredToolResults(approvals=approvals),
            )
        return str(result.output)


WORKFLOWS: list[type] = [Play, Ask]


@asynccontextmanager
async def opened(port: str) -> AsyncIterator[Played]:
    """Yield what plays a script under a name to its end, with a worker of this process, and returns the messages."""
    client = await Client.connect(f'localhost:{port}', plugins=[PydanticAIPlugin()])

    async def named(name: str, script: str) -> str:
        handle = client.get_workflow_handle(name)
        with suppress(
            WorkflowAlreadyStartedError
        ):  # by a process that was killed, perhaps after the workflow had ended
            await client.start_workflow(
                Play.run,
                args=[script, 'me', 'fleeting'],
                id=name,
                task_queue='many',
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            )
        try:
            return await handle.result()
        except WorkflowFailureError as error:
            raise type(getattr(error.cause, 'type', None) or 'Unknown', (Exception,), {})() from error

    async with Worker(
        client, task_queue='many', workflows=[Play], sticky_queue_schedule_to_start_timeout=timedelta(seconds=1)
    ):
        yield named


async def main(port: str, queue: str) -> None:
    """Work until the process is killed."""
    client = await Client.connect(f'localhost:{port}', plugins=[PydanticAIPlugin()])
    async with Worker(client, task_queue=queue, workflows=WORKFLOWS):
        print('ready', flush=True)
        await asyncio.Event().wait()


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
