"""Errors in the body of `iter`, of a stream, and of the reader of events: what the hooks around the run see."""

import asyncio

from _hooks import Boom, scripted
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.run import AgentRunResult
from pydantic_graph import End

log = []


class Watches(AbstractCapability):
    def __init__(self, recovers=False):
        self.recovers = recovers

    async def before_run(self, ctx):
        log.append('before')

    async def wrap_run(self, ctx, *, handler):
        try:
            result = await handler()
            log.append('wrapped')
            return result
        except Exception as error:
            log.append(f'wrap {type(error).__name__}')
            raise

    async def on_run_error(self, ctx, *, error):
        log.append(f'error {type(error).__name__}')
        if self.recovers:
            return AgentRunResult('recovered')
        raise error

    async def after_run(self, ctx, *, result):
        log.append(f'after {result.output}')
        return result


async def raise_in_iter(agent):
    async with agent.iter('hi') as run:
        async for node in run:
            raise Boom('body')
    return run.result and run.result.output


async def raise_after_next(agent):
    async with agent.iter('hi') as run:
        await run.next(run.next_node)
        raise Boom('body')
    return run.result and run.result.output


async def raise_at_the_end(agent):
    async with agent.iter('hi') as run:
        async for node in run:
            if isinstance(node, End):
                raise Boom('end')
    return run.result and run.result.output


async def raise_in_stream(agent):
    async with agent.run_stream('hi'):
        raise Boom('stream')


async def raise_in_handler(agent):
    async def handler(ctx, events):
        async for event in events:
            raise Boom('handler')

    return (await agent.run('hi', event_stream_handler=handler)).output


async def catch_in_iter(agent):
    async with agent.iter('hi') as run:
        try:
            async for node in run:
                pass
        except Boom:
            log.append('caught')
    return run.result and run.result.output


for recovers in (False, True):
    for way in (raise_in_iter, raise_after_next, raise_at_the_end, raise_in_stream, raise_in_handler, catch_in_iter):
        log.clear()
        agent = Agent(scripted('tool' if way is catch_in_iter else None, 'text')[0], capabilities=[Watches(recovers)])

        @agent.tool_plain
        def double(x: int) -> int:
            if way is catch_in_iter:
                raise Boom('tool')
            return x * 2

        try:
            outcome = asyncio.run(way(agent))
        except Exception as error:
            outcome = f'raised {type(error).__name__}'
        print(way.__name__, recovers, outcome, log)
