"""The stream of a node: the ways to read it, and what the run makes of it."""

import asyncio

from _common import fact
from _stream import Out, call, parts, script, show
from pydantic_ai import Agent


def build(*responses, **options):
    agent = Agent(script(*responses), **options)

    @agent.tool_plain
    def look() -> int:
        return 1

    return agent


async def with_node(name, agent, work):
    try:
        async with agent.iter('q') as run:
            node = await run.next(run.next_node)
            async with node.stream(run.ctx) as stream:
                fact(name, await work(stream))
                fact(
                    '  known',
                    [
                        stream.usage.requests,
                        stream.response.state,
                        [type(part).__name__ for part in stream.response.parts],
                    ],
                )
            fact('  messages', parts(run.all_messages()))
            fact('  usage', run.usage.requests)
            node = await run.next(node)
            node = await run.next(node)
            fact('  then', [type(node).__name__, repr(run.result.output) if run.result else None])
    except Exception as error:
        fact(name, [type(error).__name__, str(error)])


async def main():
    async def texts(stream):
        return [text async for text in stream.stream_text(debounce_by=None)]

    async def deltas(stream):
        return [text async for text in stream.stream_text(delta=True, debounce_by=None)]

    async def outputs(stream):
        return [repr(output) async for output in stream.stream_output(debounce_by=None)]

    async def events(stream):
        return [show(event) async for event in stream]

    async def twice(stream):
        first = []
        async for event in stream:
            first.append(show(event)[0])
            if len(first) == 2:
                break
        return [first, [show(event)[0] async for event in stream], [show(event)[0] async for event in stream]]

    async def mixed(stream):
        async for event in stream:
            break
        return [show(event), [text async for text in stream.stream_text(debounce_by=None)]]

    async def nothing(stream):
        return None

    text = (['one ', 'two ', 'three'],)
    tool = (call('final_result', '{"v": 1, "w": "abc"}'),)
    for work in (texts, deltas, outputs, events, twice, mixed):
        await with_node(work.__name__, build(*text), work)
    for work in (outputs, events):
        await with_node(work.__name__ + ' of a tool', build(*tool, output_type=Out), work)
    await with_node('text, then tool', build(['see ', *call('look', index=1)], ['end']), texts)
    await with_node('tool', build(call('look'), ['end']), events)
    await with_node('unread tool', build(call('look'), ['end']), nothing)
    agent = build(*text)
    async with agent.iter('q') as run:
        node = await run.next(run.next_node)
        async with node.stream(run.ctx) as stream:
            async for _ in stream:
                pass
        for name in ('run', 'stream'):
            try:
                if name == 'run':
                    fact('run after stream', type(await node.run(run.ctx)).__name__)
                else:
                    async with node.stream(run.ctx) as stream:
                        fact('stream after stream', 'works')
            except Exception:
                fact('stream after stream', 'fails')
        fact('requests', run.usage.requests)
    async with build(call('look'), ['end']).iter('q') as run:
        node = await run.next(run.next_node)
        async with node.stream(run.ctx) as stream:
            async for _ in stream:
                pass
        node = await run.next(node)
        async with node.stream(run.ctx) as stream:
            fact('tool events', [show(event) async for event in stream])
        async with node.stream(run.ctx) as stream:
            fact('again', [show(event)[0] async for event in stream])
        node = await run.next(node)
        fact('next', [type(node).__name__, [part.part_kind for part in node.request.parts]])


asyncio.run(main())
