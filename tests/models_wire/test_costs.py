"""What a step and a chunk cost, counted in calls of Python functions: figures of time depend on the machine."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import _bedrock_bodies as bedrock
import _cohere_bodies as cohere
import pytest
from _in_process import COMPLETION, CONTENT, MAKERS, MESSAGE, RESPONSE
from _wire import Wire
from kit_bedrock import bedrock_model
from kit_cohere import cohere_model

from stead import Agent, UsageLimits
from stead._kit import ids
from tests.counting import Calls

MOST = {
    'openai': {'step': 304, 'chunk': 30.0},
    'openai-responses': {'step': 320, 'chunk': 26.0},
    'anthropic': {'step': 356, 'chunk': 21.0},
    'google': {'step': 353, 'chunk': 69.0},
    'groq': {'step': 300, 'chunk': 29.0},
    'mistral': {'step': 280, 'chunk': 25.0},
    'huggingface': {'step': 283, 'chunk': 38.0},
    'xai': {'step': 275, 'chunk': 25.0},
    'bedrock': {'step': 302, 'chunk': 17.3},
    'cohere': {'step': 297, 'chunk': 18.0},
}
"""Calls of stead's own functions: for a step with some messages behind it, and for a chunk of text that streams in."""
SLACK = 1.05

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason='versions of Python differ in what they count as a call'
)


def calls_of(body: Any) -> int:
    return sum(item.get('role') in ('assistant', 'model') or item.get('type') == 'function_call' for item in body)


def openai_answers(steps: int) -> Callable[[Any], Any]:
    function = {'name': 'add', 'arguments': '{"a": 1, "b": 2}'}

    def answer(body: Any) -> Any:
        if body.get('stream'):
            return sse([{**COMPLETION, 'choices': [{'index': 0, 'delta': {'content': 'word '}}]}] * steps, COMPLETION)
        step = calls_of(body['messages'])
        if step >= steps:
            return COMPLETION
        calls = [{'id': f'c{step}', 'type': 'function', 'function': function}]
        message = {'role': 'assistant', 'content': None, 'tool_calls': calls}
        return {**COMPLETION, 'choices': [{'index': 0, 'finish_reason': 'tool_calls', 'message': message}]}

    return answer


def responses_answers(steps: int) -> Callable[[Any], Any]:
    def answer(body: Any) -> Any:
        if body.get('stream'):
            delta = {'type': 'response.output_text.delta', 'item_id': 'm', 'output_index': 0, 'content_index': 0}
            return sse([{**delta, 'delta': 'word '}] * steps, {'type': 'response.completed', 'response': RESPONSE})
        step = calls_of(body['input'])
        item: Any = {'type': 'function_call', 'call_id': f'c{step}', 'id': f'f{step}', 'name': 'add'}
        item['arguments'] = '{"a": 1, "b": 2}'
        if step >= steps:
            content = [{'type': 'output_text', 'text': 'hello', 'annotations': []}]
            item = {'type': 'message', 'id': 'm', 'role': 'assistant', 'status': 'completed', 'content': content}
        return {**RESPONSE, 'output': [item]}

    return answer


def anthropic_answers(steps: int) -> Callable[[Any], Any]:
    def answer(body: Any) -> Any:
        if body.get('stream'):
            delta = {'type': 'content_block_delta', 'index': 0, 'delta': {'type': 'text_delta', 'text': 'word '}}
            start = {'type': 'content_block_start', 'index': 0, 'content_block': {'type': 'text', 'text': ''}}
            end = {'type': 'message_delta', 'delta': {'stop_reason': 'end_turn'}, 'usage': {'output_tokens': 1}}
            return sse([{'type': 'message_start', 'message': {**MESSAGE, 'content': []}}, start, *[delta] * steps], end)
        step = calls_of(body['messages'])
        if step >= steps:
            return MESSAGE
        call = {'type': 'tool_use', 'id': f'c{step}', 'name': 'add', 'input': {'a': 1, 'b': 2}}
        return {**MESSAGE, 'content': [call], 'stop_reason': 'tool_use'}

    return answer


def google_answers(steps: int) -> Callable[[Any], Any]:
    def answer(body: Any) -> Any:
        step = calls_of(body['contents'])
        if 'stream' in body.get('labels', {}):
            chunk = {'candidates': [{'content': {'role': 'model', 'parts': [{'text': 'word '}]}}], 'modelVersion': 'g'}
            return sse([chunk] * steps, CONTENT, done=False)
        if step >= steps:
            return CONTENT
        call = {'functionCall': {'name': 'add', 'args': {'a': 1, 'b': 2}}}
        return {**CONTENT, 'candidates': [{'content': {'role': 'model', 'parts': [call]}, 'finishReason': 'STOP'}]}

    return answer


ANSWERS = {
    'google': google_answers,
    'openai': openai_answers,
    'openai-responses': responses_answers,
    'anthropic': anthropic_answers,
    'groq': openai_answers,
    'mistral': openai_answers,
    'huggingface': openai_answers,
}


def sse(events: list[Any], end: Any, *, done: bool = True) -> bytes:
    def line(event: Any) -> bytes:
        return f'event: {event.get("type", "")}\ndata: {json.dumps(event)}\n\n'.encode()

    return b''.join([*map(line, events), line(end)]) + b'data: [DONE]\n\n' * done


def xai_replies(steps: int) -> tuple[list[Any], Any]:
    """The replies to a run of so many steps, and a stream of as many chunks."""
    from kit_xai import call, chunks, delta, output, says, whole

    called = [call('add', '{"a": 1, "b": 2}', f'c{number}') for number in range(steps)]
    replies = [whole(output(reason='REASON_TOOL_CALLS', tool_calls=[each])) for each in called]
    return [*replies, says('hello', stream=False)], chunks(*[delta('word ')] * steps)


def bedrock_replies(steps: int) -> tuple[list[Any], Any]:
    called = [bedrock.tool_use('add', {'a': 1, 'b': 2}, f'c{number}') for number in range(steps)]
    replies = [bedrock.answer(each, reason='tool_use') for each in called]
    return [*replies, bedrock.answer(bedrock.text('hello'))], bedrock.stream(*bedrock.texts(*['word '] * steps))


def cohere_replies(steps: int) -> tuple[list[Any], Any]:
    called = [cohere.call('add', '{"a": 1, "b": 2}', f'c{number}') for number in range(steps)]
    replies = [cohere.answer(finish='TOOL_CALL', message={'tool_calls': [each]}) for each in called]
    return [*replies, cohere.answer('hello')], cohere.stream(cohere.pieces(*['word '] * steps))


def loopback(vendor: str) -> tuple[Any, Any, Any]:
    """What serves a vendor whose SDK takes no transport, what makes a model that asks it, and what makes replies."""
    if vendor == 'xai':
        pytest.importorskip('xai_sdk', reason='the SDK xai-sdk is not installed')
        from _grpc_wire import GrpcWire
        from kit_xai import xai_model

        return GrpcWire, xai_model, xai_replies
    return Wire, *{'bedrock': (bedrock_model, bedrock_replies), 'cohere': (cohere_model, cohere_replies)}[vendor]


@contextmanager
def answering(vendor: str, steps: int, *, stream: bool = False) -> Iterator[tuple[Any, Callable[[], None]]]:
    """A model that calls a tool at each step, or whose streams have as many chunks; and what begins a run of it."""
    if vendor in ANSWERS:
        yield MAKERS[vendor](ANSWERS[vendor](steps))[0], lambda: None
        return
    serve, model, replies_of = loopback(vendor)
    whole, streamed = replies_of(steps)
    replies = [streamed] if stream else whole
    with serve(*replies) as wire:
        yield model(wire), lambda: wire.expect(*replies)


def in_steps(vendor: str, steps: int) -> Calls:
    async def main(model: Any, begin: Callable[[], None]) -> Calls:
        agent = Agent(model)

        @agent.tool_plain
        async def add(a: int, b: int) -> int:
            return a + b

        for _ in range(2):
            begin()
            with Calls() as calls:
                assert (await agent.run('go', usage_limits=UsageLimits(request_limit=None))).output == 'hello'
        return calls

    with answering(vendor, steps) as (model, begin):
        return asyncio.run(main(model, begin))


def in_chunks(vendor: str, chunks: int) -> Calls:
    # Google has the kind of answer in its path, which a transport in this process does not show.
    settings: Any = {'extra_body': {'labels': {'stream': '1'}}} if vendor == 'google' else None

    async def main(model: Any, begin: Callable[[], None]) -> Calls:
        for _ in range(2):
            begin()
            with Calls() as calls:
                async with Agent(model, model_settings=settings).run_stream('go') as result:
                    assert [text async for text in result.stream_text(delta=True, debounce_by=None)].count('word ')
        return calls

    with answering(vendor, chunks, stream=True) as (model, begin):
        return asyncio.run(main(model, begin))


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that another test loaded is asked for each id and time: its calls are not those of a vendor."""
    monkeypatch.setattr(ids, '_finders', ())


@pytest.mark.parametrize('vendor', MOST)
def test_a_step_does_not_cost_more_calls_than_before(vendor: str) -> None:
    short, long = in_steps(vendor, 5), in_steps(vendor, 25)
    step = (long.ours - short.ours) / 20
    assert step <= MOST[vendor]['step'] * SLACK, step
    if vendor in ('xai', 'cohere'):  # gRPC wakes up as often as bytes arrive, and Cohere's SDK has no other door
        return
    # A typed method walks through all of the history: some 300 calls for each message that is sent again.
    everything = (long.all - short.all) / 20
    assert everything <= 7 * MOST[vendor]['step'], everything


@pytest.mark.parametrize('vendor', MOST)
def test_a_chunk_does_not_cost_more_calls_than_before(vendor: str) -> None:
    short, long = in_chunks(vendor, 20), in_chunks(vendor, 220)
    if vendor == 'cohere':  # generators are entered once more as often as bytes arrive, which is not once a chunk
        chunk = sum(round((long.of_each[code] - short.of_each[code]) / 200) for code in long.of_each)
    else:
        chunk = (long.ours - short.ours) / 200
    assert chunk <= MOST[vendor]['chunk'] * SLACK, chunk
    if vendor not in ('xai', 'huggingface', 'cohere'):  # their SDKs decode chunks
        assert (long.all - short.all) / 200 <= 2 * chunk
