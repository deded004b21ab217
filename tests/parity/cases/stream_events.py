"""The events of `iter`, of event handlers, of `run_stream` and of `run_stream_events`, in order."""

import asyncio
import json

from _stream import call, parts, script, show
from pydantic_ai import Agent


async def main():
    # 1. events of iter
    def make(**options):
        agent = Agent(script(['let ', 'me ', *call('add', '{"a": 1, "b": 2}')], ['the ', 'answer ', 'is 3']), **options)

        @agent.tool_plain
        def add(a: int, b: int) -> int:
            return a + b

        return agent

    agent = make()
    async with agent.iter('q') as run:
        async for node in run:
            print(type(node).__name__)
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as node_stream:
                    print('  ', type(node_stream).__name__)
                    async for event in node_stream:
                        print('  ', json.dumps(show(event)))
                    print(
                        '  ',
                        node_stream.response.state,
                        node_stream.usage.output_tokens
                        if not callable(node_stream.usage)
                        else node_stream.usage().output_tokens,
                    )
            elif Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as node_stream:
                    async for event in node_stream:
                        print('  ', json.dumps(show(event)))
    print(run.result.output, parts(run.result.all_messages()))
    # 2. event handler on run
    handlers = [0]

    async def handler(ctx, stream):
        handlers[0] += 1
        place = handlers[0]
        print('handler', place)
        async for event in stream:
            print('  ', place, json.dumps(show(event)))
        print('handler end', place)

    agent = make()
    result = await agent.run('q', event_stream_handler=handler)
    print(result.output)
    agent = make(event_stream_handler=handler)
    try:
        async with agent.iter('q') as run:
            node = run.next_node
            while not Agent.is_end_node(node):
                node = await run.next(node)
        print('iter', run.result.output)
    except Exception:
        print('iter next does not stream')
    # 3. run_stream
    agent = make()
    async with agent.run_stream('q', event_stream_handler=handler) as node_stream:
        print('in run_stream', node_stream.is_complete, node_stream.response.state, parts(node_stream.all_messages()))
        async for text in node_stream.stream_text(debounce_by=None):
            print('   text', repr(text))
        print(node_stream.is_complete)
    print(parts(node_stream.all_messages()), len(node_stream.new_messages()))
    # 4. run_stream_events
    agent = make()
    async with agent.run_stream_events('q') as run_events:
        async for event in run_events:
            print('  ', json.dumps(show(event)))
    async for event in make().run_stream_events('q'):
        print(type(event).__name__)


asyncio.run(main())
