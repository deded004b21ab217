"""Judges that are asked without a data set: what they see, which model they are, and what they answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stead.evals import Case, Dataset
from stead.evals.evaluators import LLMJudge, llm_as_a_judge
from stead.evals.evaluators.llm_as_a_judge import (
    GradingOutput,
    judge_input_output,
    judge_input_output_expected,
    judge_output,
    judge_output_expected,
    set_default_judge_model,
)
from stead.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, FunctionModel

pytestmark = pytest.mark.anyio


class Judge:
    """A model that says that all is fine, and keeps what it was shown."""

    def __init__(self) -> None:
        self.prompts: list[Any] = []
        self.settings: list[Any] = []
        self.model = FunctionModel(self.answer)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.prompts += [part.content for one in messages for part in one.parts if isinstance(part, UserPromptPart)]
        self.settings.append(info.model_settings)
        answer = {'reason': 'fine', 'pass': True, 'score': 0.5}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def default(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    monkeypatch.setattr(llm_as_a_judge, '_default_model', 'test')  # what was set before comes back
    set_default_judge_model(judge.model)
    yield judge


OUTPUT, RUBRIC = '<output>\nout\n</output>', '<rubric>\nkind\n</rubric>'
INPUT, EXPECTED = '<input>\n{"q":1}\n</input>', '<expected output>\nyes\n</expected output>'


async def test_a_judge_sees_what_it_is_given(judge: Judge) -> None:
    inputs, model = {'q': 1}, judge.model
    answers = [
        await judge_output('out', 'kind', model),
        await judge_input_output(inputs, 'out', 'kind', model),
        await judge_output_expected('out', 'yes', 'kind', model),
        await judge_input_output_expected(inputs, 'out', 'yes', 'kind', model),
    ]
    assert answers == [GradingOutput(reason='fine', pass_=True, score=0.5)] * 4
    assert judge.prompts == [
        f'{OUTPUT}\n{RUBRIC}',
        f'{INPUT}\n{OUTPUT}\n{RUBRIC}',
        f'{OUTPUT}\n{EXPECTED}\n{RUBRIC}',
        f'{INPUT}\n{OUTPUT}\n{EXPECTED}\n{RUBRIC}',
    ]


async def test_settings_reach_the_model(judge: Judge) -> None:
    await judge_output('out', 'kind', judge.model, {'temperature': 0.25})
    assert judge.settings == [{'temperature': 0.25}]


async def test_the_default_judge_is_asked_where_none_is_named(default: Judge) -> None:
    assert (await judge_output('out', 'kind')).pass_
    data = Dataset(cases=[Case(inputs='a')], evaluators=[LLMJudge('kind')])
    report = await data.evaluate(lambda _: 'out', progress=False)
    assert report.cases[0].assertions['LLMJudge'].reason == 'fine'
    assert default.prompts == [f'{OUTPUT}\n{RUBRIC}'] * 2
    assert report.cases[0].assertions['LLMJudge'].source.arguments == ('kind',)


async def test_a_judge_that_is_named_is_asked_instead(default: Judge) -> None:
    other = Judge()
    await judge_output('out', 'kind', other.model)
    assert (len(other.prompts), len(default.prompts)) == (1, 0)


def test_what_a_judge_says_is_written_as_models_write_it() -> None:
    answer = GradingOutput(reason='fine', pass_=False, score=1)
    assert answer.model_dump(by_alias=True) == {'reason': 'fine', 'pass': False, 'score': 1.0}
