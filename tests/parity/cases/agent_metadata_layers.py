"""Metadata of the agent, of the run and of overrides: when the functions are called, and how the values are merged."""

import asyncio

from _common import call, fact, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart

log = []


def of_agent(ctx):
    log.append(['agent', ctx.run_step, len(ctx.messages), ctx.usage.requests, ctx.deps])
    return {'agent': ctx.run_step}


def of_run(ctx):
    log.append(['run', ctx.run_step])
    return {'run': ctx.run_step}


agent = Agent(script([call('t', {})], [TextPart('ok')]), metadata=of_agent, deps_type=str)


@agent.tool
def t(ctx: RunContext[str]):
    return ctx.metadata


result = agent.run_sync('q', deps='d', metadata=of_run)
fact('both', [result.metadata, result.all_messages()[2].parts[0].content])
fact('log', log[-2:])
with agent.override(metadata={'over': 1}):
    fact('override', agent.run_sync('q', metadata={'run': 1}).metadata)
with agent.override(metadata=lambda ctx: {'over': ctx.run_step}):
    fact('override function', agent.run_sync('q').metadata)


async def main():
    async with agent.iter('q', metadata={'run': 1}) as run_:
        seen = [[type(node).__name__, run_.metadata] async for node in run_]
    return [seen, run_.metadata]


fact('iter', asyncio.run(main()))
fact('empty', Agent('test', metadata={}).run_sync('q').metadata)
fact('messages', [message.metadata for message in result.all_messages()])
