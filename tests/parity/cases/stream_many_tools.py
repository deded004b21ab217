"""Events of several tools at once: the order of calls and results, sequential tools, tools that add content."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, show
from pydantic_ai import Agent, ModelRetry, ToolReturn


def build(*responses, **options):
    agent = Agent(script(*responses), **options)

    @agent.tool_plain
    async def wait(n: int) -> int:
        await asyncio.sleep(n / 100)
        return n

    @agent.tool_plain(sequential=True)
    async def alone(n: int) -> int:
        await asyncio.sleep(n / 100)
        return n

    @agent.tool_plain
    async def rich() -> ToolReturn:
        return ToolReturn('value', content=['more', 'content'], metadata={'k': 1})

    @agent.tool_plain
    async def again() -> int:
        await asyncio.sleep(0.01)
        raise ModelRetry('again')

    return agent


def calls(*wanted):
    return [item for index, (name, args) in enumerate(wanted) for item in call(name, args, index=index)]


async def tell(name, agent):
    print(name)
    async with agent.run_stream_events('q') as events:
        async for event in events:
            if 'Tool' in type(event).__name__:
                print('   ', json.dumps(show(event) + [getattr(event, 'content', None)]))
            result = getattr(event, 'result', None)
    fact('  messages', parts(result.all_messages()))


async def main():
    await tell('slow first', build(calls(('wait', '{"n": 3}'), ('wait', '{"n": 1}')), ['end']))
    await tell('sequential', build(calls(('alone', '{"n": 2}'), ('wait', '{"n": 1}'), ('alone', '{"n": 0}')), ['end']))
    await tell('content', build(calls(('rich', '{}'), ('wait', '{"n": 1}')), ['end']))
    await tell('retry beside', build(calls(('wait', '{"n": 5}'), ('again', '{}'), ('nope', '{}')), ['end']))
    for mode in ('sequential', 'parallel_ordered_events', 'parallel'):
        with Agent.parallel_tool_call_execution_mode(mode):
            await tell(mode, build(calls(('wait', '{"n": 3}'), ('wait', '{"n": 1}')), ['end']))


asyncio.run(main())
