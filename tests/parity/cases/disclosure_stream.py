"""Events of a streamed run: typed calls and returns of the framework's tools."""

import asyncio

from _disclosure import LOCAL, capability, function, messages, part, show
from pydantic_ai import Agent
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


async def stream(messages, info):
    place = sum(message.kind == 'response' for message in messages)
    if place == 0:
        yield {0: DeltaToolCall('load_capability', '{"id":', tool_call_id='c1')}
        yield {0: DeltaToolCall(json_args='"a"}', tool_call_id='c1')}
    elif place == 2:
        yield {0: DeltaToolCall('search_tools', '{"queries": ["hidden"]}', tool_call_id='c2')}
    else:
        yield 'done'


async def main():
    agent = Agent(
        FunctionModel(stream_function=stream, **LOCAL),
        capabilities=[capability('a', 'one')],
        tools=[function('hidden', defer_loading=True)],
    )
    async with agent.run_stream_events('go') as events:
        async for event in events:
            item = getattr(event, 'part', None)
            show(type(event).__name__, part(item) if item is not None else '')
            if type(event).__name__ == 'AgentRunResultEvent':
                messages(event.result)


asyncio.run(main())
