"""Usage limits over structured answers: how much of them is seen before, in every form of streaming."""

import asyncio

from _common import fact
from _stream import script
from _stream_modes import BAD, GOOD, MODES
from pydantic_ai import Agent, UsageLimits

LIMITS = {
    'few tokens': UsageLimits(output_tokens_limit=2),
    'some tokens': UsageLimits(output_tokens_limit=8),
    'in all': UsageLimits(total_tokens_limit=54),
    'requests': UsageLimits(request_limit=0),
    'one request': UsageLimits(request_limit=1),
    'no tools': UsageLimits(tool_calls_limit=0),
}


async def main():
    for name, (form, make) in MODES.items():
        if 'function' in name:
            continue
        for title, limits in LIMITS.items():
            for way in ('outputs', 'output', 'events', 'handler', 'node'):
                agent, seen = Agent(script(make(BAD), make(GOOD)), output_type=form), []

                async def handler(ctx, stream):
                    async for event in stream:
                        seen.append(type(event).__name__)

                try:
                    if way == 'events':
                        async with agent.run_stream_events('q', usage_limits=limits) as events:
                            async for event in events:
                                seen.append(type(event).__name__)
                    elif way == 'handler':
                        await agent.run('q', usage_limits=limits, event_stream_handler=handler)
                    elif way == 'node':
                        async with agent.iter('q', usage_limits=limits) as run:
                            node = await run.next(run.next_node)
                            async with node.stream(run.ctx) as stream:
                                async for event in stream:
                                    seen.append(type(event).__name__)
                    else:
                        async with agent.run_stream('q', usage_limits=limits) as result:
                            if way == 'output':
                                seen.append(repr(await result.get_output()))
                            else:
                                async for out in result.stream_output(debounce_by=None):
                                    seen.append(repr(out))
                    fact(f'{name}, {title}, {way}', [len(seen), seen[-1:]])
                except Exception as error:
                    fact(f'{name}, {title}, {way}', [len(seen), seen[-1:], type(error).__name__, str(error)])


asyncio.run(main())
