"""An output that is validated step by step is, at every step, what validating all of the text gives."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from annotated_types import Len
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from typing_extensions import TypedDict

from stead._kit.unset import UNSET
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


class Full(BaseModel):
    a: int
    b: str
    more: list[dict[str, str]] = []


class Report(BaseModel):
    rows: list[Full]
    title: str = ''


class Filled(BaseModel):
    a: int
    b: str

    @model_validator(mode='before')
    @classmethod
    def fill(cls, data: Any) -> Any:
        return {'b': 'filled', **data}


class Renamed(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    a: int = Field(alias='x')
    b: str


FULL = st.lists(
    st.fixed_dictionaries(
        {'a': st.integers(), 'b': TEXTS},
        optional={'more': st.lists(st.dictionaries(st.sampled_from(['a', 'b', '}']), TEXTS, max_size=2), max_size=2)},
    ),
    max_size=4,
)


@pytest.mark.parametrize('item', [Full, Filled, Renamed])
def test_pieces_that_are_known_to_be_too_few_are_not_validated(item: type[BaseModel]) -> None:
    class Several(BaseModel):
        rows: list[item]  # type: ignore[valid-type]
        title: str = ''

    processor = ObjectOutputProcessor[Any](Report if item is Full else Several)

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(FULL, st.integers(1, 9), st.sampled_from([None, 1]), st.sampled_from(['b', 'c', '\\u0062']))
    def check(rows: Any, size: int, indent: int | None, key: str) -> None:
        text = json.dumps({'rows': rows, 'title': 'x'}, indent=indent).replace('"b":', f'"{key}":')
        growing = GrowingOutput.of(processor, None)
        assert growing is not None
        for begin in range(0, len(text), size):
            try:
                grown = growing.validate_more(text[begin : begin + size])
            except ValidationError:
                grown = 'not valid'
            assert ('not valid' if grown is UNSET else grown) == whole(processor, text[: begin + size])

    check()


def test_an_item_that_lacks_a_key_is_not_validated() -> None:
    growing = GrowingOutput.of(ObjectOutputProcessor[Any](Report), None)
    assert growing is not None
    assert growing.validate_more('{"rows": [') == Report(rows=[])
    assert growing.validate_more('{"a": 1, ') is UNSET
    assert growing.validate_more('"b": "x') == Report(rows=[Full(a=1, b='x')])


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
    # Once while it comes in and is complete except for the comma, once for good; not once for every later character.
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


class Named(BaseModel):
    lines: list[dict[str, Any]] = Field(alias='rows')


class Plain(TypedDict):
    rows: list[dict[str, Any]]


ITEM = {'quote "': 'a \\ "b", ]}', 'deep': [[1, {'x': []}], {}], 'text': 'x,y'}


@pytest.mark.parametrize(
    ('form', 'key'), [(Named, 'rows'), (Plain, 'rows'), (list[dict[str, Any]], 'response')], ids=str
)
@pytest.mark.parametrize('indent', [None, 1])
@pytest.mark.parametrize('size', [1, 7])
def test_what_is_scanned_again_does_not_grow_with_the_items(form: Any, key: str, indent: int | None, size: int) -> None:
    growing = GrowingOutput.of(ObjectOutputProcessor[Any](form), None)
    assert growing is not None
    text = json.dumps({key: [ITEM] * 20}, indent=indent)
    longest = 0
    for end in [*range(size, len(text), size), len(text)]:
        try:
            growing.validate(text[:end])
        except ValidationError:
            continue
        longest = max(longest, len(growing.kept))
    assert longest < len(json.dumps(ITEM, indent=indent)) * 2 + 40
    assert not growing.stuck


@pytest.mark.parametrize(
    'text', ['{"title": "[1, 2], 3", "rows": []}', '{"title": "rows", "notes": ["rows", "a"], "rows": [{"a": 1}]}']
)
def test_text_that_looks_like_a_list_is_text(text: str) -> None:
    processor = ObjectOutputProcessor[Any](Table)
    growing = GrowingOutput.of(processor, None)
    assert growing is not None
    assert growing.validate(text) == whole(processor, text)


def test_items_see_the_validation_context() -> None:
    class Seen(BaseModel):
        n: int

        @field_validator('n')
        @classmethod
        def add(cls, n: int, info: Any) -> int:
            return n + info.context

    growing = GrowingOutput.of(ObjectOutputProcessor[Any](list[Seen]), 10)
    assert growing is not None
    assert [item.n for item in growing.validate('{"response": [{"n": 1}, {"n": 2}')] == [11, 12]


class Limited(TypedDict):
    rows: Annotated[list[int], Len(max_length=1)]


def test_constraints_of_a_list_are_those_of_the_whole_list() -> None:
    assert GrowingOutput.of(ObjectOutputProcessor[Any](Limited), None) is None


def test_each_agent_stream_has_a_validator_of_its_own() -> None:
    processor = ObjectOutputProcessor[Any](list[int])
    one, other = GrowingOutput.of(processor, None), GrowingOutput.of(processor, None)
    assert one is not None and other is not None
    assert one.validate('{"response": [1, 2, 3') == [1, 2]
    assert other.validate('{"response": [4, 5') == [4]
    assert one.validate('{"response": [1, 2, 3, 4]}') == [1, 2, 3, 4]
