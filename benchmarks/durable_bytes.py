"""How many bytes a run of 100 steps sends to Temporal's server: `python -m stead.dropin benchmarks/durable_bytes.py PORT`.

The bytes of arguments and outcomes of activities are what the server keeps; those of the connection are less, because the SDK
compresses them, and more, because it also sends what workflows and workers do. Pages have random words, so that they can be
compressed as text can.

The script is written against the mirrored interface, so that the reference implementation runs it too, with
`python benchmarks/durable_bytes.py PORT` in its environment. A server has to listen on the port.
"""

from __future__ import annotations

import asyncio
import random
import sys
from contextlib import suppress
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
WORDS = [''.join(random.Random(n).choices('etaoinshrdlu', k=2 + n % 8)) for n in range(2000)]


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool in each step."""
    step = sum(isinstance(message, ModelResponse) for message in messages)
    if step < STEPS:
        return ModelResponse(parts=[ToolCallPart('find', {'page': step}, f'call-{step}')])
    return ModelResponse(parts=[TextPart('done')])


agent = Agent(FunctionModel(play), name='bytes')


@agent.tool_plain
async def find(page: int) -> str:
    """Find a page."""
    return f'{page}: ' + ' '.join(random.Random(page).choices(WORDS, k=60))


durable = TemporalAgent(agent)


@workflow.defn
class Long:
    """A run of many steps."""

    @workflow.run
    async def run(self) -> int:
        """Run the agent, and return how many bytes its messages have."""
        result = await durable.run('Go.', usage_limits=UsageLimits(request_limit=None))
        return len(result.all_messages_json())


class Counter:
    """Passes on what is sent between the client and the server, and counts the bytes to the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.sent = 0

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, counts: bool) -> None:
        """Pass on what comes one way."""
        while data := await reader.read(2**16):
            self.sent += len(data) if counts else 0
            writer.write(data)
            await writer.drain()
        writer.close()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what comes both ways."""
        from_server, to_server = await asyncio.open_connection('127.0.0.1', self.port)
        with suppress(asyncio.CancelledError):  # the connection lives as long as the process
            await asyncio.gather(self.pump(reader, to_server, True), self.pump(from_server, writer, False))


async def main() -> None:
    """Run it, and count what is in the history of the workflow, and what is sent to the server."""
    counter = Counter(int(sys.argv[1]))
    server = await asyncio.start_server(counter.handle, '127.0.0.1', 0)
    address = f'127.0.0.1:{server.sockets[0].getsockname()[1]}'
    client = await Client.connect(address, plugins=[PydanticAIPlugin()])
    activities: Any = durable.temporal_activities
    async with Worker(client, task_queue='bytes', workflows=[Long], activities=activities):
        handle = await client.start_workflow(
            Long.run, id=f'bytes-{agent.__module__}-{id(agent)}', task_queue='bytes', run_timeout=timedelta(minutes=5)
        )
        messages = await handle.result()
        wire = counter.sent
        sent = 0
        async for event in handle.fetch_history_events():
            for kind, field in (
                ('activity_task_scheduled_event_attributes', 'input'),
                ('activity_task_completed_event_attributes', 'result'),
            ):
                sent += sum(len(payload.data) for payload in getattr(getattr(event, kind), field).payloads)
    print(f'{type(agent).__module__.partition(".")[0]}: {STEPS} steps, messages {messages:,} bytes', end=', ')
    print(f'arguments and outcomes of activities {sent:,} bytes, {sent / messages:.2f} times as many', end='; ')
    print(f'to the server, compressed, {wire:,} bytes, {wire / messages:.2f} times')
    server.close()


if __name__ == '__main__':
    asyncio.run(main())
