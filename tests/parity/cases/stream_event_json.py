"""Events as JSON, and back."""

import asyncio
import json

from _common import fact
from _stream import call, script
from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai.messages import AgentStreamEvent
from pydantic_ai.models.function import DeltaThinkingPart

adapter = TypeAdapter(AgentStreamEvent)
TIMES = ('timestamp', 'run_id', 'conversation_id')


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in TIMES}
    return [plain(item) for item in value] if isinstance(value, list) else value


async def main():
    agent = Agent(
        script([{0: DeltaThinkingPart(content='hm')}, 'see ', *call('look', '{"x": 1}', index=1)], ['the ', 'end'])
    )

    @agent.tool_plain
    def look(x: int) -> dict:
        return {'x': x}

    async with agent.run_stream_events('q') as events:
        async for event in events:
            if type(event).__name__ == 'AgentRunResultEvent':
                fact('result', [event.event_kind, event.result.output])
                continue
            data = adapter.dump_json(event)
            fact(type(event).__name__, plain(json.loads(data)))
            fact('  back', adapter.validate_json(data) == event)


asyncio.run(main())
