"""The first errors of a validation are those of pydantic, and very many cost no more than the validation."""

from __future__ import annotations

import sys
from typing import Union

import pytest
from pydantic import TypeAdapter, ValidationError

from stead._kit.first_errors import MOST_WHOLE, NOT_SHOWN, first_errors

ROWS: TypeAdapter[object] = TypeAdapter(dict[str, list[Union[int, dict[str, float]]]])
LISTS: TypeAdapter[object] = TypeAdapter(list[int])


def error_of(adapter: TypeAdapter[object], data: object) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python(data)
    return caught.value


def test_few_errors_are_those_of_pydantic() -> None:
    error = error_of(ROWS, {'a': ['x', {'k': 'y'}], 'b"]}, {': 'z'})
    assert first_errors(error, 100) == error.errors(include_url=False, include_context=False)
    assert first_errors(error, 2) == error.errors(include_url=False, include_context=False)[:2]


@pytest.mark.parametrize('most', [1, 7, MOST_WHOLE + 100, 10 * MOST_WHOLE])
def test_very_many_errors_are_without_their_inputs(most: int) -> None:
    error = error_of(ROWS, {f'k"{number}], ': ['x', {'k\\': 'y'}] for number in range(MOST_WHOLE)})
    expected = error.errors(include_url=False, include_context=False, include_input=False)[:most]
    assert first_errors(error, most) == [{**item, 'input': NOT_SHOWN} for item in expected]


def test_the_border_is_where_it_is_said_to_be() -> None:
    assert first_errors(error_of(LISTS, ['x'] * MOST_WHOLE), 1)[0]['input'] == 'x'
    assert first_errors(error_of(LISTS, ['x'] * (MOST_WHOLE + 1)), 1)[0]['input'] == NOT_SHOWN


def test_errors_are_not_made_that_no_one_reads() -> None:
    error = error_of(LISTS, ['x'] * 50_000)
    before = sys.getallocatedblocks()
    found = first_errors(error, 200)
    assert len(found) == 200
    assert sys.getallocatedblocks() - before < 5_000, 'an error of pydantic has ten objects'
