"""Which methods of an event stream are called for the events of a run, in which order, and with what."""

import asyncio
from dataclasses import dataclass
from typing import Any

from _ui import (
    CALL,
    DONE,
    NATIVE,
    NATIVE_RETURN,
    OTHER,
    OUTPUT,
    answered,
    called,
    final,
    part,
    ran,
    short,
    stream,
    text,
    thinking,
)
from pydantic_ai.messages import (
    BinaryContent,
    CompactionPart,
    FilePart,
    FunctionToolCallEvent,
    OutputToolCallEvent,
    RetryPromptPart,
)
from pydantic_ai.ui import SSE_CONTENT_TYPE, UIEventStream

HOOKS = [
    'after_request',
    'after_response',
    'after_stream',
    'before_request',
    'before_response',
    'before_stream',
    'handle_builtin_tool_call_end',
    'handle_builtin_tool_call_start',
    'handle_builtin_tool_return',
    'handle_compaction',
    'handle_file',
    'handle_final_result',
    'handle_function_tool_call',
    'handle_function_tool_result',
    'handle_output_tool_call',
    'handle_output_tool_result',
    'handle_run_result',
    'handle_text_delta',
    'handle_text_end',
    'handle_text_start',
    'handle_thinking_delta',
    'handle_thinking_end',
    'handle_thinking_start',
    'handle_tool_call_delta',
    'handle_tool_call_end',
    'handle_tool_call_start',
    'on_error',
]


@dataclass
class Seen(UIEventStream[Any, str, Any, Any]):
    def encode_event(self, event):
        return event


def note(name):
    async def hook(self, *args, **kwargs):
        arguments = [type(arg).__name__ for arg in args] + [f'{key}={value}' for key, value in kwargs.items()]
        part = getattr(args[0], 'part', args[0]) if args else None
        yield f'{name}({", ".join(arguments)}) {short(getattr(part, "content", None))}'

    return hook


for name in HOOKS:
    setattr(Seen, name, note(name))


def make():
    return Seen(run_input=None)


async def complete(result):
    yield f'completed {result.output}'


async def async_complete(result):
    print('   async', result.output)


def sync_complete(result):
    print('   sync', result.output)


def failing_complete(result):
    raise RuntimeError('no')


async def main():
    await stream('text', make, text('a', 'b'), final(), DONE, on_complete=sync_complete)
    await stream('nothing', make, on_complete=complete)
    await stream('only a result', make, DONE, on_complete=complete)
    await stream('async completion', make, DONE, on_complete=async_complete)
    await stream('failing completion', make, DONE, on_complete=failing_complete)
    both = [thinking('x', after='thinking'), thinking('y', 'z', before='thinking', after='text')]
    both += [text('a', before='thinking', after='text'), text('b', before='text', after='tool-call')]
    await stream('all kinds', make, *both, called(CALL, '{}', before='text'), ran(CALL), text('done'), DONE)
    await stream('two rounds', make, called(CALL), ran(CALL), called(OTHER), ran(OTHER), text('done'), DONE)
    await stream('two calls', make, called(CALL), called(OTHER), ran(CALL), ran(OTHER), DONE)
    await stream('repeated', make, called(CALL), ran(CALL), ran(CALL), DONE)
    await stream('output tool', make, called(OUTPUT), final(OUTPUT), answered(OUTPUT), DONE)
    await stream('output tool without events', make, called(OUTPUT), final(OUTPUT), DONE)
    await stream('deferred', make, called(CALL), DONE)
    native = [called(NATIVE, '1', after='builtin-tool-return'), part(NATIVE_RETURN, end=NATIVE_RETURN)]
    file = FilePart(BinaryContent(b'x', media_type='image/png'))
    await stream('native', make, *native, part(file, end=file), part(CompactionPart('c')), DONE)
    retry = RetryPromptPart('bad', tool_name='final_result', tool_call_id='o1')
    await stream('rejected output', make, called(OUTPUT), answered(OUTPUT, retry), text('x'), DONE)
    await stream('error in text', make, list(text('a'))[:1], error=ValueError('boom'))
    await stream('error in a tool', make, called(CALL), [FunctionToolCallEvent(CALL)], error=ValueError('boom'))
    pending = [FunctionToolCallEvent(CALL), OutputToolCallEvent(OUTPUT)]
    await stream('error in two tools', make, pending, error=ValueError('boom'))
    await stream('error at once', make, error=ValueError('boom'))

    one = make()
    first = one.message_id
    print(one.content_type == SSE_CONTENT_TYPE, one.response_headers, one.new_message_id() == one.message_id != first)

    async def events():
        yield 'a'
        yield 'b'

    print([line async for line in one.encode_stream(events())])
    print(sorted(UIEventStream.__abstractmethods__))


asyncio.run(main())
