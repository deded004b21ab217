"""What can be a tool: functions, methods, partials, classes and callable objects, decorated or not."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import operator
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from stead import RunContext, Tool, UserError

from .kit import answered, called, decorated, schema_of

INT = {'type': 'integer'}


def plain(a: int, b: str = 'x') -> str:
    """Do it.

    Args:
        a: The a.
    """
    return f'{a}{b}'


async def coroutine(a: int) -> str:
    """Do it later."""
    await asyncio.sleep(0)
    return f'later {a}'


class Service:
    """A service."""

    def __init__(self, start: int = 1) -> None:
        self.start = start

    def method(self, a: int) -> int:
        """A method."""
        return self.start + a

    async def async_method(self, ctx: RunContext[int], a: int) -> int:
        return self.start + a + ctx.deps

    @classmethod
    def of_class(cls, a: int) -> str:
        return f'{cls.__name__} {a}'

    @staticmethod
    def static(a: int) -> int:
        return a

    bound = functools.partialmethod(method, 5)

    def __call__(self, a: int) -> int:
        """Call the service.

        Args:
            a: The number.
        """
        return self.start * a


class AsyncService:
    async def __call__(self, ctx: RunContext[int], a: int) -> int:
        return a + ctx.deps


class Wrapper:
    """A decorator that is a class."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class Named:
    __name__ = 'named'

    def __call__(self, a: int) -> int:
        return a


class Odd:
    __name__ = 5

    def __call__(self, a: int) -> int:
        return a


@dataclasses.dataclass
class Point:
    """A point."""

    a: int
    b: int = 2


class Model(BaseModel):
    """A model."""

    a: int


@decorated
@decorated
def twice(ctx: RunContext[int], a: int) -> int:
    """Do it twice."""
    return a + ctx.deps


@functools.lru_cache
def cached(a: int) -> int:
    return a


@functools.singledispatch
def dispatched(a: int) -> int:
    return a


@decorated
async def decorated_coroutine(a: int) -> int:
    return a


CASES: dict[str, tuple[Any, str, str | None, Any]] = {
    'function': (plain, 'plain', 'Do it.', '3x'),
    'coroutine': (coroutine, 'coroutine', 'Do it later.', 'later 3'),
    'lambda': (lambda a: a, '<lambda>', None, 3),
    'method': (Service(2).method, 'method', 'A method.', 5),
    'async method': (Service(2).async_method, 'async_method', None, 15),
    'class method': (Service.of_class, 'of_class', None, 'Service 3'),
    'static method': (Service.static, 'static', None, 3),
    'object': (Service(2), 'Service', 'Call the service.', 6),
    'async object': (AsyncService(), 'AsyncService', None, 13),
    'named object': (Named(), 'named', None, 3),
    'oddly named object': (Odd(), 'Odd', None, 3),
    'partial': (functools.partial(plain, b='y'), 'plain', 'Do it.', '3y'),
    'partial of partial': (functools.partial(functools.partial(operator.add, 1), 2), 'add', 'Same as a + b.', None),
    'partial of coroutine': (functools.partial(coroutine), 'coroutine', 'Do it later.', 'later 3'),
    'partial of method': (functools.partial(Service(2).async_method), 'async_method', None, 15),
    'partial of object': (functools.partial(Service(2)), 'Service', 'Call the service.', 6),
    'class decorator': (Wrapper(plain), 'plain', 'Do it.', '3x'),
    'class decorator of coroutine': (Wrapper(coroutine), 'coroutine', 'Do it later.', 'later 3'),
    'decorated': (twice, 'twice', 'Do it twice.', 13),
    'decorated coroutine': (decorated_coroutine, 'decorated_coroutine', None, 3),
    'cached': (cached, 'cached', None, 3),
    'dispatched': (dispatched, 'dispatched', None, None),
    'dataclass': (Point, 'Point', 'A point.', Point(3)),
    'model': (Model, 'Model', 'A model.', Model(a=3)),
}


@pytest.mark.parametrize(('function', 'name', 'description', 'result'), CASES.values(), ids=CASES)
def test_every_callable_can_be_a_tool(function: Any, name: str, description: str | None, result: Any):
    tool = Tool(function)
    assert (tool.name, tool.description) == (name, description)
    if result is not None:
        assert called(function, {'a': 3}, deps=10) == result


@pytest.mark.parametrize(
    'function',
    [plain, Service().method, Service(), Wrapper(plain), functools.partial(Service().method), Point, Model, cached],
)
def test_every_callable_says_what_it_takes(function: Any):
    a = schema_of(function)['properties']['a']
    a.pop('description', None)
    assert a == INT


def test_descriptions_of_parameters_of_objects():
    assert schema_of(Service())['properties']['a'] == {'type': 'integer', 'description': 'The number.'}
    assert schema_of(functools.partial(Service()))['properties']['a']['description'] == 'The number.'


def test_partials_hide_what_they_bind():
    assert schema_of(functools.partial(plain, 1))['properties'] == {'b': {'type': 'string', 'default': 'x'}}
    assert called(functools.partial(plain, 1), {'b': 'z'}) == '1z'
    assert schema_of(Service().bound)['properties'] == {}
    assert called(Service(2).bound, {}) == 7


def test_unbound_methods_take_the_object():
    assert schema_of(Service.method)['required'] == ['self', 'a']


def test_objects_share_no_state_through_their_schemas():
    assert [called(Service(start).method, {'a': 1}) for start in (1, 5)] == [2, 6]


class Keywords:
    def __init__(self, **options: int) -> None:
        self.options = options

    def method(self, **options: int) -> dict[str, int]:
        return options

    def __call__(self, **options: int) -> dict[str, int]:
        return options


def with_context(ctx: RunContext[Any], **options: int) -> dict[str, int]:
    return options


def with_a(a: int, **options: int) -> dict[str, int]:
    return {'a': a, **options}


@pytest.mark.parametrize(
    ('function', 'hidden'),
    [
        (Keywords().method, 'self'),
        (Keywords(), 'self'),
        (Keywords, 'self'),
        (with_context, 'ctx'),
        (functools.partial(with_a, 1), 'a'),
        (functools.partial(functools.partial(with_a), 1), 'a'),
    ],
)
def test_keywords_cannot_be_what_the_model_does_not_see(function: Any, hidden: str):
    part = answered([Tool(function, name='tool')], 'tool', {hidden: 1})
    (error,) = part.content
    assert (part.part_kind, error['type'], error['loc']) == ('retry-prompt', 'extra_forbidden', (hidden,))
    assert called(function, {'other': 1}) is not None


def test_keywords_may_be_what_is_only_positional():
    def function(ctx: RunContext[Any], /, **options: int) -> dict[str, int]:
        return options

    assert called(function, {'ctx': 1}) == {'ctx': 1}


def test_a_signature_of_its_own():
    import inspect

    def function(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    parameter = inspect.Parameter('a', inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=int)
    function.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]
    assert schema_of(function)['properties'] == {'a': INT}
    assert called(function, {'a': 1}) == ((), {'a': 1})


@pytest.mark.parametrize('value', [3, None, 'text', object(), [plain], property(plain)])
def test_what_cannot_be_called_is_refused(value: Any):
    with pytest.raises(UserError, match='must be a function or another callable, not'):
        Tool(value)


def test_what_has_no_signature_is_refused():
    with pytest.raises(
        UserError, match=r"Cannot make a tool of 'dict': its signature is unknown .* `Tool.from_schema`"
    ):
        Tool(dict)
