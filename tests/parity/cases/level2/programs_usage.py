"""Usage that runs share is the object that was passed, wherever it is read."""

import asyncio
import pickle

from _programs import call, out, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage


async def main():
    usage, agent = RunUsage(), Agent(TestModel())
    result = await agent.run('x', usage=usage)
    out('run', result.usage is usage, result.usage is result.usage, usage.requests)
    async with agent.iter('x', usage=usage) as run:
        async for _ in run:
            pass
    out('iter', run.usage is usage, run.result.usage is usage, usage.requests)
    async with agent.run_stream('x', usage=usage) as stream:
        await stream.get_output()
    out('stream', usage.requests)
    async with agent.run_stream_events('x', usage=usage) as events:
        last = [event async for event in events][-1]
    out('events', last.result.usage is usage, usage.requests)
    out('stored', type(pickle.loads(pickle.dumps(result.usage))).__name__, callable(result.usage))

    inner, outer = Agent(TestModel(custom_output_text='i')), Agent(script([call('ask')], 'done'))

    @outer.tool
    async def ask(ctx: RunContext) -> str:
        result = await inner.run('q', usage=ctx.usage)
        out('inner', result.usage is ctx.usage)
        return result.output

    result = await outer.run('x')
    out('outer', result.usage.requests, result.usage.tool_calls)


asyncio.run(main())
