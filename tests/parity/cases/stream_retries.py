"""Retries of tools and outputs, as events tell them."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, show
from pydantic_ai import Agent, ModelRetry, RunContext


async def tell(name, agent):
    print(name)
    result = None
    try:
        async with agent.run_stream_events('q') as events:
            async for event in events:
                print('   ', json.dumps(show(event)))
                result = getattr(event, 'result', None)
        fact('  messages', [repr(result.output), result.usage.requests, parts(result.all_messages())])
    except Exception as error:
        fact('  error', [type(error).__name__, str(error)])


async def main():
    agent = Agent(script(call('once'), call('once'), ['end']))

    @agent.tool(retries=1)
    def once(ctx: RunContext) -> str:
        if not ctx.retry:
            raise ModelRetry('again')
        return f'{ctx.retry} of {ctx.max_retries}'

    await tell('tool asks again', agent)
    agent = Agent(script(call('never'), call('never'), ['end']))

    @agent.tool_plain(retries=1)
    def never() -> str:
        raise ModelRetry('again')

    await tell('tool gives up', agent)
    agent = Agent(script(call('typed', '{"x": "no"}'), call('typed', '{"x": 3}'), ['end']))

    @agent.tool_plain
    def typed(x: int) -> int:
        return x

    await tell('arguments', agent)
    await tell('unknown tool', Agent(script(call('nope'), ['end'])))
    agent = Agent(script(['bad'], ['good']))

    @agent.output_validator
    def check(value: str) -> str:
        if value == 'bad':
            raise ModelRetry('not that')
        return value

    await tell('output validator', agent)
    await tell(
        'output tool',
        Agent(
            script(call('final_result', '{"response": "no"}'), call('final_result', '{"response": 3}')), output_type=int
        ),
    )
    await tell(
        'text instead of a tool', Agent(script(['no'], call('final_result', '{"response": 3}')), output_type=int)
    )
    await tell(
        'outputs run out', Agent(script(*[call('final_result', '{"response": "no"}')] * 3), output_type=int, retries=1)
    )
    agent = Agent(script([*call('typed', '{"x": 1}'), *call('fails', index=1)], ['end']))

    @agent.tool_plain(name='typed')
    async def ends_first(x: int) -> int:
        return x

    @agent.tool_plain
    async def fails() -> None:
        await asyncio.sleep(0.05)
        raise KeyError('mine')

    await tell('tool fails', agent)


asyncio.run(main())
