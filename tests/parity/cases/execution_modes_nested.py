"""Execution modes inside one another, in concurrent tasks, and for agents that run inside of tools."""

import asyncio

from _common import fact
from _execution import LOG, caller, logged, note, sleeper
from pydantic_ai import Agent, Tool

mode = Agent.parallel_tool_call_execution_mode


def agent():
    return caller('slow', 'quick', tools=[sleeper('slow', 0.1), sleeper('quick', 0.01)])


with mode('sequential'):
    with mode('parallel'):
        logged('parallel inside of sequential', agent())
    logged('sequential again', agent())
    try:
        with mode('parallel_ordered_events'):
            raise KeyError
    except KeyError:
        pass
    logged('and after an error', agent())


async def together():
    async def one(chosen):
        with mode(chosen):
            first, second = f'{chosen}_a', f'{chosen}_b'
            result = await caller(first, second, tools=[sleeper(first, 0.05), sleeper(second, 0.01)]).run('q')
            return [part.content for part in result.all_messages()[2].parts]

    LOG.clear()
    fact('both', await asyncio.gather(one('sequential'), one('parallel')))
    fact('begins and ends', [[item for item in LOG if chosen in item] for chosen in ('sequential', 'parallel')])


asyncio.run(together())


async def ask():
    note('outer begins')
    result = await agent().run('q')
    note('outer ends')
    return result.output


async def other():
    note('other begins')
    await asyncio.sleep(0.01)
    note('other ends')


with mode('sequential'):
    logged('an agent inside of a tool', caller('ask', 'other', tools=[ask, other]))
logged('an agent inside of a sequential tool', caller('ask', 'other', tools=[Tool(ask, sequential=True), other]))
