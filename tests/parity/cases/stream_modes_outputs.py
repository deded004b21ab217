"""`stream_output` in each mode: the values on the way, after a tool, and with the answer in one piece."""

import asyncio

from _common import fact
from _stream import call, parts, script
from _stream_modes import BAD, GOOD, MODES, cut, outputs
from pydantic_ai import Agent


async def main():
    for name, (form, make) in MODES.items():
        for way, answers in {
            'right': [make(GOOD)],
            'one piece': [[''.join(cut(GOOD))] if isinstance(make(GOOD)[0], str) else make(GOOD)],
            'wrong': [make(BAD), make(GOOD)],
            'tool first': [call('look'), make(GOOD)],
        }.items():
            agent = Agent(script(*answers), output_type=form)

            @agent.tool_plain
            def look() -> str:
                return 'looked'

            try:
                async with agent.run_stream('q') as result:
                    fact(f'{name}: {way}', await outputs(result))
                    fact('  complete', [result.is_complete, repr(await result.get_output()), result.usage.requests])
                fact('  messages', parts(result.all_messages()))
            except Exception as error:
                fact(f'{name}: {way}', [type(error).__name__, str(error)])


asyncio.run(main())
