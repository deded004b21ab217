"""A call whose arguments are missing since the response reached its token limit is not executed with its defaults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from _bedrock_bodies import answer as bedrock_answer
from _wire import Reply, Wire
from kit import (
    BOTH_WAYS,
    MODELS,
    block,
    call,
    chunks,
    completion,
    message,
    message_events,
    response,
)
from kit_google import content
from kit_groq import groq_answer
from kit_mistral import mistral_answer

from stead import (
    Agent,
    IncompleteToolCall,
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    UsageLimits,
)
from stead.models.function import AgentInfo, FunctionModel

CALL = {'id': 'c', 'type': 'function', 'function': {'name': 'wipe', 'arguments': ''}}
ITEM = {'type': 'function_call', 'id': 'f', 'call_id': 'c', 'name': 'wipe', 'arguments': '', 'status': 'incomplete'}
CUT: dict[str, Callable[[], Reply]] = {
    'openai': lambda: completion({'role': 'assistant', 'content': None, 'tool_calls': [CALL]}, 'length'),
    'openai-responses': lambda: response(ITEM, status='incomplete', incomplete_details={'reason': 'max_output_tokens'}),
    'anthropic': lambda: message({'type': 'tool_use', 'id': 'c', 'name': 'wipe', 'input': {}}, reason='max_tokens'),
    'google': lambda: content({'functionCall': {'name': 'wipe', 'args': {}}}, reason='MAX_TOKENS'),
    'groq': lambda: groq_answer(tool_calls=[CALL], reason='length'),
    'mistral': lambda: mistral_answer(tool_calls=[CALL], reason='length'),
    'bedrock': lambda: bedrock_answer(
        {'toolUse': {'toolUseId': 'c', 'name': 'wipe', 'input': {}}}, reason='max_tokens'
    ),
}
"""Answers that reached the token limit where the arguments of a call should begin."""
STREAMED_CUT: dict[str, Callable[[], Reply]] = {
    'openai': lambda: chunks({'role': 'assistant', 'tool_calls': [{**CALL, 'index': 0}]}, reason='length'),
    'anthropic': lambda: message_events(
        block(0, {'type': 'tool_use', 'id': 'c', 'name': 'wipe', 'input': {}}), reason='max_tokens'
    ),
}


def wiped(model: Any, *, stream: bool = False) -> list[list[str]]:
    ran: list[list[str]] = []

    def wipe(paths: list[str] = ['/everything']) -> str:  # noqa: B006
        ran.append(paths)
        return 'done'

    async def read(ctx: Any, events: Any) -> None:
        async for _ in events:
            pass

    agent = Agent(model, tools=[wipe], retries=1)
    with pytest.raises(IncompleteToolCall, match='token limit'):
        asyncio.run(
            agent.run('x', event_stream_handler=read if stream else None, usage_limits=UsageLimits(request_limit=3))
        )
    return ran


@pytest.mark.parametrize('vendor', CUT)
def test_a_call_without_its_arguments_is_not_executed(vendor: str) -> None:
    with Wire(CUT[vendor]()) as wire:
        assert wiped(BOTH_WAYS[vendor](wire)) == []


@pytest.mark.parametrize('vendor', STREAMED_CUT)
def test_a_streamed_call_without_its_arguments_is_not_executed(vendor: str) -> None:
    with Wire(STREAMED_CUT[vendor]()) as wire:
        assert wiped(MODELS[vendor](wire), stream=True) == []


def outcome(parts: list[Any], tool: Any) -> list[ModelMessage]:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart('done')])
        return ModelResponse(parts=parts, finish_reason='length')

    return asyncio.run(Agent(FunctionModel(answer), tools=[tool]).run('x')).all_messages()


def test_the_model_reads_why_and_can_call_again() -> None:
    def wipe(paths: str = '/') -> str:
        raise AssertionError

    (part,) = outcome([ToolCallPart('wipe', '')], wipe)[2].parts
    assert isinstance(part, RetryPromptPart)
    assert 'reached its token limit before the arguments' in part.model_response()


def test_a_call_that_is_whole_is_executed_after_all() -> None:
    def find(order: str = 'none') -> str:
        return f'found {order}'

    def now() -> str:
        return 'noon'

    whole = outcome([ToolCallPart('find', '{"order": "A17"}')], find)
    assert whole[2].parts[0].content == 'found A17'
    assert outcome([ToolCallPart('now', '')], now)[2].parts[0].content == 'noon'  # it has no arguments to wait for
    first = outcome([ToolCallPart('find', '{}'), TextPart('and')], find)
    assert first[2].parts[0].content == 'found none'  # what follows the call shows that it is whole


@pytest.mark.parametrize('arguments', ['"{\\"n\\": 1}"', '{"n": 1}\n', '{"n": 1.0}', '{"n": "1"}'])
def test_arguments_that_were_written_in_another_way_are_read(arguments: str) -> None:
    received: list[int] = []

    def add(n: int) -> str:
        received.append(n)
        return 'done'

    with Wire(completion(call('add', arguments), 'tool_calls'), completion()) as wire:
        asyncio.run(Agent(MODELS['openai'](wire), tools=[add], retries=0).run('x'))
    assert received == [1]


@pytest.mark.parametrize('arguments', [None, '', '{}', 'null'])
def test_no_arguments_are_none_however_they_are_written(arguments: Any) -> None:
    def now() -> str:
        return 'noon'

    with Wire(completion(call('now', arguments), 'tool_calls'), completion()) as wire:
        asyncio.run(Agent(MODELS['openai'](wire), tools=[now], retries=0).run('x'))
        assert wire.bodies[1]['messages'][1]['tool_calls'][0]['function']['arguments'] == '{}'
