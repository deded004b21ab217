"""Dynamic toolsets: per run and per step, how they are entered and left, and errors on the way."""

import asyncio

from _common import call, error_text, fact, script
from _toolsets import LOG, Watched, context, instructions, leaves, listing, named, offered
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


def public_lines(log):
    """What is called beyond the interface is our own affair."""
    return [line for line in log if not line.split('.')[-1].startswith('for_run')]


def watched(title, agent, **options):
    LOG.clear()
    try:
        outcome = repr(agent.run_sync('q', **options).output)
    except Exception as error:
        outcome = error_text(error)
    print('==', title, '|', outcome)
    for line in public_lines(LOG):
        print('  ', line)


def answers():
    return script([call('a', {})], [TextPart('done')])


def make(ctx):
    LOG.append(f'function {ctx.run_step} {ctx.deps}')
    return Watched(named('a', instructions='say a'), f'made {ctx.run_step}')


async def make_later(ctx):
    return make(ctx)


def nothing(ctx):
    LOG.append(f'function {ctx.run_step}')


def failing(step, what):
    def function(ctx):
        LOG.append(f'function {ctx.run_step}')
        return Watched(named('a'), f'made {ctx.run_step}', what if ctx.run_step == step else '')

    return function


for per_run_step in (True, False):
    for function in (make, make_later):
        agent = Agent(answers())
        agent.toolset(per_run_step=per_run_step)(function)
        watched(f'{function.__name__} per_run_step={per_run_step}', agent, deps=1)
watched('as an argument', Agent(answers(), toolsets=[make]))
same = Watched(named('a'), 'same')
watched('always the same', Agent(answers(), toolsets=[lambda ctx: same]))
watched('none', Agent(script([TextPart('done')]), toolsets=[nothing]))
watched('now and then', Agent(answers(), toolsets=[lambda ctx: same if ctx.run_step == 1 else None]))
for step in (1, 2):
    for what in ('enter', 'exit', 'tools', 'call'):
        watched(f'{what} fails in step {step}', Agent(answers(), toolsets=[failing(step, what)]))
watched('the function fails', Agent(answers(), toolsets=[lambda ctx: 1 / 0]))
dynamic = Agent('test', toolsets=[make]).toolsets[-1]
fact('outside of a run', [listing(dynamic), instructions(dynamic), leaves(dynamic)])


async def by_hand():
    ctx = context(run_step=1)
    for_run = await dynamic.for_run(ctx)
    fact('new for a run', for_run is not dynamic)
    async with for_run:
        step = await for_run.for_run_step(ctx)
        fact('same for a step', step is for_run)
        tools = await step.get_tools(ctx)
        fact('tools', [list(tools), leaves(step)])
        fact('called', await step.call_tool('a', {}, ctx, tools['a']))
        replaced = step.visit_and_replace(lambda leaf: named('new'))
        fact('replaced', [replaced is not step, replaced.label, list(await replaced.get_tools(ctx))])


asyncio.run(by_hand())
fact('wrapped', offered(Agent('test', toolsets=[dynamic.prefixed('p').filtered(lambda ctx, definition: True)])))
