"""How many bytes a run of 100 steps sends to Temporal's server: `python -m stead.dropin benchmarks/durable_bytes.py PORT`.

The script is written against the mirrored interface, so that the reference implementation runs it too, with
`python benchmarks/durable_bytes.py PORT` in its environment. A server has to listen on the port.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, UsageLimits
    from pydantic_ai.durable_exec.temporal import PydanticAIPlugin, TemporalAgent
    from pydantic_ai.models.function import AgentInfo, FunctionModel

STEPS = 100


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool in each step."""
    done = sum(isinstance(message, ModelResponse) for message in messages)
    if done < STEPS:
        return ModelResponse(parts=[ToolCallPart('find', {'page': done}, f'call-{done}')])
    return ModelResponse(parts=[TextPart('done')])


agent = Agent(FunctionModel(play), name='bytes')


@agent.tool_plain
async def find(page: int) -> str:
    """Find a page."""
    return f'{page}: ' + 'what is written on it ' * 20


durable = TemporalAgent(agent)


@workflow.defn
class Long:
    """A run of many steps."""

    @workflow.run
    async def run(self) -> str:
        """Run the agent, and return its messages."""
        result = await durable.run('Go.', usage_limits=UsageLimits(request_limit=None))
        return result.all_messages_json().decode()


async def main() -> None:
    """Run it, and count what is in the history of the workflow."""
    client = await Client.connect(f'localhost:{sys.argv[1]}', plugins=[PydanticAIPlugin()])
    activities: Any = durable.temporal_activities
    async with Worker(client, task_queue='bytes', workflows=[Long], activities=activities):
        handle = await client.start_workflow(
            Long.run, id=f'bytes-{agent.__module__}-{id(agent)}', task_queue='bytes', run_timeout=timedelta(minutes=5)
        )
        messages = len(await handle.result())
        sent = 0
        async for event in handle.fetch_history_events():
            for kind, field in (
                ('activity_task_scheduled_event_attributes', 'input'),
                ('activity_task_completed_event_attributes', 'result'),
            ):
                sent += sum(len(payload.data) for payload in getattr(getattr(event, kind), field).payloads)
    print(f'{type(agent).__module__.partition(".")[0]}: {STEPS} steps, messages {messages:,} bytes', end=', ')
    print(f'arguments and outcomes of activities {sent:,} bytes, {sent / messages:.2f} times as many')


if __name__ == '__main__':
    asyncio.run(main())
