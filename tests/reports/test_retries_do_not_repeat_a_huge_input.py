"""What a model reads about its errors says where they are, and does not repeat a huge input."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel


@pytest.mark.parametrize(
    'args',
    [
        {'n': 'Z' * 100_000, 'm': list(range(5000))},
        '{"n": 1, "m": "' + 'Z' * 100_000,
        {'n': 1, 'm': 2, 'Z' * 100_000: 3},
    ],
    ids=['values', 'broken', 'name'],
)
def test_the_input_is_cut(args: Any) -> None:
    answers: list[str] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart('add', args)])
        answers.append(messages[-1].parts[0].model_response())  # type: ignore[union-attr]
        return ModelResponse(parts=[TextPart('done')])

    agent = Agent(FunctionModel(reply), retries=2)

    @agent.tool_plain
    def add(n: int, m: int) -> int:
        return n + m

    agent.run_sync('x')
    assert len(answers[0]) < 5000
    assert '"loc"' in answers[0]
    assert 'characters)' in answers[0]


def test_a_short_input_is_whole() -> None:
    agent = Agent(
        FunctionModel(
            lambda messages, info: ModelResponse(
                parts=[ToolCallPart('add', {'n': 'x' * 900})] if len(messages) == 1 else [TextPart('done')]
            )
        ),
        retries=2,
    )

    @agent.tool_plain
    def add(n: int) -> int:
        return n

    result = agent.run_sync('x')
    assert 'x' * 900 in result.all_messages()[2].parts[0].model_response()  # type: ignore[union-attr]
