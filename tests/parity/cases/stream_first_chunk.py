"""What streams of outputs and responses begin with, when the model opens with pieces that hold nothing."""

import asyncio

from _stream import Out, attempt, call, script
from pydantic_ai import Agent
from pydantic_ai.messages import NativeToolCallPart, NativeToolReturnPart
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall
from pydantic_ai.models.test import TestModel

SEARCH = {0: NativeToolCallPart(tool_name='web_search', args={}, tool_call_id='n')}
FOUND = {1: NativeToolReturnPart(tool_name='web_search', content='', tool_call_id='n')}
OUTPUT = call('final_result', '{"v": 2}', index=1)
CASES = {
    'test model': (TestModel, str),
    'test model, tool': (TestModel, Out),
    'text': (lambda: script(['a', 'b']), str),
    'empty': (lambda: script(['', 'a', '', 'b']), str),
    'only empty': (lambda: script(['']), str),
    'twice empty': (lambda: script(['', '', 'a']), str),
    'space': (lambda: script([' ', 'a']), str),
    'thinking': (lambda: script([{0: DeltaThinkingPart(content='hm')}, '', 'a']), str),
    'empty thinking': (lambda: script([{0: DeltaThinkingPart(content='')}, '', 'a']), str),
    'signed thinking': (lambda: script([{0: DeltaThinkingPart(content='', signature='s')}, '', 'a']), str),
    'native call': (lambda: script([SEARCH, '', 'a']), str),
    'native return': (lambda: script([SEARCH, FOUND, '', 'a']), str),
    'call': (lambda: script(OUTPUT), Out),
    'call or text': (lambda: script(OUTPUT), [Out, str]),
    'call without arguments': (lambda: script(call('final_result', '')), Out),
    'arguments at once': (
        lambda: script(
            [{0: DeltaToolCall('final_result', '{"v"', tool_call_id='c')}, {0: DeltaToolCall(json_args=': 3}')}]
        ),
        Out,
    ),
    'text and call': (lambda: script(['', 'hi', *OUTPUT]), [Out, str]),
    'text before call': (lambda: script(['hi', *OUTPUT]), Out),
    'empty text before call': (lambda: script(['', *OUTPUT]), Out),
    'other call before': (lambda: script([*call('plain', ''), *OUTPUT]), Out),
    'other call with arguments before': (lambda: script([*call('plain', '{}'), *OUTPUT]), Out),
}


def rows(item):
    if not hasattr(item, 'parts'):
        return repr(item)
    return [[part.part_kind, str(getattr(part, 'content', getattr(part, 'args', '')))] for part in item.parts]


def agent(name):
    model, output = CASES[name]
    built = Agent(model(), output_type=output)

    @built.tool_plain
    def plain() -> str:
        return 'p'

    return built


async def read(name, how):
    async with agent(name).run_stream('x') as result:
        return [rows(item) async for item in getattr(result, how)(debounce_by=None)]


async def read_twice(name, how):
    async with agent(name).run_stream('x') as result:
        async for _ in result.stream_response(debounce_by=None):
            break
        return [rows(item) async for item in getattr(result, how)(debounce_by=None)]


async def read_node(name, after):
    async with agent(name).iter('x') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    seen = 0
                    async for _ in stream:
                        seen += 1
                        if seen == after:
                            break
                    return [rows(item) async for item in stream.stream_response(debounce_by=None)]


async def validated(name):
    kinds = []
    async with agent(name).run_stream('x') as result:
        async for response in result.stream_response(debounce_by=None):
            try:
                kinds.append(repr(await result.validate_response_output(response, allow_partial=True)))
            except Exception as error:
                kinds.append(type(error).__name__)
    return kinds


async def main():
    for name in CASES:
        for how in ('stream_output', 'stream_response', *(['stream_text'] if CASES[name][1] is str else [])):
            await attempt(f'{name}: {how}', read(name, how))
        if name not in ('only empty', 'test model, tool'):
            await attempt(f'{name}: again', read_twice(name, 'stream_output'))
        await attempt(f'{name}: again, responses', read_twice(name, 'stream_response'))
        await attempt(f'{name}: validated', validated(name))
        for after in (1, 2, 3):
            await attempt(f'{name}: node after {after}', read_node(name, after))


asyncio.run(main())
