"""What output functions may look like: their parameters, what is filled in for them, and what they return."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Coroutine
from typing import Annotated, Any, NewType, Optional, Union

import pytest
from pydantic import BaseModel, Field

from stead import Agent, RunContext, TextOutput, ToolOutput, UserError

from .kit import parameters_of, run


class Row(BaseModel):
    n: int


def anything(**fields: int) -> dict[str, int]:
    return fields


def many(*numbers: int) -> tuple[int, ...]:
    return numbers


def by_field(n: Annotated[int, 'the number'] = Field(default=3, description='N')) -> int:
    return n


def by_factory(rows: list[int] = Field(default_factory=lambda: [1, 2])) -> list[int]:  # noqa: B008
    return rows


def by_default(n: int = 7) -> int:
    return n


def nothing() -> str:
    return 'nothing'


@pytest.mark.parametrize(
    ('function', 'args', 'output'),
    [
        (anything, {'a': 1, 'b': 2}, {'a': 1, 'b': 2}),
        (anything, {}, {}),
        (many, {'numbers': [1, 2]}, (1, 2)),
        (by_field, {}, 3),
        (by_field, {'n': 4}, 4),
        (by_factory, {}, [1, 2]),
        (by_default, {}, 7),
        (nothing, {}, 'nothing'),
    ],
)
def test_what_the_model_leaves_out_is_filled_in(function: Any, args: Any, output: Any) -> None:
    assert run(ToolOutput(function), ('final_result', args)).output == output


def optional(text: str = 'x', n: int = 2) -> str:
    return text * n


def second(n: int = 2, *, text: str) -> str:
    return text * n


def wide(text: object) -> str:
    return f'{text}!'


def annotated(ctx: RunContext[Any], text: Annotated[str, 'the text']) -> str:
    return f'{text}!'


def either(text: Union[str, None]) -> str:  # noqa: UP007
    return f'{text}!'


def with_rest(text: str, **rest: Any) -> str:
    return f'{text}!{rest}'


@pytest.mark.parametrize(
    ('function', 'output'),
    [
        (optional, 'abab'),
        (second, 'abab'),
        (wide, 'ab!'),
        (annotated, 'ab!'),
        (either, 'ab!'),
        (with_rest, 'ab!{}'),
        (lambda text: f'{text}!', 'ab!'),
        (functools.partial(optional, n=3), 'ababab'),
    ],
)
def test_a_function_of_the_text_gets_it_where_it_can_take_it(function: Any, output: str) -> None:
    assert run(TextOutput(function), 'ab').output == output


def number(n: int) -> int:
    return n


def two(a: str, b: str) -> str:
    return a + b


def rest(**rest: str) -> str:
    return str(rest)


def of_number(n: Annotated[int, 'n']) -> int:
    return n


@pytest.mark.parametrize('function', [number, two, rest, nothing, of_number, functools.partial(two, 'a', 'b')])
def test_a_function_that_cannot_take_a_text_alone_is_refused(function: Any) -> None:
    with pytest.raises(UserError, match='must take one `str`, optionally after a `RunContext`; its parameters are'):
        Agent('test', output_type=TextOutput(function))


@pytest.mark.parametrize('wrong', ['text', Row, 3])
def test_what_is_not_a_function_of_the_text_is_refused(wrong: Any) -> None:
    with pytest.raises(UserError, match='takes a function of the text, not'):
        Agent('test', output_type=TextOutput(wrong))


def later(n: int) -> Awaitable[int]:
    raise AssertionError('it is not called')


def routine(n: int) -> Coroutine[Any, Any, Row]:
    raise AssertionError('it is not called')


def nowhere(n: int) -> None: ...


async def maybe(n: int) -> Optional[int]:  # noqa: UP045
    return n


class Callable_:
    def __call__(self, n: int) -> bool:
        return True


@pytest.mark.parametrize(
    ('function', 'schema'),
    [
        (later, {'type': 'integer'}),
        (routine, Row.model_json_schema()),
        (nowhere, {'type': 'null'}),
        (maybe, {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}),
        (Callable_(), {'type': 'boolean'}),
        (functools.partial(by_default, n=1), {'type': 'integer'}),
    ],
)
def test_the_schema_of_a_function_is_that_of_what_it_returns(function: Any, schema: Any) -> None:
    assert Agent('test', output_type=function).output_json_schema() == schema


UserId = NewType('UserId', int)


@pytest.mark.parametrize('output', [UserId, list[int], Optional[int], Annotated[int, 'n']])  # noqa: UP045
def test_what_is_callable_but_a_type_is_no_function(output: Any) -> None:
    (tool, *_) = parameters_of(ToolOutput(output)).output_tools
    assert list(tool.parameters_json_schema['properties']) == ['response']


def test_an_annotation_that_cannot_be_resolved_is_reported_with_the_function() -> None:
    def unknown(n: Missing) -> int:  # type: ignore[name-defined]  # noqa: F821
        return 1

    with pytest.raises(UserError, match="'unknown'"):
        Agent('test', output_type=unknown)


def test_an_annotation_of_a_local_type_is_resolved() -> None:
    class Local(BaseModel):
        n: int

    def double(row: Local) -> Local:
        return Local(n=row.n * 2)

    assert run(double, ('final_result', {'n': 2})).output == Local(n=4)
    assert Agent('test', output_type=double).output_json_schema() == Local.model_json_schema()
