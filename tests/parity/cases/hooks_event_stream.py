"""Hooks around the event stream: change, drop, add, stop, raise; one capability and three, and every way to see events."""

import asyncio
import json

from _hooks import Boom, in_short, scripted
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import FinalResultEvent, PartDeltaEvent, PartStartEvent, TextPartDelta
from pydantic_ai.run import AgentRunResultEvent


def kind(event):
    if isinstance(event, PartStartEvent):
        return f'start {event.part.part_kind} {getattr(event.part, "content", None) or getattr(event.part, "tool_name", "")}'
    if isinstance(event, PartDeltaEvent):
        return f'delta {getattr(event.delta, "content_delta", "args")}'
    return type(event).__name__


def wrapping(name, log, act):
    async def wrap_run_event_stream(self, ctx, *, stream):
        log.append(f'{name} opens')
        async for event in act(stream):
            log.append(f'{name} {kind(event)}')
            yield event
        log.append(f'{name} closes')

    return type(f'Wraps{name}', (AbstractCapability,), {'wrap_run_event_stream': wrap_run_event_stream})()


async def same(stream):
    async for event in stream:
        yield event


async def change(stream):
    async for event in stream:
        if isinstance(event, PartStartEvent) and event.part.part_kind == 'text':
            yield PartStartEvent(index=event.index, part=type(event.part)(content=f'<{event.part.content}>'))
        else:
            yield event


async def drop(stream):
    async for event in stream:
        if not isinstance(event, PartStartEvent | FinalResultEvent):
            yield event


async def add(stream):
    async for event in stream:
        yield event
    yield PartDeltaEvent(index=9, delta=TextPartDelta(content_delta='added'))


async def stop(stream):
    async for event in stream:
        yield event
        return


async def fail(stream):
    async for event in stream:
        yield event
        raise Boom('stream')


async def retry(stream):
    async for event in stream:
        yield event
        raise ModelRetry('stream')


async def cell(mode, count, act):
    log, seen = [], []
    model, requests = scripted(None, 'text')
    acting = 'B' if count == 3 else 'A'
    agent = Agent(model, capabilities=[wrapping(name, log, act if name == acting else same) for name in 'ABC'[:count]])

    @agent.tool_plain
    def double(x: int) -> int:
        return x * 2

    async def handler(ctx, stream):
        async for event in stream:
            seen.append(kind(event))

    try:
        if mode == 'run':
            outcome = (await agent.run('hi')).output
        elif mode == 'handler':
            outcome = (await agent.run('hi', event_stream_handler=handler)).output
        elif mode == 'stream':
            async with agent.run_stream('hi', event_stream_handler=handler) as result:
                outcome = [chunk async for chunk in result.stream_text(debounce_by=None)]
        else:
            outcome = None
            async with agent.run_stream_events('hi') as events:
                async for event in events:
                    seen.append(kind(event))
                    if isinstance(event, AgentRunResultEvent):
                        outcome = event.result.output
    except Exception as error:
        outcome = ['raised', in_short(error)]
    return [log, seen, outcome, len(requests)]


for act in (same, change, drop, add, stop, fail, retry):
    for count in (1, 3):
        for mode in ('run', 'handler', 'stream', 'events'):
            if (act, mode) == (stop, 'stream'):
                continue  # the answer is found even if a hook does not read as far as the event that announces it
            log, seen, outcome, requests = asyncio.run(cell(mode, count, act))
            print(json.dumps([f'{act.__name__} x{count} {mode}', outcome, requests, seen]))
            print('   ', json.dumps(log))
