"""`ModelFallback(sticky=)`: which models are asked in a run and in those that continue it, and the attempts that responses have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import ModelFallback
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

ASKED: list[str] = []


def model(name: str, fails: list[int], length: int) -> FunctionModel:
    def ask() -> None:
        ASKED.append(name)
        if fails and fails.pop(0):
            raise ModelHTTPError(500, name)

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        ask()
        return ModelResponse(parts=[ToolCallPart('a', {}) if len(messages) < length else TextPart(name)])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        ask()
        yield name

    return FunctionModel(respond, stream_function=stream, model_name=name)


def agent(sticky: bool, *fails: list[int], length: int = 5) -> Agent[Any, Any]:
    ASKED.clear()
    first, *others = [model(name, [*each], length) for name, each in zip('pbc', fails)]
    one = Agent(first, capabilities=[ModelFallback(*others, sticky=sticky)])

    @one.tool_plain
    def a() -> str:
        return 'x'

    return one


def attempts(messages: list[ModelMessage]) -> list[Any]:
    return [
        [
            [each.model_name, each.provider_name, each.outcome, each.error, each.usage is None]
            for each in message.failed_attempts or []
        ]
        for message in messages
        if isinstance(message, ModelResponse)
    ]


CASES: dict[str, list[list[int]]] = {
    'one failed': [[1], [], []],
    'the second, later the third': [[1], [0, 1], []],
    'two at once': [[1], [1], []],
    'around': [[1], [1], [0, 1]],
    'none left': [[1, 1], [0, 1], [1]],
    'the second of two': [[1], [0, 1]],
    'later': [[0, 1], [], []],
}
for name, fails in CASES.items():
    for sticky in (False, True):
        one = agent(sticky, *fails)
        try:
            result = one.run_sync('q')
            fact(name, [sticky, result.output, attempts(result.all_messages()), result.usage.requests])
        except Exception as error:
            fact(name, [sticky, type(error).__name__, str(error)])
        fact(f'{name}, asked', list(ASKED))

history = agent(True, [1], [], []).run_sync('q').all_messages()
stored = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(history))
for name, sticky, messages in (
    ('continued', True, history),
    ('continued from JSON', True, stored),
    ('not sticky', False, stored),
):
    agent(sticky, [], [], []).run_sync('z', message_history=messages)
    fact(name, list(ASKED))
agent(True, [], [], []).run_sync('z', message_history=stored, model=model('o', [], 5))
fact('with another model', list(ASKED))
agent(True, [], [1], []).run_sync('z', message_history=stored)
fact('continued, failed', list(ASKED))


async def main() -> None:
    for sticky in (False, True):
        async with agent(sticky, [1], [], [], length=1).run_stream('q') as result:
            fact('streamed', [await result.get_output(), list(ASKED)])
        fact('streamed, attempts', attempts(result.all_messages()))


asyncio.run(main())


def filtered(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart('x')], finish_reason='content_filter')


one = Agent(FunctionModel(filtered, model_name='p'), capabilities=[ModelFallback(model('b', [], 1))])
fact('filtered', attempts(one.run_sync('q').all_messages()))
fact('defaults', [ModelFallback('test').sticky, ModelFallback('test', sticky=True).sticky])
