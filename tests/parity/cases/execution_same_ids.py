"""Calls of different ids in each mode, and one call id that comes again in the next step."""

import asyncio

from _common import call, run, script
from _execution import logged, note
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart


async def t(ctx: RunContext, n: int = 0):
    await asyncio.sleep(0.01 * n)
    note([ctx.tool_call_id, n])
    return n


def pair(first, second):
    return [call('t', {'n': 3}, first), call('t', {'n': 1}, second)]


for ids in [('x', 'y')]:
    for mode in ('parallel', 'sequential', 'parallel_ordered_events'):
        with Agent.parallel_tool_call_execution_mode(mode):
            logged(f'{ids} {mode}', Agent(script(pair(*ids), [TextPart('x')]), tools=[t]))
run(
    'the same id in two steps',
    Agent(script([call('t', {'n': 1}, 'x')], [call('t', {'n': 2}, 'x')], [TextPart('x')]), tools=[t]),
    'q',
)
