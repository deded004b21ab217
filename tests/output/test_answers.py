"""How answers are read: JSON among words, retries and what the model is told, validators."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, field_validator

from stead import ModelRetry, NativeOutput, PromptedOutput, RunContext, TextOutput, ToolOutput, UnexpectedModelBehavior
from stead.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from stead.output._processors import without_fence

from .kit import NATIVE, PROMPTED, run


class Row(BaseModel):
    n: int


class Odd(BaseModel):
    n: int

    @field_validator('n')
    @classmethod
    def odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError('not odd')
        return value


@pytest.mark.parametrize(
    'text',
    [
        '{"n": 1}',
        '  \n{"n": 1}\n',
        '```json\n{"n": 1}\n```',
        '```\n{"n": 1}\n```',
        'Here you are:\n```json\n{"n": 1}\n```\nBye.',
        '```json\n{"n": 1}',
        '{"n": "1"}',
        '{"n": 1, "m": {"x": "```"}}',
    ],
)
@pytest.mark.parametrize(('marker', 'profile'), [(PromptedOutput, PROMPTED), (NativeOutput, NATIVE)])
def test_json_in_text(text: str, marker: Any, profile: Any):
    assert run(marker(Row), text, profile=profile, retries=0).output == Row(n=1)


@pytest.mark.parametrize(
    ('text', 'problem'),
    [
        ('no JSON', 'json_invalid'),
        ('{"n": 1', 'json_invalid'),
        ("{'n': 1}", 'json_invalid'),
        ('{"n": 1} {"n": 2}', 'json_invalid'),
        ('{}', 'missing'),
        ('{"n": "x"}', 'int_parsing'),
        ('[{"n": 1}]', 'model_type'),
    ],
)
@pytest.mark.parametrize(('marker', 'profile'), [(PromptedOutput, PROMPTED), (NativeOutput, NATIVE)])
def test_the_model_is_told_what_is_wrong(text: str, problem: str, marker: Any, profile: Any):
    record = run(marker(Row), text, '{"n": 2}', profile=profile)
    assert record.output == Row(n=2)
    assert [each['type'] for each in record.replies[0][0]] == [problem]


JSON = st.recursive(
    st.one_of(st.integers(), st.text('ab{}`" \n', max_size=5)),
    lambda inner: st.dictionaries(st.text('ab`}', max_size=2), inner, max_size=2),
)


@given(
    data=JSON, before=st.text('ab \n', max_size=5), language=st.sampled_from(['', 'json', 'JSON']), close=st.booleans()
)
def test_fences_are_taken_off(data: Any, before: str, language: str, close: bool):
    import json

    text = json.dumps({'x': data}, indent=2)
    fenced = f'{before}```{language}\n{text}' + ('\n```' if close else '')
    found = json.loads(without_fence(fenced)) if '```' not in text else {'x': data}
    assert found == {'x': data}
    assert without_fence(text) == text or '```' in text


def test_a_kind_that_does_not_exist():
    record = run(
        PromptedOutput([Row, Odd]),
        '{"result": {"kind": "Nope", "data": {}}}',
        '{"result": {"kind": "Odd", "data": {"n": 1}}}',
        profile=PROMPTED,
    )
    assert record.output == Odd(n=1)
    assert record.replies[0][0][0]['msg'] == "Input should be 'Row' or 'Odd'"


GOOD, BAD = ('final_result', {'n': 1}), ('final_result', {'n': 'x'})


@pytest.mark.parametrize(
    ('output', 'answers', 'retries', 'output_or_limit'),
    [
        (Row, [BAD, GOOD], 1, Row(n=1)),
        (Row, [BAD, GOOD], 0, 0),
        (Row, [BAD, BAD, GOOD], 1, 1),
        (Row, [BAD, BAD, GOOD], 2, Row(n=1)),
        (ToolOutput(Row, max_retries=2), [BAD, BAD, GOOD], 0, Row(n=1)),
        (PromptedOutput(Row), ['x', '{"n": 1}'], 1, Row(n=1)),
        (PromptedOutput(Row), ['x', '{"n": 1}'], 0, 0),
        (str, [ModelResponse(parts=[]), 'x'], 1, 'x'),
        (str, [ModelResponse(parts=[]), 'x'], 0, 0),
    ],
)  # fmt: skip
def test_how_often_the_model_may_try(output: Any, answers: Any, retries: int, output_or_limit: Any):
    if isinstance(output_or_limit, int):
        with pytest.raises(UnexpectedModelBehavior, match=rf'Exceeded maximum output retries \({output_or_limit}\)'):
            run(output, *answers, retries=retries)
    else:
        assert run(output, *answers, retries=retries).output == output_or_limit


ROW_CALL = ModelResponse(parts=[ToolCallPart('final_result', {'n': 1}, tool_call_id='c')])


NOTHING, THOUGHT = ModelResponse(parts=[]), ModelResponse(parts=[ThinkingPart('hm')])
MARKED = ToolOutput(Row)


@pytest.mark.parametrize(
    ('output', 'answer', 'right', 'message'),
    [
        (MARKED, 'words', GOOD, 'Please include your response in a tool call.'),
        (MARKED, THOUGHT, GOOD, 'Please include your response in a tool call.'),
        (MARKED, ('other', {}), GOOD, "Unknown tool name: 'other'. Available tools: 'final_result'"),
        (str, ('other', {}), 'x', "Unknown tool name: 'other'. No tools available."),
        (str, THOUGHT, 'x', 'Please return text.'),
        ([MARKED, str], THOUGHT, GOOD, 'Please return text or include your response in a tool call.'),
        (PromptedOutput(Row), THOUGHT, '{"n": 1}', 'Please return text.'),
    ],
)
def test_answers_of_another_form(output: Any, answer: Any, right: Any, message: str):
    assert run(output, answer, right).replies == [[message]]


@pytest.mark.parametrize(('output', 'right'), [(str, 'x'), (MARKED, GOOD), (PromptedOutput(Row), '{"n": 1}')])
def test_an_empty_answer_is_asked_for_again(output: Any, right: Any):
    record = run(output, NOTHING, right)
    assert (record.output, record.replies) == (right if output is str else Row(n=1), [[]])


def test_validators_of_types_speak_to_the_model():
    record = run(Odd, ('final_result', {'n': 2}), ('final_result', {'n': 3}))
    assert record.output == Odd(n=3)
    ((problems,),) = record.replies
    assert (problems[0]['type'], problems[0]['msg'], problems[0]['loc']) == (
        'value_error',
        'Value error, not odd',
        ('n',),
    )


def test_the_first_of_several_outputs_counts():
    def calls(*numbers: Any) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart('final_result', {'n': n}, tool_call_id=str(n)) for n in numbers])

    assert run(Row, calls(1, 2)).output == Row(n=1)
    assert run(Row, calls('x', 2)).output == Row(n=2)
    record = run(Row, calls('x', 'y'), GOOD)
    assert len(record.replies[0]) == 2
    assert run(Row, ModelResponse(parts=[TextPart('so'), *ROW_CALL.parts])).output == Row(n=1)


CASES: list[tuple[Any, Any, Any, Any, Any]] = [
    (str, None, 'a', 'b', 'b'),
    (TextOutput(str.upper), None, 'a', 'b', 'B'),
    (int, None, ('final_result', {'response': 1}), ('final_result', {'response': 2}), 2),
    (PromptedOutput(Row), PROMPTED, '{"n": 1}', '{"n": 2}', Row(n=2)),
    (NativeOutput(Row), NATIVE, '{"n": 1}', '{"n": 2}', Row(n=2)),
]


@pytest.mark.parametrize(('output', 'profile', 'first', 'second', 'value'), CASES)
def test_validators_run_in_order(output: Any, profile: Any, first: Any, second: Any, value: Any):
    seen: list[Any] = []

    def refuse_once(ctx: RunContext[None], output: Any) -> Any:
        seen.append((ctx.retry, ctx.max_retries, ctx.partial_output))
        if ctx.retry == 0:
            raise ModelRetry('once more')
        return output

    async def wrap(output: Any) -> Any:
        seen.append(output)
        return [output]

    record = run(output, first, second, profile=profile, validators=[refuse_once, wrap])
    assert (record.output, record.replies) == ([value], [['once more']])
    assert seen == [(0, 1, False), (1, 1, False), value]


def test_an_error_of_a_validator_ends_the_run():
    def fails(output: str) -> str:
        raise LookupError('mine')

    with pytest.raises(LookupError, match='mine'):
        run(str, 'x', validators=[fails])


@pytest.mark.parametrize('retries', [0, 2])
def test_validators_may_use_up_the_retries(retries: int):
    def never(output: str) -> str:
        raise ModelRetry('no')

    with pytest.raises(UnexpectedModelBehavior, match=rf'Exceeded maximum output retries \({retries}\)'):
        run(str, 'x', validators=[never], retries=retries)
