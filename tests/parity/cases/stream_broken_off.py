"""Streams that fail, or whose task is cancelled, leave no response where the program wants none; streams that are left do."""

import asyncio

from _common import fact
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


class BrokenError(Exception):
    pass


def agent(what, calls):
    async def stream(messages, info):
        if calls:
            yield {0: DeltaToolCall(name='look', json_args='{"a"', tool_call_id='x')}
            yield {0: DeltaToolCall(json_args=': 1}')}
        else:
            yield 'one '
            yield 'two '
        if what == 'fails':
            raise BrokenError
        if what == 'is cancelled':
            here.set()
            await asyncio.sleep(100)
        yield 'three'

    here = asyncio.Event()
    watched = Agent(FunctionModel(stream_function=stream))
    watched.tool_plain(look)
    return watched, here


def look(a: int) -> str:
    return 'seen'


async def read_all(ctx, events):
    async for _ in events:
        pass


async def run(agent):
    await agent.run('q', event_stream_handler=read_all)


async def run_stream(agent):
    async with agent.run_stream('q') as result:
        async for _ in result.stream_text(debounce_by=None):
            pass


async def step(agent):
    async with agent.iter('q') as going:
        async for node in going:
            if Agent.is_model_request_node(node):
                async with node.stream(going.ctx) as stream:
                    await read_all(None, stream)


async def cancel(agent):
    async with agent.run_stream('q') as result:
        async for _ in result.stream_text(debounce_by=None):
            await result.cancel()
            break


async def raises(agent):
    async with agent.run_stream('q') as result:
        async for _ in result.stream_text(debounce_by=None):
            raise BrokenError


def shape(messages):
    return [[message.kind, getattr(message, 'state', None), len(message.parts)] for message in messages]


async def attempt(way, what, calls=False):
    watched, here = agent(what, calls)
    with capture_run_messages() as messages:
        task = asyncio.ensure_future(way(watched))
        if what == 'is cancelled':
            await here.wait()
            task.cancel()
        outcome = (await asyncio.gather(task, return_exceptions=True))[0]
    fact(f'{way.__name__}, {what}, calls: {calls}', [type(outcome).__name__, shape(messages)])


async def main():
    for what in ('fails', 'is cancelled'):
        await attempt(run_stream, what)
        for calls in (False, True):
            await attempt(run, what, calls)
            await attempt(step, what, calls)
    await attempt(cancel, 'is read')
    await attempt(raises, 'is read')


Agent.keep_interrupted = False  # the reference knows no such choice
try:
    asyncio.run(main())
finally:
    Agent.keep_interrupted = True
