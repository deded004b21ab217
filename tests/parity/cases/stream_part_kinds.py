"""Events of responses with thinking, text, calls and native parts, in turn and interleaved."""

import asyncio
import json

from _common import fact
from _stream import call, parts, script, show
from pydantic_ai import Agent
from pydantic_ai.messages import NativeToolCallPart, NativeToolReturnPart
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall


def native(name='web_search', call_id='n1'):
    return NativeToolCallPart(name, {'q': 'x'}, tool_call_id=call_id), NativeToolReturnPart(
        name, 'found', tool_call_id=call_id
    )


SCRIPTS = {
    'thinking, text': [{0: DeltaThinkingPart(content='hm ')}, {0: DeltaThinkingPart(content='ok')}, 'text'],
    'signature': [{0: DeltaThinkingPart(content='hm')}, {0: DeltaThinkingPart(signature='sig')}, 'text'],
    'text, thinking, text': ['one ', {1: DeltaThinkingPart(content='hm')}, 'two'],
    'two thinking': [
        {0: DeltaThinkingPart(content='a')},
        {1: DeltaThinkingPart(content='b')},
        {0: DeltaThinkingPart(content='c')},
        'text',
    ],
    'native': [{0: native()[0]}, {1: native()[1]}, 'text'],
    'native between text': ['one ', {1: native()[0]}, {2: native()[1]}, 'two'],
    'calls in turn': [*call('look', '{"x": 1}'), *call('look', '{"x": 2}', index=1)],
    'calls interleaved': [
        {
            0: DeltaToolCall(name='look', json_args='{"x"', tool_call_id='a'),
            1: DeltaToolCall(name='look', json_args='{', tool_call_id='b'),
        },
        {1: DeltaToolCall(json_args='"x": 5}'), 0: DeltaToolCall(json_args=': 4}')},
    ],
    'call, text, call goes on': [
        {0: DeltaToolCall(name='look', json_args='{', tool_call_id='a')},
        'text',
        {0: DeltaToolCall(json_args='}')},
    ],
    'name in pieces': [
        {0: DeltaToolCall(name='lo', tool_call_id='a')},
        {0: DeltaToolCall(name='ok')},
        {0: DeltaToolCall(json_args='{}')},
    ],
    'args before name': [
        {0: DeltaToolCall(json_args='{"x":', tool_call_id='a')},
        {0: DeltaToolCall(name='look')},
        {0: DeltaToolCall(json_args=' 3}')},
    ],
    'call without args': [{0: DeltaToolCall(name='look', tool_call_id='a')}],
    'thinking, call': [{0: DeltaThinkingPart(content='hm')}, *call('look', index=1)],
}


async def main():
    for name, pieces in SCRIPTS.items():
        agent = Agent(script(pieces, ['end']))

        @agent.tool_plain
        async def look(x: int = 0) -> int:
            return x + 1

        print(name)
        try:
            async with agent.run_stream_events('q') as events:
                async for event in events:
                    print('   ', json.dumps(show(event)))
                    result = getattr(event, 'result', None)
            fact('  messages', parts(result.all_messages()))
        except Exception as error:
            fact('  error', [type(error).__name__, str(error)])


asyncio.run(main())
