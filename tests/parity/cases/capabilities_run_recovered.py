"""Runs that hooks recover: what their results hold, under every way to run, and what is captured."""

import asyncio

from _hooks import Boom, scripted
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.run import AgentRunResult, AgentRunResultEvent
from pydantic_ai.usage import UsageLimits
from pydantic_graph import End

log = []


def recovering(where, output='recovered'):
    class Recovers(AbstractCapability):
        async def wrap_run(self, ctx, *, handler):
            try:
                return await handler()
            except Exception as error:
                log.append(f'wrap {type(error).__name__} {ctx.usage.requests}')
                if where == 'wrap':
                    return AgentRunResult(output)
                raise

        async def on_run_error(self, ctx, *, error):
            log.append(f'error {type(error).__name__}')
            if where == 'error':
                return AgentRunResult(output)
            raise error

        async def after_run(self, ctx, *, result):
            log.append(f'after {result.output}')
            return result

    return Recovers()


def described(result):
    return [result.output, len(result.all_messages()), result.usage.requests]


async def as_run(agent, **options):
    return described(await agent.run('hi', **options))


async def as_iter(agent, **options):
    async with agent.iter('hi', **options) as run:
        async for node in run:
            log.append(type(node).__name__)
    return [described(run.result) if run.result else None]


async def as_next(agent, **options):
    async with agent.iter('hi', **options) as run:
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
    return [described(run.result) if run.result else None]


async def as_events(agent, **options):
    async with agent.run_stream_events('hi', **options) as events:
        return [described(event.result) async for event in events if isinstance(event, AgentRunResultEvent)]


for where in ('wrap', 'error', 'nowhere'):
    for failing in ('model', 'tool', 'limit'):
        for way in (as_run, as_iter, as_next, as_events):
            log.clear()
            model, requests = scripted(failing, 'text')
            agent = Agent(model, capabilities=[recovering(where)])

            @agent.tool_plain
            def double(x: int) -> int:
                if failing == 'tool':
                    raise Boom('tool')
                return x * 2

            with capture_run_messages() as messages:
                try:
                    limits = UsageLimits(request_limit=1) if failing == 'limit' else None
                    outcome = asyncio.run(way(agent, usage_limits=limits))
                except Exception as error:
                    outcome = type(error).__name__
            print(where, failing, way.__name__, outcome, [message.kind for message in messages], log)
