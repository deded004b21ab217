"""The run context in sync and async tools, and context variables that tools set."""

import asyncio
from contextvars import ContextVar

from _common import call, dump, fact, script
from _execution import LOG, note
from pydantic_ai import Agent, ModelRetry, RunContext, Tool
from pydantic_ai.messages import TextPart

color = ContextVar('color', default='none')


def sync(ctx: RunContext, n: int = 0):
    note(
        [
            'sync',
            ctx.tool_name,
            ctx.tool_call_id,
            ctx.retry,
            ctx.max_retries,
            ctx.last_attempt,
            ctx.run_step,
            ctx.deps,
            color.get(),
            n,
        ]
    )
    color.set(f'sync {n}')
    if n == 9 and not ctx.last_attempt:
        raise ModelRetry('again')
    return color.get()


async def plain(ctx: RunContext, n: int = 0):
    await asyncio.sleep(0.01)
    note(['plain', ctx.tool_name, ctx.tool_call_id, ctx.retry, ctx.max_retries, ctx.run_step, ctx.deps, color.get(), n])
    color.set(f'plain {n}')
    return color.get()


async def main():
    color.set('red')
    LOG.clear()
    agent = Agent(
        script(
            [call('sync', {'n': 9}, '1'), call('plain', {'n': 2}, '2')],
            [call('sync', {'n': 9}, '3')],
            [call('plain', {'n': 4}, '4')],
            [TextPart('x')],
        ),
        tools=[Tool(sync, max_retries=1), Tool(plain, max_retries=5)],
        deps_type=str,
    )
    result = await agent.run('q', deps='D')
    fact('color', color.get())
    # The two calls of the first step run together, so either may write first.
    together = sorted(LOG[:2], key=repr, reverse=True)
    for line in [*together, *LOG[2:]]:
        fact('called', line)
    dump(result.all_messages())


asyncio.run(main())
with Agent.parallel_tool_call_execution_mode('sequential'):
    LOG.clear()

    async def one_by_one():
        color.set('blue')
        agent = Agent(
            script(
                [call('plain', {'n': 1}, '1'), call('plain', {'n': 2}, '2'), call('sync', {'n': 3}, '3')],
                [TextPart('x')],
            ),
            tools=[plain, sync],
        )
        await agent.run('q')
        fact('after', color.get())

    asyncio.run(one_by_one())
    for line in LOG:
        fact('in turn', line)
