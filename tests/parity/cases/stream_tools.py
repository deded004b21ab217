"""`run_stream` when tools are called before, beside and after the output."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, show
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, RunContext
from pydantic_ai.models.function import DeltaThinkingPart
from typing_extensions import TypedDict


class Out(TypedDict):
    v: int


called = []


def build(model, **options):
    called.clear()
    agent = Agent(model, **options)

    @agent.tool
    async def look(ctx: RunContext, x: int = 0) -> int:
        called.append([ctx.run_step, x])
        await asyncio.sleep(x / 100)
        return x + 1

    @agent.tool_plain
    def fails() -> int:
        raise ModelRetry('try again')

    return agent


async def show_run(name, agent):
    events = []

    async def handler(ctx, stream):
        events.append('--')
        async for event in stream:
            events.append(show(event))

    try:
        async with agent.run_stream('q', event_stream_handler=handler) as result:
            fact(name, [repr(await result.get_output()), result.usage.requests])
            fact('  inside', parts(result.all_messages()))
        fact('  messages', parts(result.all_messages()))
    except Exception as error:
        fact(name, [type(error).__name__, str(error)])
    fact('  called', called)
    for event in events:
        print('   ', json.dumps(event))


async def main():
    await show_run('tool, then text', build(script(call('look', '{"x": 1}'), ['the ', 'end'])))
    await show_run(
        'two tools, then text',
        build(script([*call('look', '{"x": 1}'), *call('look', '{"x": 2}', index=1, call_id='b')], ['end'])),
    )
    await show_run('retry, then text', build(script(call('fails'), ['end'])))
    await show_run('unknown, then text', build(script(call('nope'), ['end'])))
    for strategy in ('early', 'graceful', 'exhaustive'):
        both = [*call('final_result', '{"v": 1}'), *call('look', '{"x": 1}', index=1)]
        await show_run(f'{strategy}: output and tool', build(script(both), output_type=Out, end_strategy=strategy))
        both = [
            *call('look', '{"x": 1}'),
            *call('final_result', '{"v": 1}', index=1),
            *call('final_result', '{"v": 2}', index=2, call_id='z'),
        ]
        await show_run(f'{strategy}: tool and two outputs', build(script(both), output_type=Out, end_strategy=strategy))
    await show_run(
        'text where output is asked for', build(script(['no'], call('final_result', '{"v": 3}')), output_type=Out)
    )
    await show_run(
        'invalid output',
        build(script(call('final_result', '{"v": "no"}'), call('final_result', '{"v": 3}')), output_type=Out),
    )
    await show_run('nothing', build(script([''], ['x'])))
    await show_run(
        'thinking first',
        build(script([{0: DeltaThinkingPart(content='hm')}, {0: DeltaThinkingPart(content=' ok')}, 'text'])),
    )
    agent = build(script(call('later', '{}')), output_type=[str, DeferredToolRequests])
    agent.tool_plain(requires_approval=True)(_later)
    await show_run('deferred', agent)


def later() -> int:
    return 1


_later = later
asyncio.run(main())
