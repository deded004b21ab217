"""`ProcessEventStream` in runs: readers, generators, several of them, beside a handler; readers that stop or fail."""

import asyncio

from _hooks import Boom, scripted
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessEventStream
from pydantic_ai.messages import FunctionToolCallEvent, PartStartEvent

log = []


def kind(event):
    return type(event).__name__.removesuffix('Event')


def reader(name):
    async def read(ctx, events):
        async for event in events:
            log.append(f'{name}:{kind(event)}')
        log.append(f'{name} done')

    return read


async def never(ctx, events):
    log.append('asked')


async def failing(ctx, events):
    async for event in events:
        raise Boom('reader')


async def failing_at_the_end(ctx, events):
    async for event in events:
        pass
    raise Boom('end')


async def calls_only(ctx, events):
    async for event in events:
        if isinstance(event, FunctionToolCallEvent):
            yield event


async def twice(ctx, events):
    async for event in events:
        yield event
        if isinstance(event, PartStartEvent):
            yield event


CASES = {
    'reader': [reader('r')],
    'two readers': [reader('r'), reader('s')],
    'generator': [calls_only],
    'generator around a reader': [calls_only, reader('r')],
    'reader around a generator': [reader('r'), calls_only],
    'two generators': [twice, twice],
    'never reads': [never],
    'fails': [failing],
    'fails at the end': [failing_at_the_end],
}


async def main():
    for label, functions in CASES.items():
        for way in ('run', 'handler', 'events', 'stream'):
            log.clear()
            seen = []

            async def handler(ctx, events):
                async for event in events:
                    seen.append(kind(event))

            agent = Agent(
                scripted(None, 'text')[0], capabilities=[ProcessEventStream(function) for function in functions]
            )
            agent.tool_plain(lambda x: x, name='double')
            try:
                if way == 'events':
                    async with agent.run_stream_events('hi') as events:
                        async for event in events:
                            seen.append(kind(event))
                    output = None
                elif way == 'stream':
                    async with agent.run_stream('hi', event_stream_handler=handler) as streamed:
                        output = await streamed.get_output()
                else:
                    output = (await agent.run('hi', event_stream_handler=handler if way == 'handler' else None)).output
            except Exception:
                output, seen = 'raised', []  # the error itself, or a group with it in, at once or an event later
            # Readers continue beside the run, so only what each of them sees in turn is certain.
            lines_by_name = {name: [line for line in log if line.startswith(name)] for name in 'rsa'}
            print(label, way, output, seen, {name: lines for name, lines in lines_by_name.items() if lines})


asyncio.run(main())
