"""Events of structured answers in each mode: right at once, right the second time, and after a tool."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, show
from _stream_modes import BAD, GOOD, MODES
from pydantic_ai import Agent

WAYS = {
    'right': lambda make: [make(GOOD)],
    'wrong, right': lambda make: [make(BAD), make(GOOD)],
    'nothing, right': lambda make: [[''], make(GOOD)],
    'tool, right': lambda make: [call('look'), make(GOOD)],
}


async def main():
    for name, (form, make) in MODES.items():
        for way, answers in WAYS.items():
            agent = Agent(script(*answers(make)), output_type=form)

            @agent.tool_plain
            def look() -> str:
                return 'looked'

            print(f'{name}: {way}')
            try:
                async with agent.run_stream_events('q') as events:
                    async for event in events:
                        if 'Delta' not in type(event).__name__:
                            print('   ', json.dumps(show(event)))
                        result = getattr(event, 'result', None)
                fact('  output', [repr(result.output), parts(result.all_messages())])
            except Exception as error:
                fact('  error', [type(error).__name__, str(error)])


asyncio.run(main())
