"""Every call in what is sent has an answer right after it, whatever the history that a run begins with looks like."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from stead import (
    Agent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import DeltaThinkingPart, FunctionModel
from stead.models.test import TestModel


def asked(*parts: Any) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(part) if isinstance(part, str) else part for part in parts])


def called(*ids: str, state: Any = 'complete') -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart('t', {}, tool_call_id=call_id) for call_id in ids], state=state)


def result(call_id: str, content: str = 'r') -> ToolReturnPart:
    return ToolReturnPart('t', content, tool_call_id=call_id)


ANSWERED = ModelResponse(parts=[TextPart('y')])
HISTORIES: dict[str, list[ModelMessage]] = {
    'a prompt after a call': [asked('a'), called('1'), asked('b')],
    'a prompt after an interrupted call': [asked('a'), called('1', state='interrupted'), asked('b')],
    'a result without a call': [asked(result('9'), 'b'), ANSWERED],
    'one of two answered, at the end': [asked('a'), called('1', '2'), asked(result('1'))],
    'one of two answered, and a prompt': [asked('a'), called('1', '2'), asked(result('1')), asked('b')],
    'answered in two requests': [asked('a'), called('1', '2'), asked(result('1')), asked(result('2'))],
    'half answered': [asked('a'), called('1', '2'), asked(result('1')), ANSWERED],
    'answered twice': [asked('a'), called('1'), asked(result('1'), result('1', 'r2')), ANSWERED],
    'answered late': [asked('a'), called('1'), asked('wait'), ANSWERED, asked(result('1')), ANSWERED],
}


@pytest.mark.parametrize('name', HISTORIES)
@pytest.mark.parametrize('prompt', ['go', None])
def test_every_call_that_is_sent_has_an_answer(name: str, prompt: str | None) -> None:
    sent: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        sent.append(messages)
        return ModelResponse(parts=[TextPart('done')])

    agent = Agent(FunctionModel(answer))

    @agent.tool_plain
    def t() -> str:
        return 'ran'

    agent.run_sync(prompt, message_history=HISTORIES[name])
    for messages in sent:
        open_calls: list[str] = []
        for message in messages:
            if isinstance(message, ModelResponse):
                assert not open_calls
                open_calls = [call.tool_call_id for call in message.tool_calls]
                continue
            for part in message.parts:
                if isinstance(part, ToolReturnPart):
                    open_calls.remove(part.tool_call_id)
            assert not open_calls
    if name == 'one of two answered, at the end':
        answers = {part.tool_call_id: part.content for part in sent[0][2].parts if isinstance(part, ToolReturnPart)}
        expected = 'Tool not executed - the run was interrupted.' if prompt else 'ran'
        assert answers == {'1': 'r', '2': expected}


def test_thinking_alone_is_none_where_that_is_an_output() -> None:
    async def thinks(messages: list[ModelMessage], info: Any) -> AsyncIterator[Any]:
        yield {0: DeltaThinkingPart(content='nothing to say')}

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        return ModelResponse(parts=[ThinkingPart('nothing to say')])

    agent: Agent[None, Any] = Agent(FunctionModel(answer, stream_function=thinks), output_type=[str, type(None)])
    assert agent.run_sync('x').output is None

    async def streamed() -> Any:
        async with agent.run_stream('x') as stream:
            return await stream.get_output()

    assert asyncio.run(streamed()) is None


def test_a_history_of_an_older_version_is_read() -> None:
    """Fields had other names, were null, or are not known here."""
    when = '2025-01-01T00:00:00Z'
    usage = {'requests': 1, 'request_tokens': 5, 'response_tokens': 6, 'total_tokens': 11, 'details': None}
    call = {'part_kind': 'tool-call', 'tool_name': 't', 'args': {'a': 1}, 'tool_call_id': None}
    answer = {'part_kind': 'tool-return', 'tool_name': 't', 'content': 'r', 'tool_call_id': None, 'timestamp': when}
    stored = [
        {'kind': 'request', 'parts': [{'part_kind': 'user-prompt', 'content': 'hi', 'timestamp': when}]},
        {'kind': 'response', 'parts': [{'part_kind': 'text', 'content': 'yo'}, call], 'timestamp': when},
        {'kind': 'request', 'parts': [answer], 'instructions': None},
        {
            'kind': 'response',
            'parts': [{'part_kind': 'text', 'content': 'x'}],
            'timestamp': when,
            'usage': usage,
            'vendor_details': {'finish_reason': 'stop'},
            'vendor_id': 'abc',
            'brand_new': 1,
        },
    ]
    messages = ModelMessagesTypeAdapter.validate_python(stored)
    calls, answers, last = messages[1], messages[2], messages[3]
    assert isinstance(calls, ModelResponse)
    assert isinstance(last, ModelResponse)
    assert answers.parts[0].tool_call_id == calls.tool_calls[0].tool_call_id  # type: ignore[union-attr]
    assert (last.usage.input_tokens, last.usage.output_tokens, last.provider_response_id) == (5, 6, 'abc')
    assert (
        Agent(TestModel()).run_sync('go on', message_history=messages).output == '{"t":"r"}'
    )  # the test model repeats results
