"""Messages of streamed structured answers, before, while and after they are read, and runs that continue from them."""

import asyncio
import json

from _common import fact
from _stream import parts, script
from _stream_modes import GOOD, MODES
from pydantic_ai import Agent


async def main():
    for name, (form, make) in MODES.items():
        agent = Agent(script(make(GOOD), make(GOOD), make(GOOD)), output_type=form)
        async with agent.run_stream('q') as result:
            fact(name, [parts(result.all_messages()), parts(result.new_messages()), result.is_complete])
            async for _ in result.stream_output(debounce_by=None):
                fact('  first', [parts([result.response]), len(result.all_messages())])
                break
            fact('  left', [result.is_complete, repr(await result.get_output())])
            fact(
                '  read',
                [len(result.all_messages()), len(result.new_messages()), len(json.loads(result.all_messages_json()))],
            )
        history = result.all_messages()
        async with agent.run_stream('more', message_history=history) as result:
            await result.get_output()
        fact('  goes on', [parts(result.new_messages()), len(result.all_messages())])
        result = await agent.run(
            'again', message_history=history, event_stream_handler=lambda ctx, stream: asyncio.sleep(0)
        )
        fact(
            '  run goes on',
            [repr(result.output), [[part.part_kind for part in message.parts] for message in result.new_messages()]],
        )


asyncio.run(main())
