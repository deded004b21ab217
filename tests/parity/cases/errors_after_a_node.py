"""A run after one of its nodes raised: what comes next is that error again; errors that mean the end of a loop do not count."""

import asyncio

from _common import call, fact, script
from pydantic_ai import Agent

ERRORS = [RuntimeError('x'), StopAsyncIteration('s'), StopIteration('t')]


def failing(error):
    agent = Agent(script([call('bad', {})]))

    @agent.tool_plain
    async def bad():
        raise error

    return agent


def name_of(action):
    try:
        return type(action()).__name__
    except Exception as error:
        return f'raises {type(error).__name__}'


async def main():
    for error in ERRORS:
        kind = type(error).__name__
        try:
            await failing(error).run('q')
        except Exception as raised:
            fact('run', [kind, type(raised).__name__])
        nodes = []
        async with failing(error).iter('q') as run:
            try:
                async for node in run:
                    nodes.append(type(node).__name__)
                nodes.append('ended')
            except Exception as raised:
                nodes.append(type(raised).__name__)
            fact('iter', [kind, nodes, run.result])
            fact('next node', [kind, name_of(lambda run=run: run.next_node)])
            try:
                fact('again', [kind, type(await run.__anext__()).__name__])
            except Exception as raised:
                fact('again', [kind, f'raises {type(raised).__name__}'])


asyncio.run(main())
