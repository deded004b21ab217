"""Usage limits in streamed runs: which of them are met when."""

import asyncio

from _common import fact
from _stream import call, script, show
from pydantic_ai import Agent, UsageLimits


def build(*responses):
    agent = Agent(script(*responses))

    @agent.tool_plain
    def look() -> int:
        return 1

    return agent


CASES = {
    'output tokens': ((['one two three ', 'four five six ', 'seven'],), UsageLimits(output_tokens_limit=4)),
    'total tokens': ((['one two three ', 'four five six ', 'seven'],), UsageLimits(total_tokens_limit=52)),
    'enough': ((['one two three ', 'four'],), UsageLimits(output_tokens_limit=100)),
    'requests': ((call('look'), ['end']), UsageLimits(request_limit=1)),
    'tool calls': (([*call('look'), *call('look', index=1)], ['end']), UsageLimits(tool_calls_limit=1)),
    'input tokens': ((['x'],), UsageLimits(input_tokens_limit=10)),
}


async def main():
    for name, (responses, limits) in CASES.items():
        seen = []
        try:
            async with build(*responses).run_stream('q', usage_limits=limits) as result:
                async for text in result.stream_text(delta=True, debounce_by=None):
                    seen.append(text)
            fact(name, seen)
        except Exception as error:
            fact(name, [seen, type(error).__name__, str(error)])
        seen = []
        try:
            async with build(*responses).run_stream_events('q', usage_limits=limits) as events:
                async for event in events:
                    seen.append(show(event)[0])
            fact('  events', seen)
        except Exception as error:
            fact('  events', [seen, type(error).__name__, str(error)])


asyncio.run(main())
