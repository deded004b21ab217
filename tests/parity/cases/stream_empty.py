"""Pieces without anything in them, and responses of nothing but such."""

import asyncio
import json

from _common import fact
from _stream import parts, script, show
from pydantic_ai import Agent
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall

SCRIPTS = {
    'empty first': ['', 'text'],
    'empty between': ['te', '', 'xt'],
    'empty last': ['text', ''],
    'white space': [' ', '\n', 'text'],
    'only white space': [' ', '\n'],
    'thinking only': [{0: DeltaThinkingPart(content='hm')}],
    'empty thinking': [{0: DeltaThinkingPart(content='')}, 'text'],
    'empty args': [
        {0: DeltaToolCall(name='look', json_args='', tool_call_id='a')},
        {0: DeltaToolCall(json_args='')},
        {0: DeltaToolCall(json_args='{}')},
    ],
}


async def main():
    for name, pieces in SCRIPTS.items():

        def build():
            agent = Agent(script(pieces, ['again']))

            @agent.tool_plain
            def look() -> int:
                return 1

            return agent

        print(name)
        try:
            async with build().run_stream_events('q') as events:
                async for event in events:
                    print('   ', json.dumps(show(event)))
                    result = getattr(event, 'result', None)
            fact('  messages', parts(result.all_messages()))
        except Exception as error:
            fact('  error', [type(error).__name__, str(error)])
        for delta in (False, True):
            try:
                async with build().run_stream('q') as result:
                    fact('  texts', [text async for text in result.stream_text(delta=delta, debounce_by=None)])
            except Exception as error:
                fact('  error', [type(error).__name__, str(error)])


asyncio.run(main())
