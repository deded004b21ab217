"""`FunctionModel` streams: text, calls in pieces, thinking and native parts, and errors on the way."""

import asyncio
import itertools

from _models import attempt, fact, stream, streamed, tool, user
from pydantic_ai.messages import NativeToolCallPart, NativeToolReturnPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel

Call, Thought = DeltaToolCall, DeltaThinkingPart
SCRIPTS = {
    'text': ['Hello', ' ', 'world, this is ', '', 'text.'],
    'one empty text': [''],
    'a call at once': [{0: Call('f', '{"a": 1}', tool_call_id='c')}],
    'a call in pieces': [{0: Call('f')}, {0: Call(json_args='{"a"')}, {0: Call(json_args=': 1}')}],
    'a call with a name in pieces': [{0: Call('f', tool_call_id='c')}, {0: Call('oo')}, {0: Call('t', '{}')}],
    'arguments before the name': [{0: Call(json_args='{"a"')}, {0: Call('f', ': 1}', tool_call_id='c')}],
    'two calls': [
        {0: Call('f', '{}', tool_call_id='c'), 1: Call('g', '{"x"', tool_call_id='d')},
        {1: Call(json_args=': 2}')},
    ],
    'calls out of order': [{3: Call('f', '{}', tool_call_id='c')}, {1: Call('g', '{}', tool_call_id='d')}],
    'text before a call': ['Let me see. ', {1: Call('f', '{}', tool_call_id='c')}],
    'text after a call': [{0: Call('f', '{}', tool_call_id='c')}, 'That was it.'],
    'text around a call': ['a', {0: Call('f', '{}', tool_call_id='c')}, 'b'],
    'thinking': [{0: Thought(content='Hm')}, {0: Thought(content=' well')}, {0: Thought(signature='sig')}],
    'thinking and text': [{0: Thought(content='Hm')}, 'So', ' be it'],
    'thinking, text, call': [{0: Thought(content='Hm')}, 'So', {2: Call('f', '{}', tool_call_id='c')}],
    'only a signature': [{0: Thought(signature='sig')}],
    'two thoughts': [{0: Thought(content='a')}, {1: Thought(content='b', signature='s')}],
    'native': [
        {0: NativeToolCallPart('web_search', {'q': 'x'}, tool_call_id='n', provider_name='function')},
        {1: NativeToolReturnPart('web_search', [{'title': 'T'}], tool_call_id='n', provider_name='function')},
        'Found it.',
    ],
    'output tool': [{0: Call('final_result', '{"a": ', tool_call_id='c')}, {0: Call(json_args='1}')}],
    'output tool after another': [
        {0: Call('f', '{}', tool_call_id='c')},
        {1: Call('final_result', '{}', tool_call_id='d')},
    ],
    'empty delta': [{}],
    'empty delta, then text': [{}, 'x'],
    'call without anything': [{0: Call()}],
}
PARAMETERS = {
    'text': ModelRequestParameters(),
    'tool': ModelRequestParameters(
        output_mode='tool',
        allow_text_output=False,
        function_tools=[tool('f')],
        output_tools=[tool('final_result', kind='output')],
    ),
}
for (title, script), (mode, parameters) in itertools.product(SCRIPTS.items(), PARAMETERS.items()):
    stream(f'{title}, {mode} output', streamed(*script), params=parameters)


async def nothing(messages, info):
    return
    yield


async def fails(messages, info):
    yield 'a'
    raise RuntimeError('on the way')


async def fails_first(messages, info):
    raise RuntimeError('at once')
    yield


stream('nothing', FunctionModel(stream_function=nothing))
stream('fails', FunctionModel(stream_function=fails))
stream('fails at once', FunctionModel(stream_function=fails_first))


async def left():
    closed = []

    async def answer(messages, info):
        try:
            for word in 'abcdef':
                yield word
        finally:
            closed.append(True)

    model = FunctionModel(stream_function=answer)
    async with model.request_stream([user()], None, ModelRequestParameters()) as response:
        async for event in response:
            fact('event', event)
            break
        fact('in the middle', [response.get().parts, response.get().state, response.usage.output_tokens])
    return closed


attempt('left', lambda: asyncio.run(left()) and None)
