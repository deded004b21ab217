"""Timeouts of tools in toolsets, by the tool, the toolset, a wrapper and `prepare`."""

import asyncio
from dataclasses import replace

from _common import call, fact, run, script
from _toolsets import listing
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset


async def slow(ctx: RunContext):
    if ctx.retry or ctx.deps == 'quick':
        return 'done'
    await asyncio.sleep(5)


async def own():
    raise TimeoutError('mine')


def timed(title, toolset, name='slow', **options):
    agent = Agent(script([call(name, {})], [call(name, {})], [TextPart('done')]), toolsets=[toolset])
    run(title, agent, 'q', **options)


fact('definitions', listing(FunctionToolset([slow, Tool(own, timeout=2)], timeout=1), 'timeout'))
timed('toolset', FunctionToolset([slow], timeout=0.02))
timed('tool', FunctionToolset([Tool(slow, timeout=0.03)], timeout=30))
timed('tool without a toolset', FunctionToolset([Tool(slow, timeout=0.03)]))
timed('no retry', FunctionToolset([Tool(slow, timeout=0.03, max_retries=0)]))
timed('in time', FunctionToolset([slow], timeout=30), deps='quick')
timed('wrapped', FunctionToolset([slow], timeout=0.02).prefixed('p').with_metadata(a=1), 'p_slow')
timed('by prepare', FunctionToolset([Tool(slow, prepare=lambda ctx, definition: replace(definition, timeout=0.04))]))
timed('its own error without a timeout', FunctionToolset([own]), 'own')
