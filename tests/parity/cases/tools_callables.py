"""Functions and methods of every kind as tools. Partials, classes and callable objects work only here."""

import functools
import operator

from _tools import decorator, tool
from pydantic_ai import RunContext


def plain(a: int, b: str = 'x') -> str:
    """Plain function."""
    return f'{a}{b}'


async def coroutine(a: int) -> str:
    """A coroutine function."""
    return str(a)


def generator(a: int):
    """A generator."""
    yield a


async def async_generator(a: int):
    yield a


class Service:
    """A service."""

    def method(self, a: int) -> int:
        """A method."""
        return a

    async def amethod(self, ctx: RunContext[int], a: int) -> int:
        return a

    @classmethod
    def of_class(cls, a: int) -> int:
        """A class method."""
        return a

    @staticmethod
    def static(a: int) -> int:
        """A static method."""
        return a


def async_decorator(function):
    @functools.wraps(function)
    async def inner(*args, **kwargs):
        return await function(*args, **kwargs)

    return inner


def ctx_adder(function):
    @functools.wraps(function)
    def inner(ctx: RunContext[int], *args, **kwargs):
        return function(*args, **kwargs)

    return inner


def unwrapped(function):
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@decorator
def decorated(a: int, b: str) -> int:
    """Decorated.

    Args:
        a: The a.
    """
    return a


@decorator
@decorator
def twice(ctx: RunContext[int], a: int) -> int:
    """Decorated twice."""
    return a


@async_decorator
async def async_decorated(a: int) -> int:
    return a


@ctx_adder
def ctx_added(a: int) -> int:
    return a


@functools.lru_cache
def cached(a: int) -> int:
    """Cached."""
    return a


@functools.singledispatch
def dispatched(a: int) -> int:
    return a


tool('plain', plain)
tool('coroutine', coroutine)
tool('generator', generator)
tool('async generator', async_generator)
tool('method', Service().method)
tool('async method', Service().amethod)
tool('unbound', Service.method)
tool('class method', Service.of_class)
tool('static', Service.static)
tool('lambda', lambda a: a)
tool('lambda with default', lambda a=1, *b, **c: a)
tool('decorated', decorated)
tool('twice', twice)
tool('async decorated', async_decorated)
tool('ctx added', ctx_added)
tool('unwrapped', unwrapped(plain))
tool('cached', cached)
tool('dispatched', dispatched)
wrapped_partial = functools.partial(plain, 1)
functools.update_wrapper(wrapped_partial, plain)
tool('wrapped partial', wrapped_partial)
tool('builtin', len)
tool('builtin max', max)
tool('builtin type', int)
tool('operator', operator.add)
tool('str method', 'abc'.replace)
for bad in (3, None, 'text', object(), [plain], property(plain)):
    tool(type(bad).__name__, bad)
