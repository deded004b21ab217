"""Errors of tools, models and callbacks in each form of streaming: which error, after which events."""

import asyncio

from _common import fact
from _stream import call, script, show
from pydantic_ai import Agent


def build(*responses, **options):
    agent = Agent(script(*responses), **options)

    @agent.tool_plain
    def fails() -> None:
        raise KeyError('tool')

    @agent.tool_plain
    async def look() -> int:
        return 1

    return agent


async def nothing(ctx, stream):
    async for _ in stream:
        pass


async def tell(name, make):
    seen = []
    try:
        async with make().run_stream_events('q') as events:
            async for event in events:
                seen.append(show(event)[0])
        fact(name, seen)
    except Exception as error:
        fact(name, [seen, type(error).__name__, str(error)])
    for way in ('run', 'run_stream'):
        try:
            if way == 'run':
                await make().run('q', event_stream_handler=nothing)
            else:
                async with make().run_stream('q', event_stream_handler=nothing) as result:
                    await result.get_output()
            fact(f'  {way}', 'fine')
        except Exception as error:
            fact(f'  {way}', [type(error).__name__, str(error)])


async def main():
    await tell('tool', lambda: build(call('fails'), ['end']))
    await tell('tool beside another', lambda: build([*call('look'), *call('fails', index=1)], ['end']))
    await tell('model at once', lambda: build([ValueError('model')]))
    await tell('model in text', lambda: build(['one ', ValueError('model')]))
    await tell('model in a call', lambda: build([*call('look')[:2], ValueError('model')]))
    await tell('model after a call', lambda: build([*call('look'), ValueError('model')]))
    await tell('model in the second response', lambda: build(call('look'), ['one ', ValueError('model')]))

    def validator_fails():
        agent = build(['one'])

        @agent.output_validator
        def check(text: str) -> str:
            raise KeyError('validator')

        return agent

    await tell('validator', validator_fails)

    def instructions_fail():
        agent = build(['one'])

        @agent.instructions
        def check() -> str:
            raise KeyError('instructions')

        return agent

    await tell('instructions', instructions_fail)


asyncio.run(main())
