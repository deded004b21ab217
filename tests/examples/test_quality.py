"""The bench of what small models get right: it counts right answers as right, and wrong ones as wrong."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.profiles import ModelProfile

BENCHMARKS = Path(__file__).parents[2] / 'benchmarks'


@pytest.fixture
def quality(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import quality

    yield quality
    for name in ('quality', 'quality_questions'):
        sys.modules.pop(name, None)


def model(quality: Any, change: Any) -> FunctionModel:
    """A model that knows the answers, and gives them as `change` has them."""
    known = {question.question: (question.tool, question.args) for question in quality.CHOICES}
    known.update({reading.text: (None, reading.order) for reading in quality.READINGS})

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tool, values = known[str(messages[-1].parts[-1].content)]
        values = change(values)
        return ModelResponse([TextPart(json.dumps(values)) if tool is None else ToolCallPart(tool, values)])

    return FunctionModel(answer, profile=ModelProfile(supports_json_schema_output=True))


@pytest.mark.parametrize(
    ('change', 'expected'),
    [
        (lambda values: values, [1.0, 1.0, 1.0, 1.0]),
        (lambda values: {name: f'{value}.'.upper() if name != 'quantity' else value for name, value in values.items()}, [1, 1, 1, 1]),
        (lambda values: {name: 'Atlantis' if name != 'quantity' else value for name, value in values.items()}, [1, 0, 0, 0]),
        (lambda values: {**values, 'quantity': 999} if 'item' in values else values, [1, 1, 1, 0]),
    ],
)  # fmt: skip
def test_the_shares_of_a_model_are_those_of_its_answers(quality: Any, change: Any, expected: list[float]):
    rows = asyncio.run(quality.measure(model(quality, change), [0, 3, 6], at_once=8))
    assert [row[0] for row in rows] == [0, 3, 6]
    assert [row[1:5] for row in rows] == [expected] * 3


def test_errors_count_as_wrong_and_some_of_the_questions_will_do(quality: Any):
    def silent(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart('')])

    (row,) = asyncio.run(quality.measure(FunctionModel(silent), [0], only=5))
    assert row[1:5] == [0, 0, 0, 0]
    assert {choice.tool for choice in quality.spread(quality.CHOICES, 5)} == {'weather', 'set_alarm', 'send_message'}
    assert len(quality.CHOICES) + len(quality.READINGS) == 60
