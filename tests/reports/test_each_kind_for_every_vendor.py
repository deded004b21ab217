"""The kinds of what people report, for every vendor: errors of a transport, numbers in pieces, huge feedback, usage."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import _in_process
import pytest
from _bedrock_bodies import stream as bedrock_stream, texts as bedrock_texts
from _wire import Reply, Wire
from kit import (
    ANSWERS,
    BOTH_WAYS,
    STREAMS,
    block,
    chunks,
    groq_chunks,
    huggingface_chunks,
    message_events,
    mistral_chunks,
    response_events,
    text_deltas,
)
from kit_google import content_events, text
from pydantic import BaseModel

from stead import Agent, ModelRequest, ModelResponse, PromptedOutput, RetryPromptPart, ToolCallPart, UserError
from stead.messages import UserPromptPart
from stead.models.fallback import FallbackModel
from stead.models.test import TestModel

VENDORS = [vendor for vendor in BOTH_WAYS if vendor != 'outlines']
each_vendor = pytest.mark.parametrize('vendor', VENDORS)
STREAMED = pytest.mark.parametrize('stream', [False, True], ids=['request', 'stream'])
IN_PROCESS = ('chat', 'responses', 'anthropic', 'groq', 'mistral', 'google', 'huggingface', 'cohere', 'bedrock')


async def asked(model: Any, stream: bool, prompt: str | None = 'hi', **options: Any) -> Any:
    agent = Agent(model)
    if not stream:
        return await agent.run(prompt, **options)
    async with agent.run_stream(prompt, **options) as result:
        await result.get_output()
        return result


@STREAMED
@pytest.mark.parametrize('wire', [None, 'sdk'])
@pytest.mark.parametrize('kind', [ValueError, KeyError, ZeroDivisionError, AssertionError])
@pytest.mark.parametrize('vendor', IN_PROCESS)
def test_an_error_of_the_programs_own_transport_is_raised_as_it_is(
    vendor: str, kind: type[Exception], wire: str | None, stream: bool
) -> None:
    def refuse(*_: Any, **more: Any) -> Any:
        raise kind('the vault is sealed')

    settings: dict[str, Any] = {'max_retries': 0}  # SDKs wait before they try again
    if wire:
        settings['wire'] = wire
    if vendor == 'bedrock':
        model, _ = _in_process.bedrock(settings=settings)
        model.client.meta.events.register_first('before-send.bedrock-runtime', refuse)
    else:
        model, _ = getattr(_in_process, vendor)(refuse, settings=settings)
    # The client of Hugging Face raises plain ValueErrors for requests that it cannot send.
    raised = (kind, UserError) if vendor == 'huggingface' else kind
    with pytest.raises(raised, match='the vault is sealed'):
        asyncio.run(asked(FallbackModel(model, TestModel()), stream))


ERRORS: Any = [
    {'type': 'int_parsing', 'loc': ('n',), 'msg': 'Input should be a valid integer', 'input': 'Z' * 100_000},
    {'type': 'int_parsing', 'loc': ('m', 'Y' * 100_000), 'msg': 'X' * 100_000, 'input': list(range(50_000))},
]
FEEDBACK: dict[str, Any] = {
    'a retry of a call': RetryPromptPart(ERRORS, tool_name='t', tool_call_id='c1'),
    'a retry of an output': RetryPromptPart(ERRORS),
    'many errors': RetryPromptPart(ERRORS[:1] * 5000, tool_name='t', tool_call_id='c1'),
}


@each_vendor
@pytest.mark.parametrize('name', FEEDBACK)
def test_feedback_about_a_huge_input_is_sent_in_short(vendor: str, name: str) -> None:
    part = FEEDBACK[name]
    asked_for = ToolCallPart('t', {}, tool_call_id='c1')
    history = [
        ModelRequest(parts=[UserPromptPart('x')]),
        ModelResponse(parts=[asked_for] if part.tool_name else []),
        ModelRequest(parts=[part]),
    ]
    with Wire(ANSWERS[vendor.partition(',')[0]]('hello')) as wire:
        asyncio.run(asked(BOTH_WAYS[vendor](wire), False, None, message_history=history))
        assert len(json.dumps(wire.bodies[0])) < (120_000 if name == 'many errors' else 20_000)


class Order(BaseModel):
    n: int = 0
    price: float = 0
    note: str = ''


PIECES = ['{"n": 12', '34, "pri', 'ce": 5', '6.5', ', "note": "a', 'b"}']


def in_pieces(vendor: str) -> Reply:
    if vendor in ('openai', 'openrouter'):
        return chunks(*({'content': piece} for piece in PIECES))
    if vendor == 'openai-responses':
        return response_events(*text_deltas(*PIECES))
    if vendor == 'anthropic':
        deltas = [{'type': 'text_delta', 'text': piece} for piece in PIECES]
        return message_events(block(0, {'type': 'text', 'text': ''}, *deltas))
    if vendor == 'groq':
        return groq_chunks(*({'content': piece} for piece in PIECES))
    if vendor == 'mistral':
        return mistral_chunks(*({'content': piece} for piece in PIECES))
    if vendor == 'huggingface':
        return huggingface_chunks(*({'content': piece} for piece in PIECES))
    if vendor == 'google':
        return content_events(*map(text, PIECES))
    if vendor == 'bedrock':
        return bedrock_stream(*bedrock_texts(*PIECES))
    return STREAMS[vendor](''.join(PIECES))


@each_vendor
def test_no_part_of_a_number_is_shown_as_a_number(vendor: str) -> None:
    async def shown(model: Any) -> list[dict[str, Any]]:
        agent = Agent(model, output_type=PromptedOutput(Order))
        async with agent.run_stream('x') as result:
            outputs = [output async for output in result.stream_output(debounce_by=None)]
        return [output.model_dump(exclude_unset=True) for output in outputs]

    with Wire(in_pieces(vendor.partition(',')[0])) as wire:
        outputs = asyncio.run(shown(BOTH_WAYS[vendor](wire)))
    assert {output['n'] for output in outputs if 'n' in output} == {1234}
    assert {output['price'] for output in outputs if 'price' in output} == {56.5}
    assert outputs[-1] == {'n': 1234, 'price': 56.5, 'note': 'ab'}


@each_vendor
def test_a_streamed_response_is_counted_as_one_that_is_not(vendor: str) -> None:
    kind, usages = vendor.partition(',')[0], list[Any]()
    for stream, replies in ((False, ANSWERS), (True, STREAMS)):
        with Wire(replies[kind]('hello')) as wire:
            result = asyncio.run(asked(BOTH_WAYS[vendor](wire), stream))
        usages.append(result.response.usage)
    for usage in usages:
        attributes = usage.opentelemetry_attributes()
        assert not any(f'gen_ai.usage.details.{name}' in attributes for name in ('input_tokens', 'output_tokens'))
        assert attributes.get('gen_ai.usage.input_tokens', 0) == usage.input_tokens
    whole, streamed = usages
    if streamed.has_values():  # the streams of some vendors here report none
        assert (streamed.input_tokens, streamed.output_tokens) == (whole.input_tokens, whole.output_tokens)
