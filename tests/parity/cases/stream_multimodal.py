"""Streams of prompts and tools with media, and of agents that hand over to another."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, show
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import BinaryContent, ImageUrl


async def main():
    agent = Agent(script(call('picture'), ['a ', 'picture']))

    @agent.tool_plain
    def picture() -> BinaryContent:
        return BinaryContent(b'\x89PNG', media_type='image/png')

    async with agent.run_stream_events(['look at', ImageUrl('https://example.com/a.png')]) as events:
        async for event in events:
            print('   ', json.dumps(show(event)))
            result = getattr(event, 'result', None)
    fact('kinds', [[part.part_kind for part in message.parts] for message in result.all_messages()])

    inner = Agent(script(['in', 'ner']))
    outer = Agent(script(call('ask'), ['out', 'er']))
    heard = []

    @outer.tool
    async def ask(ctx: RunContext) -> str:
        async def listen(ctx, stream):
            async for event in stream:
                heard.append(show(event)[0])

        return (await inner.run('sub', usage=ctx.usage, event_stream_handler=listen)).output

    async with outer.run_stream('q') as result:
        fact('nested', [await result.get_output(), result.usage.requests, heard])

    @outer.tool
    async def stream(ctx: RunContext) -> str:
        async with inner.run_stream('sub', usage=ctx.usage) as result:
            return ''.join([text async for text in result.stream_text(delta=True, debounce_by=None)])

    with outer.override(model=script(call('stream'), ['out', 'er'])), inner.override(model=script(['in', 'ner'])):
        async with outer.run_stream('q') as result:
            fact('nested stream', [await result.get_output(), result.usage.requests, parts(result.all_messages())])


asyncio.run(main())
