"""Filtered toolsets: sync and async filters, stacked ones, and filters that change with the step."""

import asyncio

from _common import call, fact, run, script
from _toolsets import f, g, h, listing
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset


async def later(ctx, definition):
    await asyncio.sleep(0)
    return definition.name == 'g'


def three():
    return FunctionToolset([f, g, h])


fact('sync', listing(three().filtered(lambda ctx, definition: definition.name != 'f')))
fact('async', listing(three().filtered(later)))
fact('none', listing(three().filtered(lambda ctx, definition: False)))
fact('truthy', listing(three().filtered(lambda ctx, definition: definition.name if definition.name == 'h' else '')))
fact(
    'twice',
    listing(
        three()
        .filtered(lambda ctx, definition: definition.name != 'f')
        .filtered(lambda ctx, definition: definition.name != 'g')
    ),
)
fact('sees names from below', listing(three().prefixed('p').filtered(lambda ctx, definition: definition.name == 'p_f')))
fact('not names from above', listing(three().filtered(lambda ctx, definition: definition.name == 'p_f').prefixed('p')))
fact(
    'metadata',
    listing(
        FunctionToolset([Tool(f, metadata={'a': 1}), g]).filtered(
            lambda ctx, definition: (definition.metadata or {}).get('a') == 1
        )
    ),
)
fact(
    'deps',
    [
        listing(three().filtered(lambda ctx, definition: definition.name in ctx.deps), deps=deps)
        for deps in ('f', 'gh', '')
    ],
)
fact('error', listing(three().filtered(lambda ctx, definition: 1 / 0)))
filter_calls = []


def from_second_step(ctx, definition):
    filter_calls.append((ctx.run_step, definition.name))
    return ctx.run_step > 1


agent = Agent(
    script([call('f', {})], [call('f', {'a': 4})], [TextPart('done')]),
    toolsets=[FunctionToolset([f]).filtered(from_second_step)],
)
run('by step', agent, 'q')
fact('asked', filter_calls)
print('== a tool that is filtered out cannot be called')
run(
    'hidden',
    Agent(
        script([call('f', {})], [TextPart('done')]),
        tools=[g],
        toolsets=[FunctionToolset([f]).filtered(lambda ctx, definition: False)],
    ),
    'q',
)
