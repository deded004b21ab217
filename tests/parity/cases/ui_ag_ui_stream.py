"""The events of AG-UI for text, tools, native tools, files, results and errors."""

# needs: ag_ui
import asyncio

from _ui import CALL, DONE, NATIVE, NATIVE_RETURN, OTHER, OUTPUT, answered, called, final, part, ran, stream, text
from ag_ui.core import CustomEvent, RunAgentInput, StateDeltaEvent, StateSnapshotEvent
from pydantic_ai import DeferredToolRequests
from pydantic_ai.messages import (
    BinaryContent,
    CompactionPart,
    FilePart,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ImageUrl,
    NativeToolCallPart,
    OutputToolCallEvent,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
)
from pydantic_ai.run import AgentRunResult, AgentRunResultEvent
from pydantic_ai.ui.ag_ui import AGUIEventStream

INPUT = RunAgentInput(thread_id='th', run_id='ru', messages=[], state=None, tools=[], context=[], forwarded_props=None)


def make():
    return AGUIEventStream(INPUT)


async def complete(result):
    yield CustomEvent(name='done', value=result.output)


async def main():
    await stream('text', make, text('a', 'b', ''), final(), DONE, on_complete=complete)
    await stream('text from nothing', make, text('', 'b'), DONE)
    await stream('text in two parts', make, text('a', after='text'), text('b', before='text'), DONE)
    await stream('tool', make, called(CALL, 'z', {'a': 1}), ran(CALL), text('done'), DONE)
    await stream('text and tool', make, text('a', after='tool-call'), called(CALL, before='text'), ran(CALL), DONE)
    bare = [ToolCallPart('t', '', 'c1'), ToolCallPart('t', None, 'c2'), ToolCallPart('t', {}, 'c3')]
    await stream('arguments', make, *[called(call) for call in bare], called(OTHER), DONE)
    await stream('two rounds', make, called(CALL), ran(CALL), called(OTHER), ran(OTHER), text('x'), DONE)
    contents = [None, '', 'r', 5, b'abc', {'a': [1]}, ['a', 'b'], []]
    contents += [BinaryContent(b'x', media_type='image/png'), ['a', ImageUrl('http://x/y.png'), {'b': 1}]]
    contents += [UploadedFile('f', provider_name='openai')]
    for content in contents:
        await stream(f'result {type(content).__name__}', make, ran(CALL, content), DONE)
    event = CustomEvent(name='n', value=1)
    state = [StateSnapshotEvent(snapshot={'a': 1}), StateDeltaEvent(delta=[{'op': 'remove', 'path': '/a'}])]
    for metadata in (event, [event, *state, 'x'], (event,), {'a': 1}, 'text', 7):
        await stream(f'metadata {type(metadata).__name__}', make, ran(CALL, metadata=metadata), DONE)
    retry = RetryPromptPart('bad', tool_name='t', tool_call_id='c1')
    await stream('retry', make, [FunctionToolCallEvent(CALL), FunctionToolResultEvent(retry)], DONE)
    denied = ToolReturnPart('t', 'no', 'c1', outcome='denied')
    await stream('denied', make, [FunctionToolCallEvent(CALL), FunctionToolResultEvent(denied)], DONE)
    await stream('output', make, called(OUTPUT), final(OUTPUT), answered(OUTPUT), DONE)
    await stream('output without events', make, called(OUTPUT), final(OUTPUT), DONE)
    native = [called(NATIVE, 'z', after='builtin-tool-return'), part(NATIVE_RETURN, end=NATIVE_RETURN)]
    await stream('native', make, text('a', after='builtin-tool-call'), *native, text('b'), DONE)
    nameless = NativeToolCallPart('ws', '{"a":1}', 'n1')
    await stream('native of no one', make, called(nameless), part(NATIVE_RETURN), DONE)
    file = FilePart(BinaryContent(b'x', media_type='image/png'), id='a', provider_name='p')
    await stream('file, compaction', make, part(file, end=file), part(CompactionPart('c')), DONE)
    deferred = AgentRunResultEvent(AgentRunResult(DeferredToolRequests(calls=[CALL])))
    await stream('deferred', make, called(CALL), [deferred])
    await stream('error in text', make, list(text('a'))[:1], error=ValueError('boom'), on_complete=complete)
    pending = [FunctionToolCallEvent(CALL), OutputToolCallEvent(OUTPUT)]
    await stream('error in tools', make, called(CALL), called(OUTPUT), pending, error=ValueError('boom'))
    await stream('error at once', make, error=ValueError('boom'))
    one = AGUIEventStream(INPUT, accept='application/x')
    print(one.content_type, one.response_headers, one.accept)


asyncio.run(main())
