"""Thinking before, between and after the pieces of structured answers, in each mode."""

import asyncio

from _common import fact
from _stream import parts, script, show
from _stream_modes import GOOD, MODES, outputs
from pydantic_ai import Agent
from pydantic_ai.models.function import DeltaThinkingPart


def thought(text, index='t'):
    return {index: DeltaThinkingPart(content=text)}


def spread(pieces):
    return {
        'before': [{90: DeltaThinkingPart(content='hm')}, *pieces],
        'after': [*pieces, {91: DeltaThinkingPart(content='done')}],
        'between': [*pieces[:2], {92: DeltaThinkingPart(content='wait')}, *pieces[2:]],
        'only': [{93: DeltaThinkingPart(content='hm')}],
    }


async def main():
    for name, (form, make) in MODES.items():
        for where, pieces in spread(make(GOOD)).items():
            agent = Agent(script(pieces, make(GOOD)), output_type=form)
            try:
                async with agent.run_stream('q') as result:
                    fact(f'{name}: {where}', (await outputs(result))[-1:])
                fact('  messages', parts(result.all_messages()))
            except Exception as error:
                fact(f'{name}: {where}', [type(error).__name__, str(error)])
            agent = Agent(script(pieces, make(GOOD)), output_type=form)
            try:
                async with agent.run_stream_events('q') as events:
                    seen = [show(event) async for event in events if 'Delta' not in type(event).__name__]
                fact('  events', seen)
            except Exception as error:
                fact('  events', [type(error).__name__, str(error)])


asyncio.run(main())
