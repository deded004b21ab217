"""Hooks that let a request be sent again, and tools that say they failed: whole, streamed and recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, RunContext, ToolReturnPart, UsageLimitExceeded, UsageLimits
from stead.capabilities import Hooks
from stead.exceptions import ModelAPIError, RetryModelRequest, ToolFailed
from stead.journal import Journal
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel


def failing(times: int) -> FunctionModel:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls <= times:
            raise ModelAPIError('m', 'down')

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        check()
        return ModelResponse(parts=[TextPart(f'call {calls}')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        check()
        yield f'call {calls}'

    return FunctionModel(respond, stream_function=stream)


def again(model: Any = None) -> Hooks[Any]:
    hooks = Hooks[Any]()

    @hooks.on.model_request_error
    async def retry(ctx: RunContext[Any], /, *, request_context: Any, error: Exception) -> ModelResponse:
        raise RetryModelRequest(model)

    return hooks


async def streamed(agent: Agent[Any, Any]) -> Any:
    async with agent.run_stream('q') as result:
        return await result.get_output()


def test_a_request_is_sent_again_also_when_it_is_streamed() -> None:
    assert Agent(failing(2), capabilities=[again()]).run_sync('q').output == 'call 3'
    assert asyncio.run(streamed(Agent(failing(2), capabilities=[again()]))) == 'call 3'


def test_to_another_model() -> None:
    spare = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('spare')]), model_name='spare')
    result = Agent(failing(9), capabilities=[again(spare)]).run_sync('q')
    assert (result.output, result.usage.requests) == ('spare', 1)
    assert result.response.model_name == 'spare'


def test_a_request_is_not_sent_again_forever() -> None:
    with pytest.raises(UsageLimitExceeded, match='request_limit of 4'):
        Agent(failing(99), capabilities=[again()]).run_sync('q', usage_limits=UsageLimits(request_limit=4))


def test_it_is_recorded_like_any_other(tmp_path: Path) -> None:
    journal: Any = Journal(tmp_path / 'runs.db')
    agent = Agent(failing(1), name='a', capabilities=[again(), journal])
    result = agent.run_sync('q')
    assert result.output == 'call 2' and [type(message).__name__ for message in result.all_messages()] == [
        'ModelRequest',
        'ModelResponse',
    ]


def calling(times: int = 1) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 2 * times:
            return ModelResponse(parts=[TextPart('done')])
        return ModelResponse(parts=[ToolCallPart('t', {}, tool_call_id=f'c{len(messages)}')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if len(messages) > 2 * times:
            yield 'done'
        else:
            yield {0: DeltaToolCall('t', '{}', tool_call_id='c')}

    return FunctionModel(respond, stream_function=stream)


def returns(messages: list[ModelMessage]) -> list[tuple[Any, str]]:
    return [
        (part.content, part.outcome)
        for message in messages
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]


def test_a_tool_that_failed_is_answered_and_costs_no_retry(tmp_path: Path) -> None:
    for capabilities in ([], [Journal(tmp_path / 'runs.db')]):
        agent = Agent(calling(3), name='a', retries=0, capabilities=capabilities)  # type: ignore[arg-type]

        @agent.tool_plain
        def t() -> str:
            raise ToolFailed('disk is full')

        result = agent.run_sync('q')
        assert returns(result.all_messages()) == [('disk is full', 'failed')] * 3
        assert result.usage.tool_calls == 0
        assert asyncio.run(streamed(agent)) == 'done'


def test_what_a_tool_does_about_errors_does_not_hide_that_it_failed() -> None:
    agent = Agent(calling(), on_tool_error='retry', retries=0)

    @agent.tool_plain
    def t() -> str:
        raise ToolFailed('disk is full')

    assert returns(agent.run_sync('q').all_messages()) == [('disk is full', 'failed')]
