"""An output that is validated step by step is, at every step, what validating all of the text gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel, Field, ValidationError, field_validator
from typing_extensions import TypedDict

from stead._streams.growing import CannotGrow, GrowingOutput
from stead.output._processors import ObjectOutputProcessor, validate_with


class Row(BaseModel):
    a: int
    b: str = 'none'


class Loose(TypedDict, total=False):
    name: str
    size: float


class Table(BaseModel):
    title: str
    rows: list[Row]
    notes: list[str] = []
    total: int | None = None


class Tables(TypedDict, total=False):
    title: str
    rows: list[Loose]
    deep: list[list[int]]


class Checked(BaseModel):
    rows: list[Row]

    @field_validator('rows')
    @classmethod
    def at_least_one(cls, rows: list[Row]) -> list[Row]:
        assert rows, 'no rows'
        return rows


class Bounded(BaseModel):
    rows: list[Row] = Field(min_length=1)


TEXTS = st.text(alphabet='a"\\{}[],:é \n', max_size=6)
ROWS = st.lists(st.fixed_dictionaries({'a': st.integers()}, optional={'b': TEXTS}), max_size=4)
LOOSE = st.lists(st.fixed_dictionaries({}, optional={'name': TEXTS, 'size': st.floats(0, 9)}), max_size=4)
BAD = st.just([{'a': 'no number'}, {'a': 1}])
VALUES = {
    Table: st.fixed_dictionaries(
        {'title': TEXTS, 'rows': ROWS | BAD}, optional={'notes': st.lists(TEXTS), 'total': st.integers()}
    ),
    Tables: st.fixed_dictionaries(
        {}, optional={'title': TEXTS, 'rows': LOOSE, 'deep': st.lists(st.lists(st.integers(), max_size=3))}
    ),
    list[Row]: st.fixed_dictionaries({'response': ROWS | BAD}),
    list[str]: st.fixed_dictionaries({'response': st.lists(TEXTS)}),
}


def whole(processor: ObjectOutputProcessor[Any], text: str) -> Any:
    try:
        return processor.unwrapped(validate_with(processor.validator, text, None, True))
    except ValidationError:
        return 'not valid'


@pytest.mark.parametrize('form', VALUES, ids=str)
def test_every_step_is_as_if_validated_whole(form: Any) -> None:
    processor = ObjectOutputProcessor[Any](form)

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(VALUES[form], st.integers(1, 7), st.sampled_from([None, 1]))
    def check(value: Any, size: int, indent: int | None) -> None:
        text = json.dumps(value, indent=indent)
        growing = GrowingOutput.of(processor, None)
        assert growing is not None
        for end in [*range(size, len(text), size), len(text)]:
            try:
                grown = growing.validate(text[:end])
            except ValidationError:
                grown = 'not valid'
            assert grown == whole(processor, text[:end])

    check()


def test_items_that_are_complete_are_validated_once() -> None:
    calls: list[int] = []

    class Counted(BaseModel):
        n: int

        @field_validator('n')
        @classmethod
        def count(cls, n: int) -> int:
            calls.append(n)
            return n

    class All(BaseModel):
        items: list[Counted]

    text = json.dumps({'items': [{'n': n} for n in range(50)]})
    growing = GrowingOutput.of(ObjectOutputProcessor[Any](All), None)
    assert growing is not None
    for end in range(1, len(text) + 1):
        try:
            growing.validate(text[:end])
        except ValidationError:
            continue
    # Once while it comes in and is complete but for the comma, once for good; not once for every later character.
    assert len(calls) < 50 * 6


@pytest.mark.parametrize('form', [Checked, Bounded, int, dict[str, int], Row], ids=str)
def test_what_the_whole_list_decides_about_is_validated_whole(form: Any) -> None:
    assert GrowingOutput.of(ObjectOutputProcessor[Any](form), None) is None


@pytest.mark.parametrize(
    'text', ['Here: {"rows": []}', '[1]', '{"title": "x", "rows": [{"a": 1}, {"a": 2}], "rows": [']
)
def test_unexpected_text_is_left_to_others(text: str) -> None:
    growing = GrowingOutput.of(ObjectOutputProcessor[Any](Table), None)
    assert growing is not None
    with pytest.raises(CannotGrow):
        growing.validate(text)
