"""Events of a response with several outputs and tools, under each strategy."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, show
from pydantic_ai import Agent
from typing_extensions import TypedDict


class Out(TypedDict):
    v: int


def build(model, **options):
    agent = Agent(model, output_type=options.pop('output_type', Out), **options)

    @agent.tool_plain
    async def look(x: int = 0) -> int:
        return x + 1

    return agent


SCRIPTS = {
    'tool, output': [*call('look'), *call('final_result', '{"v": 1}', index=1)],
    'output, tool': [*call('final_result', '{"v": 1}'), *call('look', index=1)],
    'two outputs': [*call('final_result', '{"v": 1}'), *call('final_result', '{"v": 2}', index=1)],
    'bad output, good output': [*call('final_result', '{"v": "x"}'), *call('final_result', '{"v": 2}', index=1)],
    'good output, bad output': [*call('final_result', '{"v": 2}'), *call('final_result', '{"v": "x"}', index=1)],
    'output, unknown': [*call('final_result', '{"v": 2}'), *call('nope', index=1)],
    'output, bad tool': [*call('final_result', '{"v": 2}'), *call('look', '{"x": "no"}', index=1)],
    'text, tool': ['text', *call('look', index=1)],
    'text, output': ['text', *call('final_result', '{"v": 2}', index=1)],
}


async def main():
    for strategy in ('early', 'graceful', 'exhaustive'):
        for name, pieces in SCRIPTS.items():
            print(strategy, name)
            for output_type in (Out, [str, Out]):
                agent = build(
                    script(pieces, call('final_result', '{"v": 7}')), end_strategy=strategy, output_type=output_type
                )
                try:
                    async with agent.run_stream_events('q') as events:
                        async for event in events:
                            if 'Tool' in type(event).__name__ or 'Final' in type(event).__name__:
                                print('   ', json.dumps(show(event)))
                            result = getattr(event, 'result', None)
                    fact('  messages', [repr(result.output), parts(result.all_messages())])
                except Exception as error:
                    fact('  error', [type(error).__name__, str(error)])


asyncio.run(main())
