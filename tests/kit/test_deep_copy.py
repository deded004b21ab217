"""Copies of outputs are those of `copy.deepcopy`, and cost fewer calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date
from types import FrameType

import pytest
from pydantic import BaseModel, ConfigDict, PrivateAttr, RootModel

from stead._kit.deep_copy import deep_copy


class Row(BaseModel):
    number: int
    names: list[str] = []
    due: date = date(2020, 1, 1)


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    rows: dict[str, Row]


class Open(BaseModel):
    model_config = ConfigDict(extra='allow')
    number: int


class Hidden(BaseModel):
    number: int
    _seen: list[int] = PrivateAttr(default_factory=lambda: [1])


class Names(RootModel[list[str]]):
    pass


@dataclass
class Record:
    row: Row
    tags: set[str] = field(default_factory=lambda: {'a'})


class Own(BaseModel):
    number: int

    def __deepcopy__(self, memo: object = None) -> Own:
        return Own(number=self.number + 1)


VALUES = [
    pytest.param(value, id=type(value).__name__ + str(number))
    for number, value in enumerate(
        [
            None,
            'text',
            [1, [2, [3.5]], {'a': [b'x']}],
            {('k', 1): {'deep': [1]}, 2: (3, [4])},
            Row(number=1, names=['a']),
            Frozen(rows={'a': Row(number=1), 'b': Row(number=2, names=['x'])}),
            Open.model_validate({'number': 1, 'more': [1, 2]}),
            Hidden(number=1),
            Names(['a', 'b']),
            Record(Row(number=3)),
            [Record(Row(number=3, names=['y']))],
            {1, 2, 3},
        ]
    )
]


@pytest.mark.parametrize('value', VALUES)
def test_a_copy_is_that_of_deepcopy(value: object) -> None:
    copied = deep_copy(value)
    assert copied == value == deepcopy(value)
    assert type(copied) is type(value)
    assert repr(copied) == repr(value)
    if isinstance(value, BaseModel):
        assert isinstance(copied, BaseModel)
        assert copied.model_fields_set == value.model_fields_set
        assert copied.model_fields_set is not value.model_fields_set
        assert copied.model_dump_json() == value.model_dump_json()


def test_nothing_that_can_change_is_shared() -> None:
    row = Row(number=1, names=['a'])
    value = [{'rows': [row], 'record': Record(row)}, Hidden(number=1)]
    copied = deep_copy(value)
    assert isinstance(copied[0], dict) and isinstance(copied[1], Hidden)
    rows, record = copied[0]['rows'], copied[0]['record']
    assert isinstance(rows, list) and isinstance(record, Record)
    rows[0].names.append('b')
    record.tags.add('b')
    copied[1]._seen.append(2)
    assert row.names == ['a']
    assert value == [{'rows': [row], 'record': Record(row)}, Hidden(number=1)]


def test_what_is_there_twice_is_one_object_in_the_copy() -> None:
    row = Row(number=1)
    first, second, record = deep_copy([row, row, Record(row)])
    assert isinstance(first, Row) and isinstance(record, Record)
    assert first is second is record.row
    assert first is not row


def test_what_holds_itself_is_copied() -> None:
    ring: list[object] = [1]
    ring.append({'ring': ring})
    copied = deep_copy(ring)
    assert copied is not ring
    assert isinstance(copied[1], dict)
    assert copied[1]['ring'] is copied


def test_a_copy_of_its_own_making_is_kept() -> None:
    assert deep_copy([Own(number=1)]) == [Own(number=2)]


def test_what_cannot_be_copied_says_so() -> None:
    with pytest.raises(TypeError):
        deep_copy([(item for item in 'abc')])


def calls_of(function: Callable[[], object]) -> int:
    count = 0

    def on_event(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in {'call', 'c_call'}

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def test_copies_of_models_cost_few_calls() -> None:
    rows = [Row(number=number) for number in range(100)]
    assert calls_of(lambda: deep_copy(rows)) < 0.4 * calls_of(lambda: deepcopy(rows))
