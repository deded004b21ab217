"""Agents with a tool that needs approval, the ways to run them, and a list of what ran."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from stead import Agent
from stead.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.run import AgentRunResultEvent
from stead.tools import DeferredToolRequests

RAN: list[Any] = []


def scripted(*responses: list[ToolCallPart]) -> FunctionModel:
    """Return a model that sends these calls one response after the other, streamed or not, and then is done."""

    def number_of(messages: list[ModelMessage]) -> int:
        return sum(isinstance(message, ModelResponse) for message in messages)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        number = number_of(messages)
        if number >= len(responses):
            return ModelResponse(parts=[TextPart('done')])
        return ModelResponse(parts=[replace(call) for call in responses[number]])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        number = number_of(messages)
        if number >= len(responses):
            yield 'done'
            return
        for index, call in enumerate(responses[number]):
            yield {index: DeltaToolCall(call.tool_name, None, tool_call_id=call.tool_call_id)}
            yield {index: DeltaToolCall(None, json.dumps(call.args), tool_call_id=call.tool_call_id)}

    return FunctionModel(answer, stream_function=stream)


def wiping(*responses: list[ToolCallPart], **options: Any) -> Agent[None, Any]:
    """Return an agent whose tool `wipe` needs approval, and whose tool `read` does not."""
    options = {'output_type': [str, DeferredToolRequests], **options}
    agent: Agent[None, Any] = Agent(scripted(*responses), **options)

    @agent.tool_plain(requires_approval=True)
    def wipe(p: str = '/') -> str:
        RAN.append(('wipe', p))
        return f'wiped {p}'

    @agent.tool_plain
    def read(p: str = '/') -> str:
        RAN.append(('read', p))
        return f'read {p}'

    return agent


def wipe(p: str, call_id: str = 'c1') -> ToolCallPart:
    return ToolCallPart('wipe', {'p': p}, call_id)


def read(p: str, call_id: str = 'c1') -> ToolCallPart:
    return ToolCallPart('read', {'p': p}, call_id)


def ids(messages: list[ModelMessage]) -> list[str]:
    return [part.tool_call_id for message in messages for part in message.parts if isinstance(part, ToolCallPart)]


def returns(messages: list[ModelMessage]) -> list[Any]:
    return [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


async def ended(agent: Agent[None, Any], how: str) -> Any:
    """Return a run's output and messages, whichever way it is run."""
    if how == 'run':
        result = await agent.run('go')
        return result.output, result.all_messages()
    if how == 'iter':
        async with agent.iter('go') as run:
            async for _ in run:
                pass
        assert run.result is not None
        return run.result.output, run.result.all_messages()
    if how == 'run_stream_events':
        outcome: Any = None
        async with agent.run_stream_events('go') as events:
            async for event in events:
                outcome = event.result if isinstance(event, AgentRunResultEvent) else outcome
        return outcome.output, outcome.all_messages()
    until: Any = 'end' if how == 'until end' else 'final-result'
    async with agent.run_stream('go', until=until) as streamed:
        return await streamed.get_output(), streamed.all_messages()


WAYS = ['run', 'iter', 'run_stream', 'until end', 'run_stream_events']
