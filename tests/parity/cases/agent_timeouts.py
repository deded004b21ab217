"""Timeouts of tools and of the agent: which one holds, and what the model is asked for when one is exceeded."""

import asyncio

from _common import call, fails, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


def make(*names, **options):
    agent = Agent(script([call(name, {}) for name in names], [TextPart('ok')]), **options)

    @agent.tool_plain
    async def slow():
        await asyncio.sleep(0.3)

    @agent.tool_plain(timeout=5)
    async def own():
        await asyncio.sleep(0.1)
        return 'own'

    @agent.tool_plain(timeout=0.02, retries=0)
    async def once():
        await asyncio.sleep(0.3)

    @agent.tool_plain
    async def quick():
        return 'quick'

    return agent


run('slow', make('slow', 'quick', tool_timeout=0.02), 'q')
run('own', make('own', tool_timeout=0.02), 'q')
run('none left', make('once'), 'q')
run('no timeout', make('quick', 'own'), 'q')


def own_error():
    raise TimeoutError('mine')


run('an error of its own', Agent(script([call('own_error', {})]), tools=[own_error]), 'q')
fails('within a timeout', Agent(script([call('own_error', {})]), tools=[own_error], tool_timeout=5), 'q')
