"""The chunks of the Vercel AI SDK for text, thinking, tools, native tools, files, results and errors, in both versions."""

import asyncio

from _ui import CALL, NATIVE, NATIVE_RETURN, OTHER, OUTPUT, called, final, part, ran, stream, text, thinking
from pydantic_ai.messages import (
    BinaryContent,
    CompactionPart,
    FilePart,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ImageUrl,
    NativeToolCallPart,
    NativeToolReturnPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.ui.vercel_ai import VercelAIEventStream
from pydantic_ai.ui.vercel_ai.request_types import SubmitMessage
from pydantic_ai.ui.vercel_ai.response_types import DataChunk, FileChunk, SourceUrlChunk

INPUT = SubmitMessage(id='chat', messages=[])
RETRY = RetryPromptPart('bad', tool_name='t', tool_call_id='c1')
SEALED = {'id': 'i', 'provider_name': 'p', 'provider_details': {'z': 1}}


def ok(call, valid=True, result=None):
    """A call that was validated, and its result."""
    yield FunctionToolCallEvent(call, args_valid=valid)
    yield FunctionToolResultEvent(result or ToolReturnPart(call.tool_name, 'r', call.tool_call_id))


def output(valid=True, result=None):
    """A call of the output tool, and its result."""
    yield OutputToolCallEvent(OUTPUT, args_valid=valid)
    yield OutputToolResultEvent(result or ToolReturnPart('final_result', 'Final result processed.', 'o1'))


async def complete(result):
    yield DataChunk(type='data-x', data={'a': 1})


async def texts(make):
    await stream('nothing', make)
    await stream('text', make, text('a', 'b', ''), final())
    await stream('text in two parts', make, text('a', after='text'), text('b', before='text'))
    await stream('empty text', make, text(''))
    await stream('text with ids', make, part(TextPart('a', **SEALED), end=TextPart('ab', **SEALED)))
    await stream('thinking', make, thinking('a', 'b', signature='s', **SEALED), thinking('c', before='thinking'))
    await stream('empty thinking', make, thinking(''), text('x'))


async def calls(make):
    await stream('call', make, called(CALL, 'z', {'a': 1}), ok(CALL), text('x'))
    await stream('calls', make, text('a'), called(CALL), called(OTHER), ok(CALL), ok(OTHER), text('x'))
    await stream('two rounds', make, called(CALL), ok(CALL), called(OTHER), ok(OTHER), text('x'))
    sealed = ToolCallPart('t', {'x': 1}, 'c1', **SEALED)
    await stream('call with ids', make, called(sealed), ok(sealed))
    await stream('not streamed', make, ok(CALL))
    await stream('not validated', make, called(CALL), ok(CALL, None))
    await stream('invalid', make, called(CALL), ok(CALL, False, RETRY))
    await stream('invalid, but answered', make, called(CALL), ok(CALL, False))
    for args in ('{bad', '[1]', '', None):
        bad = ToolCallPart('t', args, 'c1')
        await stream(f'arguments {args}', make, called(bad), ok(bad, False, RETRY))
    await stream('retry', make, called(CALL), ok(CALL, True, RETRY))
    for outcome in ('failed', 'denied'):
        await stream(outcome, make, called(CALL), ok(CALL, True, ToolReturnPart('t', 'no', 'c1', outcome=outcome)))
    await stream('without result', make, called(CALL), text('x'))
    await stream('output', make, called(OUTPUT), final(OUTPUT), output())
    bad = RetryPromptPart('bad', tool_name='final_result', tool_call_id='o1')
    await stream('invalid output', make, called(OUTPUT), final(OUTPUT), output(False, bad), text('x'))
    await stream('rejected output', make, called(OUTPUT), final(OUTPUT), output(True, bad))
    await stream('output without events', make, called(OUTPUT), final(OUTPUT))


async def results(make):
    image = BinaryContent(b'x', media_type='image/png')
    contents = [None, '', 'r', 5, b'abc', {'a': [1]}, {'return_value': 1}, ['a', 'b'], [], image]
    for content in [*contents, ['a', ImageUrl('http://x/y.png')]]:
        await stream(f'result {type(content).__name__}', make, ran(CALL, content))
    chunks = [SourceUrlChunk(source_id='s', url='u'), 'x', FileChunk(url='u', media_type='m')]
    for metadata in (DataChunk(type='data-z', data=1), chunks, tuple(chunks), {'a': 1}, 'text', 7):
        await stream(f'metadata {type(metadata).__name__}', make, ran(CALL, metadata=metadata))
    await stream('chunk', make, ran(CALL, DataChunk(type='data-z', data=1)))
    await stream('native', make, text('a'), called(NATIVE, 'z'), part(NATIVE_RETURN, end=NATIVE_RETURN), text('b'))
    sealed = NativeToolCallPart('ws', '{"a":1}', 'n1', id='i', provider_details={'d': 1})
    await stream(
        'native with ids', make, called(sealed), part(NativeToolReturnPart('ws', 'r', 'n1', provider_name='p'))
    )
    failed = NativeToolReturnPart('ws', 'r', 'n1', provider_name='p', outcome='failed')
    await stream('native failed', make, called(NATIVE), part(failed))
    file = FilePart(image, id='a', provider_name='p')
    await stream('file, compaction', make, part(file, end=file), part(CompactionPart('c', id='i')))


async def errors(make):
    boom = ValueError('boom')
    await stream('in text', make, list(text('a'))[:1], error=boom, on_complete=complete)
    await stream('in thinking', make, list(thinking('a'))[:1], error=boom)
    await stream('at once', make, error=boom)
    await stream('before a call', make, called(CALL), error=boom)
    for valid in (True, False, None):
        await stream(f'in a call {valid}', make, called(CALL), list(ok(CALL, valid))[:1], error=boom)
    await stream('in an output', make, called(OUTPUT), list(output())[:1], error=boom)


async def main():
    for version in (5, 6):

        def make(version=version):
            return VercelAIEventStream(INPUT, sdk_version=version)

        print('#', version)
        for scene in (texts, calls, results, errors):
            await scene(make)
        one = VercelAIEventStream(INPUT, sdk_version=version, server_message_id='mine', accept='x')
        print(one.content_type, dict(one.response_headers), one.accept)
        await stream('with an id', lambda one=one: one, text('a'))


asyncio.run(main())
