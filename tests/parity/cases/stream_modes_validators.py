"""Output validators while streaming, in each mode: what they see in part and whole, when they refuse, and what happens then."""

import asyncio

from _common import fact
from _stream import script
from _stream_modes import GOOD, MODES, outputs
from pydantic_ai import Agent, ModelRetry, RunContext


async def main():
    for name, (form, make) in MODES.items():
        for refusing in ('nothing', 'parts', 'first whole', 'all'):
            for way in ('outputs', 'output', 'events'):
                seen = []
                agent = Agent(script(*[make(GOOD)] * 3), output_type=form)

                @agent.output_validator
                def check(ctx: RunContext, value):
                    seen.append([ctx.partial_output, ctx.retry, ctx.tool_name, repr(value)])
                    whole = sum(not line[0] for line in seen)
                    if (
                        refusing == 'all'
                        or (ctx.partial_output and refusing == 'parts')
                        or (refusing == 'first whole' and whole == 1 and not ctx.partial_output)
                    ):
                        raise ModelRetry('no')
                    return value

                try:
                    if way == 'events':
                        async with agent.run_stream_events('q') as events:
                            out = [type(event).__name__ async for event in events if 'Part' not in type(event).__name__]
                    else:
                        async with agent.run_stream('q') as result:
                            out = await outputs(result) if way == 'outputs' else repr(await result.get_output())
                    fact(f'{name}, {refusing}, {way}', out)
                except Exception as error:
                    fact(f'{name}, {refusing}, {way}', [type(error).__name__, str(error)])
                if way != 'events':
                    fact('  seen', seen)


asyncio.run(main())
