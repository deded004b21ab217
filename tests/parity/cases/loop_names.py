"""Names of agents that are inferred from variables, and those that are set."""

import asyncio

from _common import fact, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


async def main():
    other = Agent(script([TextPart('x')]))
    await other.run('q')
    fact('inferred', other.name)
    third = Agent(script([TextPart('x')]))
    await third.run('q', infer_name=False)
    fact('not inferred', third.name)


asyncio.run(main())
mine = Agent('test')
mine.run_sync('q')
fact('sync', mine.name)
fact('given', Agent('test', name='given').name)
