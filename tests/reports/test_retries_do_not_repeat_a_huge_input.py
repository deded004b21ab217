"""What a model reads about its errors says where they are, and does not repeat a huge input."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Union

import pytest
from pydantic import AfterValidator, TypeAdapter, ValidationError

from stead import Agent, ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
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


def echo(value: str) -> str:
    raise ValueError(f'{value} is not known')


MANY = Literal[tuple(f'choice{index}' for index in range(3000))]  # type: ignore[valid-type]


@pytest.mark.parametrize(
    ('kind', 'value'),
    [
        (Annotated[str, AfterValidator(echo)], 'Z' * 100_000),
        (MANY, 'other'),
        (list[int], ['x' * 5000] * 150),
        (Union[int, list[int], dict[str, int]], 'q' * 100_000),
    ],
    ids=['a validator that repeats it', 'many choices', 'many errors', 'many ways'],
)
def test_each_form_of_the_feedback_is_bounded(kind: Any, value: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    errors: Any = caught.value.errors(include_url=False)
    prompt = RetryPromptPart.from_error(caught.value, tool_name='t').model_response()
    returned = ToolReturnPart('t', errors, 'c1', outcome='retried')  # as 2.x has it
    forms = [prompt, returned.model_response_str(), returned.model_response_str(wrap_if_error=True)]
    forms += [
        json.dumps(returned.model_response_object()),
        json.dumps(returned.model_response_object(wrap_if_error=True)),
    ]
    forms += [str(returned.content_items(mode='str', wrap_if_error=True)), str(returned.content_items(mode='jsonable'))]
    for form in forms:
        assert len(form) < 60_000
        assert 'loc' in form and str(errors[-1]['msg'])[:12] in form
    assert returned.content is errors


@pytest.mark.parametrize(
    ('key', 'value', 'most'),
    [('n', 'x', 11_000), ('k' * 5_000, 'x', 60_000), ('n', 'y' * 900, 35_000)],
    ids=['plain', 'long places', 'long inputs'],
)
def test_of_thousands_of_errors_the_first_are_there_and_the_number_of_the_rest(key: str, value: str, most: int) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, list[int]]).validate_python({key: [value] * 3_000})
    errors: Any = caught.value.errors(include_url=False)
    returned = ToolReturnPart('t', errors, 'c1', outcome='retried')
    for form in (
        RetryPromptPart.from_error(caught.value, tool_name='t').model_response(),
        returned.model_response_str(),
    ):
        assert len(form) < most
        assert 'There are 2950 more errors, which are not listed' in form
        assert form.count('int_parsing') == 50


def test_a_number_of_errors_that_was_counted_once_is_not_counted_again() -> None:
    prompts: list[str] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart('add', {'numbers': ['x'] * 3_000})])
        prompts.append(messages[-1].parts[0].model_response())  # type: ignore[union-attr]
        return ModelResponse(parts=[TextPart('done')])

    agent = Agent(FunctionModel(reply), retries=2)

    @agent.tool_plain
    def add(numbers: list[int]) -> int:
        return sum(numbers)

    agent.run_sync('x')
    assert prompts[0].startswith('50 validation errors:')
    assert prompts[0].count('more errors') == 1 and 'There are 2950 more errors' in prompts[0]
