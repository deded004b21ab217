"""Outputs that are one of several: which member takes a value, also one that a hook put in place of what the model sent."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationInfo, field_validator
from typing_extensions import TypedDict

from stead import Agent, PromptedOutput, UserError
from stead.capabilities import Hooks

from .kit import PROMPTED, run


class Row(BaseModel):
    n: int


class Typed(TypedDict):
    t: int


def pair(a: int, b: int) -> str:
    return f'{a} and {b}'


def single(row: Row) -> str:
    return f'row {row.n}'


def numbers(values: list[int]) -> str:
    return f'{len(values)} numbers'


PAIR = '{"result": {"kind": "pair", "data": {"a": 1, "b": 2}}}'
SINGLE = '{"result": {"kind": "Row", "data": {"n": 1}}}'
NUMBERS = '{"result": {"kind": "numbers", "data": {"values": [1]}}}'


@pytest.mark.parametrize(
    ('answer', 'value', 'output'),
    [
        (PAIR, {'a': 3, 'b': 4}, '3 and 4'),
        (PAIR, Row(n=5), 'row 5'),
        (PAIR, [1, 2, 3], '3 numbers'),
        (PAIR, 'text', 'text'),
        (SINGLE, Row(n=5), 'row 5'),
        (SINGLE, [1, 2, 3], '3 numbers'),
        (SINGLE, {'a': 3, 'b': 4}, {'a': 3, 'b': 4}),
        (NUMBERS, [4, 5], '2 numbers'),
        (NUMBERS, Row(n=6), 'row 6'),
    ],
)
def test_a_value_goes_to_the_member_that_can_take_it(answer: str, value: Any, output: Any) -> None:
    hooks = Hooks[Any]()

    @hooks.on.after_output_validate
    async def replace(ctx: Any, *, output_context: Any, output: Any) -> Any:
        return value

    record = run(PromptedOutput([pair, single, numbers]), answer, profile=PROMPTED, capabilities=[hooks])
    assert record.output == output


def test_a_dict_goes_to_the_typed_dict() -> None:
    hooks = Hooks[Any]()

    @hooks.on.after_output_validate
    async def replace(ctx: Any, *, output_context: Any, output: Any) -> Any:
        return {'t': 1}

    def typed(value: Typed) -> str:
        return f'typed {value["t"]}'

    record = run(PromptedOutput([single, typed]), SINGLE, profile=PROMPTED, capabilities=[hooks])
    assert record.output == 'typed 1'


def test_without_a_hook_the_value_goes_to_the_member_that_the_model_chose() -> None:
    def other(a: int, b: int) -> str:
        return 'the wrong one'

    assert run(PromptedOutput([other, pair]), PAIR, profile=PROMPTED).output == '1 and 2'


def test_a_member_that_does_not_exist_is_told_with_those_that_do() -> None:
    wrong = '{"result": {"kind": "Cell", "data": {}}}'
    nothing = '{"result": {"kind": "NoneType", "data": {"response": null}}}'
    record = run(PromptedOutput([Row, type(None)]), wrong, nothing, profile=PROMPTED)
    assert record.output is None
    [[[problem]]] = record.replies
    assert (problem['loc'], problem['input']) == (('result', 'kind'), 'Cell')
    assert problem['msg'] == "Input should be 'Row' or 'NoneType'"


def test_text_is_validated_with_the_context_of_the_agent() -> None:
    class Added(BaseModel):
        n: int

        @field_validator('n')
        @classmethod
        def add(cls, n: int, info: ValidationInfo) -> int:
            return n + info.context

    for output in (PromptedOutput(Added), PromptedOutput([Added, Row])):
        text = '{"n": 1}' if output.outputs is Added else '{"result": {"kind": "Added", "data": {"n": 1}}}'
        assert run(output, text, profile=PROMPTED, validation_context=10).output == Added.model_construct(n=11)


def test_a_type_that_cannot_be_sent_is_refused_with_the_mode() -> None:
    class Opaque:
        pass

    for output in (PromptedOutput(Opaque), PromptedOutput([Row, Opaque])):
        with pytest.raises(UserError, match="Output in mode 'prompted' cannot be of type"):
            Agent('test', output_type=output)
