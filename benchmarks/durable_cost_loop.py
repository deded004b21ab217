"""One loop on one engine, for `benchmarks/durable_cost.py`, which starts this program in the environment to be measured.

    python -m stead.dropin durable_cost_loop.py ENGINE STEPS PORT DIRECTORY

It is written against the mirrored interface, so that the reference implementation runs it too, with
`python durable_cost_loop.py ...`. `ENGINE` is `plain`, `journal-async`, `journal-sync`, `dbos`, `temporal` or `prefect`. The
model is a function that answers at once, and calls a tool in each step. Prints the seconds of CPU time of this process, and
those that went by, of the second of two runs.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, UsageLimits
from pydantic_ai.models.function import AgentInfo, FunctionModel

ENGINE, STEPS, PORT, DIRECTORY = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
NO_LIMIT = UsageLimits(request_limit=None)
Run = Callable[[str], Awaitable[Any]]
"""Makes a run, under a name of its own."""


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool in each step."""
    step = sum(isinstance(message, ModelResponse) for message in messages)
    if step < STEPS:
        return ModelResponse(parts=[ToolCallPart('add', {'a': step, 'b': 1}, f'call-{step}')])
    return ModelResponse(parts=[TextPart('done')])


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def agent(*capabilities: Any) -> Agent[None, str]:
    """Build the agent."""
    options: Any = {'capabilities': capabilities} if capabilities else {}
    return Agent(FunctionModel(play), name='cost', tools=[add], **options)


@asynccontextmanager
async def plain() -> AsyncIterator[Run]:
    """Without an engine."""
    it = agent()
    yield lambda _: it.run('go', usage_limits=NO_LIMIT)


@asynccontextmanager
async def journal(durability: Any) -> AsyncIterator[Run]:
    """With a journal in a file."""
    from stead.journal import Journal

    it = agent(Journal(f'{DIRECTORY}/journal.db', durability=durability))
    yield lambda _: it.run('go', usage_limits=NO_LIMIT)


@asynccontextmanager
async def dbos() -> AsyncIterator[Run]:
    """On DBOS, in a file."""
    from dbos import DBOS
    from pydantic_ai.durable_exec.dbos import DBOSAgent

    DBOS(config={'name': 'cost', 'system_database_url': f'sqlite:///{DIRECTORY}/dbos.db', 'log_level': 'ERROR'})
    it: Any = DBOSAgent(agent())
    DBOS.launch()
    yield lambda _: it.run('go', usage_limits=NO_LIMIT)
    DBOS.destroy()


@asynccontextmanager
async def prefect() -> AsyncIterator[Run]:
    """On Prefect, with a server of its own."""
    from prefect.settings import PREFECT_LOGGING_LEVEL, PREFECT_SERVER_ANALYTICS_ENABLED, temporary_settings
    from prefect.testing.utilities import prefect_test_harness
    from pydantic_ai.durable_exec.prefect import PrefectAgent

    settings = {PREFECT_LOGGING_LEVEL: 'CRITICAL', PREFECT_SERVER_ANALYTICS_ENABLED: False}
    with temporary_settings(settings), prefect_test_harness(server_startup_timeout=180):
        it: Any = PrefectAgent(agent())
        yield lambda _: it.run('go', usage_limits=NO_LIMIT)


if ENGINE == 'temporal':
    from pydantic_ai.durable_exec.temporal import PydanticAIPlugin, PydanticAIWorkflow, TemporalAgent
    from temporalio import workflow
    from temporalio.client import Client
    from temporalio.worker import UnsandboxedWorkflowRunner, Worker

    durable = TemporalAgent(agent())

    @workflow.defn
    class Loop(PydanticAIWorkflow):
        """Runs the loop."""

        __pydantic_ai_agents__ = [durable]

        @workflow.run
        async def run(self) -> str:
            """Run it."""
            return (await durable.run('go', usage_limits=NO_LIMIT)).output


@asynccontextmanager
async def temporal() -> AsyncIterator[Run]:
    """On Temporal, whose server listens on the port; this process is the worker."""
    client = await Client.connect(f'127.0.0.1:{PORT}', plugins=[PydanticAIPlugin()])
    # Without the sandbox, which would import this program again for each workflow.
    worker = Worker(client, task_queue=DIRECTORY, workflows=[Loop], workflow_runner=UnsandboxedWorkflowRunner())
    async with worker:
        limit = timedelta(minutes=10)
        yield lambda name: client.execute_workflow(
            Loop.run, id=f'{DIRECTORY}-{name}', task_queue=DIRECTORY, run_timeout=limit
        )


async def main() -> None:
    """Run the loop twice."""
    kind, _, durability = ENGINE.partition('-')
    opened: Any = globals()[kind]
    async with opened(durability) if durability else opened() as run:
        await run('first')
        cpu, elapsed = time.process_time(), time.perf_counter()
        await run('second')
        cost = {'cpu': time.process_time() - cpu, 'elapsed': time.perf_counter() - elapsed}
    print(json.dumps(cost))


if __name__ == '__main__':
    asyncio.run(main())
