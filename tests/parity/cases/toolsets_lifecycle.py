"""How toolsets are entered, prepared for each step and left; where one of five fails, and in agents that are entered."""

import asyncio

from _common import call, fact, script
from _toolsets import LOG, Watched, logged, named
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset


def watching(*names, fail=None, what=''):
    return [Watched(named(name), name, what if name == fail else '') for name in names]


def answers():
    return script([call('a', {})], [TextPart('done')])


logged('one', Agent(answers(), toolsets=watching('a')))
logged('two', Agent(answers(), toolsets=watching('a', 'b')))
logged('of agent and run', Agent(answers(), toolsets=watching('a')), toolsets=watching('b'))
logged('wrapped', Agent(answers(), toolsets=[watching('a')[0].prefixed('p').renamed({'a': 'p_a'}).with_metadata(m=1)]))
logged(
    'combined',
    Agent(answers(), toolsets=[CombinedToolset([*watching('a', 'b'), CombinedToolset(watching('c'))]), *watching('d')]),
)
for what in ('for_run', 'enter', 'for_run_step', 'tools', 'instructions', 'call', 'exit'):
    logged(
        f'the third of five fails to {what}',
        Agent(
            script([call('c', {})], [TextPart('done')]), toolsets=watching('a', 'b', 'c', 'd', 'e', fail='c', what=what)
        ),
    )
boom = FunctionToolset([Tool(lambda: 1 / 0, name='boom')])
logged('a tool fails', Agent(script([call('boom', {})]), toolsets=[*watching('a'), Watched(boom, 'boom')]))


async def within():
    agent = Agent(answers(), toolsets=watching('a'))
    LOG.clear()
    async with agent:
        LOG.append('inside')
        await agent.run('q')
        LOG.append('after')
    print('== agent entered')
    for line in LOG:
        print('  ', line)
    LOG.clear()
    async with agent:
        async with agent:
            LOG.append('inside')
    fact('twice', LOG)
    LOG.clear()
    async with agent.iter('q') as agent_run:
        LOG.append('inside')
        async for _ in agent_run:
            pass
        LOG.append('done')
    fact('iter', [line for line in LOG if line.split('.')[-1].split()[0] in ('inside', 'done', 'enter', 'exit')])
    LOG.clear()
    async with agent.iter('q') as agent_run:
        await agent_run.next(agent_run.next_node)
    fact('iter, left early', [line for line in LOG if line.split('.')[-1].split()[0] in ('enter', 'exit')])


asyncio.run(within())
