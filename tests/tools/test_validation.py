"""Arguments of a model, as JSON or as data: validated, not copied, and answered when they will not do."""

from __future__ import annotations

import asyncio
import threading
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ValidationError, ValidationInfo, field_validator
from typing_extensions import TypedDict

from stead import Agent, ModelRetry, RunContext, Tool
from stead.messages import RetryPromptPart, ToolReturnPart
from stead.models.test import TestModel

from .kit import answered, context, validated


class Item(BaseModel):
    name: str

    @field_validator('name')
    @classmethod
    def prefixed(cls, value: str, info: ValidationInfo) -> str:
        return f'{info.context or ""}{value}'


def plain(a: int, b: list[str] = ['x']) -> str:
    return f'{a} {b}'


@pytest.mark.parametrize(
    ('arguments', 'values'),
    [
        ({'a': 1}, {'a': 1, 'b': ['x']}),
        ({'a': '1'}, {'a': 1, 'b': ['x']}),
        ({'a': 1.0, 'b': []}, {'a': 1, 'b': []}),
    ],
)
def test_valid_arguments_become_the_values_of_their_types(arguments: Any, values: Any):
    assert validated(plain, arguments) == values


@pytest.mark.parametrize(
    ('arguments', 'error', 'where'),
    [
        ({}, 'missing', ('a',)),
        ({'a': 'no'}, 'int_parsing', ('a',)),
        ({'a': 1, 'b': ['x', 3]}, 'string_type', ('b', 1)),
        ({'a': 1, 'c': 2}, 'extra_forbidden', ('c',)),
        ([], 'dict_type', ()),
        (3, 'dict_type', ()),
        (None, 'dict_type', ()),
    ],
)
def test_an_invalid_argument_is_named_with_its_place(arguments: Any, error: str, where: Any):
    with pytest.raises(ValidationError) as caught:
        validated(plain, arguments)
    (found,) = caught.value.errors()
    assert (found['type'], found['loc'], caught.value.title) == (error, where, 'plain')


def test_the_model_is_told_what_was_wrong():
    part = answered([plain], 'plain', '{"a": "no", "c": 1}')
    assert isinstance(part, RetryPromptPart)
    assert [(error['loc'], error['msg']) for error in part.content] == [
        (('a',), 'Input should be a valid integer, unable to parse string as an integer'),
        (('c',), 'Extra inputs are not permitted'),
    ]


def one(item: Item) -> str:
    return item.name


def two(item: Item, other: int = 0) -> str:
    return item.name


@pytest.mark.parametrize(('function', 'arguments'), [(one, '{"name": "x"}'), (one, '{"item": {"name": "x"}}'),
                                                     (two, '{"item": {"name": "x"}}'), (two, {'item': {'name': 'x'}})])  # fmt: skip
def test_the_validation_context_reaches_validators(function: Any, arguments: Any):
    assert answered([function], function.__name__, arguments, validation_context='mr ').content == 'mr x'
    assert answered([function], function.__name__, arguments).content == 'x'


def test_the_validation_context_may_depend_on_the_run():
    part = answered([one], 'one', '{"name": "x"}', validation_context=lambda ctx: f'{ctx.run_step} ')
    assert part.content == '1 x'


def test_arguments_are_not_copied():
    class Opaque:
        def __deepcopy__(self, memo: Any) -> Any:
            raise AssertionError('copied')

    seen: list[Any] = []

    def function(a: Any, **more: Any) -> None:
        seen.extend([a, more['b']])

    tool = Tool(function)
    arguments = {'a': Opaque(), 'b': {'c': [Opaque()]}}
    values = tool.function_schema.validator.validate_python(arguments)
    asyncio.run(tool.function_schema.call(values, context()))
    assert seen[0] is arguments['a'] and seen[1] is arguments['b']


def test_calls_change_neither_arguments_nor_defaults():
    def function(a: list[int], /, *args: int, b: list[int] = []) -> None:
        a.append(1)
        b.append(2)

    schema = Tool(function).function_schema
    values = {'a': [0], 'args': [5]}
    for _ in range(2):
        checked = schema.validator.validate_python(values)
        before = dict(checked)
        asyncio.run(schema.call(checked, context()))
        assert checked.keys() == before.keys()
    assert values == {'a': [0], 'args': [5]}
    assert schema.validator.validate_python(values)['b'] == []


def test_validators_that_raise():
    def odd(value: int) -> int:
        if value > 5:
            raise ValueError('too much')
        return value

    def function(a: Annotated[int, AfterValidator(odd)]) -> int:
        return a

    function.__annotations__['a'] = Annotated[int, AfterValidator(odd)]
    part = answered([function], 'function', {'a': 9})
    assert isinstance(part, RetryPromptPart)
    assert part.content[0]['msg'] == 'Value error, too much'  # type: ignore[index]


@pytest.mark.parametrize('asynchronous', [False, True])
@pytest.mark.parametrize(('number', 'kind'), [(1, ToolReturnPart), (9, RetryPromptPart)])
def test_arguments_may_be_checked_once_more(asynchronous: bool, number: int, kind: Any):
    def check(ctx: RunContext[None], a: int, b: list[str]) -> None:
        if a > 5:
            raise ModelRetry('too much')

    async def check_later(ctx: RunContext[None], a: int, b: list[str]) -> None:
        check(ctx, a, b)

    part = answered([Tool(plain, args_validator=check_later if asynchronous else check)], 'plain', {'a': number})
    assert isinstance(part, kind)
    assert part.content == ('too much' if kind is RetryPromptPart else "1 ['x']")


def test_sync_functions_run_in_a_thread_and_async_ones_do_not():
    threads: list[Any] = []

    def sync() -> None:
        threads.append(threading.current_thread())

    async def later() -> None:
        threads.append(threading.current_thread())

    for function in (sync, later):
        asyncio.run(Tool(function).function_schema.call({}, context()))
    assert [thread is threading.main_thread() for thread in threads] == [False, True]


def test_a_coroutine_of_a_sync_wrapper_is_awaited():
    async def later(a: int) -> int:
        return a + 1

    tool = Tool(lambda a: later(a), name='tool')
    assert answered([tool], 'tool', {'a': 1}).content == 2


class Deep(TypedDict):
    inner: 'Deep | None'


def test_deeply_nested_arguments():
    def function(deep: Deep, n: int) -> str:
        return 'done'

    nested: Any = None
    for _ in range(60):
        nested = {'inner': nested}
    assert answered([function], 'function', {'deep': nested, 'n': 1}).content == 'done'


def test_generated_arguments_fit():
    """`TestModel` makes arguments from schemas, and every one of them is taken."""

    def function(a: int, /, b: Item, *args: Item, c: Deep, **kwargs: float) -> str:
        return 'done'

    result = Agent(TestModel(), tools=[function, one, plain]).run_sync('go')
    parts = result.all_messages()[2].parts
    assert [type(part) for part in parts] == [ToolReturnPart] * 3
