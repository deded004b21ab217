"""Calls of native tools before, between and after the pieces of text and structured answers."""

import asyncio

from _common import fact
from _stream import parts, script
from _stream_modes import GOOD, MODES, cut, outputs
from pydantic_ai import Agent
from pydantic_ai.messages import NativeToolCallPart, NativeToolReturnPart


def native(index, name='web_search', call_id='n1'):
    call, answer = (
        NativeToolCallPart(name, {'q': 'x'}, tool_call_id=call_id),
        NativeToolReturnPart(name, 'found', tool_call_id=call_id),
    )
    return [{index: call}, {index + 1: answer}]


def spread(pieces):
    half = len(pieces) // 2
    return {
        'before': [*native(90), *pieces],
        'after': [*pieces, *native(92)],
        'between': [*pieces[:half], *native(94), *pieces[half:]],
        'twice': [*native(90), *pieces[:half], *native(94, 'code_execution', 'n2'), *pieces[half:]],
        'only': native(96),
    }


async def main():
    for name, (form, make) in {'text': (str, cut), **MODES}.items():
        for where, pieces in spread(make(GOOD)).items():
            try:
                async with Agent(script(pieces, make(GOOD)), output_type=form).run_stream('q') as result:
                    fact(f'{name}: {where}', (await outputs(result))[-1:])
                    fact(
                        '  native', [[call.tool_name, part.content] for call, part in result.response.native_tool_calls]
                    )
                fact('  messages', parts(result.all_messages()))
            except Exception as error:
                fact(f'{name}: {where}', [type(error).__name__, str(error)])
            if form is str:
                for delta in (False, True):
                    async with Agent(script(pieces, make(GOOD))).run_stream('q') as result:
                        fact('  texts', [text async for text in result.stream_text(delta=delta, debounce_by=None)])


asyncio.run(main())
