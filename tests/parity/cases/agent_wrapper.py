"""`WrapperAgent`: the properties of the wrapped agent, runs, overrides and iteration through it."""

import asyncio

from _common import M, fact
from pydantic_ai import Agent, RunContext
from pydantic_ai.agent import WrapperAgent

agent = Agent('test', name='inner', description='told', deps_type=int, output_type=M, instructions='i')


@agent.tool
def t(ctx: RunContext[int]):
    return ctx.deps


class Loud(WrapperAgent):
    pass


wrapper = Loud(agent)
fact(
    'properties',
    [
        wrapper.name,
        wrapper.description,
        wrapper.deps_type.__name__,
        wrapper.output_type.__name__,
        wrapper.model is agent.model,
        wrapper.wrapped is agent,
        len(wrapper.toolsets),
    ],
)
result = wrapper.run_sync('q', deps=5)
fact('run', [result.output.n, result.all_messages()[2].parts[0].content, result.all_messages()[0].instructions])
with wrapper.override(instructions='new'):
    fact(
        'override',
        [
            wrapper.run_sync('q', deps=1).all_messages()[0].instructions,
            agent.run_sync('q', deps=1).all_messages()[0].instructions,
        ],
    )
wrapper.name = 'renamed'
fact('renamed', [wrapper.name, agent.name])


async def main():
    async with wrapper:
        async with wrapper.iter('q', deps=1) as run_:
            async for node in run_:
                pass
        return run_.result.output.n


fact('iter', asyncio.run(main()))
fact('schema', wrapper.output_json_schema())
