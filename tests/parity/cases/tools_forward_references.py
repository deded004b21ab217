"""Annotations as strings: under `from __future__ import annotations`, at module level, in functions and classes."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Generic, Optional, TypeVar

from _tools import tool
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from pydantic_ai import RunContext

if TYPE_CHECKING:
    from nowhere import Missing  # type: ignore

T = TypeVar('T')


class Early(BaseModel):
    """Early."""

    x: int
    late: Late | None = None


def scalars(a: int, b: str = 'x', *c: float, **d: bool) -> str: ...
def models(a: Early, b: Late) -> Late: ...
def one(a: Early) -> list[Early]: ...
def described(a: Annotated[int, Field(description='words', gt=1)]): ...
def context(ctx: RunContext, a: int): ...
def context_deps(ctx: RunContext[Deps], a: int): ...
def context_string(ctx: 'RunContext[Deps]', a: 'int') -> 'str': ...
def context_optional(ctx: Optional[RunContext[Deps]], a: int): ...
def missing(a: Missing): ...
def missing_return(a: int) -> Missing: ...
def missing_context(ctx: RunContext[Missing], a: int): ...
def missing_bad(ctx: Missing, a: int): ...
def syntax(a: 'not a type!'): ...
def attribute(a: functools.nothing): ...


class Late(BaseModel):
    y: int


@dataclass
class Deps:
    n: int


def make(kind: type):
    class Local(BaseModel):
        """Local."""

        z: int

    class LocalTyped(TypedDict):
        z: int

    def local_only(a: Local): ...
    def local_two(a: Local, b: int): ...
    def local_typed(a: LocalTyped, b: kind): ...
    def local_return(a: int) -> Local: ...
    def local_context(ctx: RunContext[Local], a: int): ...

    def used(a: Local, b: int):
        return Local

    def used_return(a: int) -> Local:
        return Local(z=1)

    class Service:
        class Inner(BaseModel):
            q: int

        def method(self, a: Inner, b: int): ...
        def own(self, other: Service): ...
        def local(self, a: Local, b: int): ...
        def use(self, a: Local, b: int):
            return Local

    return [local_only, local_two, local_typed, local_return, local_context, used, used_return,
            Service().method, Service().own, Service().local, Service().use]  # fmt: skip


def decorator(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@decorator
def decorated(ctx: RunContext[Deps], a: Late, b: Early) -> str: ...


class Callable_:
    def __call__(self, ctx: RunContext[Deps], a: Late, b: int) -> str: ...


class Base(Generic[T]):
    def method(self, a: T, b: int) -> T: ...


for function in (scalars, models, one, described, context, context_deps, context_string, context_optional, missing,
                 missing_return, missing_context, missing_bad, syntax, attribute, decorated, Callable_(),
                 functools.partial(models, b=1), Base[int]().method):  # fmt: skip
    tool(getattr(function, '__name__', type(function).__name__), function)
for function in make(int):
    tool(function.__qualname__, function)
