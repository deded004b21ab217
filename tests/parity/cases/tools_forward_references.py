"""Annotations as strings: under `from __future__ import annotations`, at module level, in functions and classes.

Names that only a closure or a class knows are found only here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from _tools import decorator, tool
from pydantic import BaseModel, Field
from pydantic_ai import RunContext
from typing_extensions import TypedDict

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
def missing(a: Missing): ...
def missing_bad(ctx: Missing, a: int): ...
def syntax(a: 'not a type!'): ...  # noqa: F722 - the error is what is asked about
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

    class Service:
        def own(self, other: Service): ...
        def local(self, a: Local, b: int): ...

    return [local_only, local_two, local_typed, Service().own, Service().local]


@decorator
def decorated(ctx: RunContext[Deps], a: Late, b: Early) -> str: ...


class Base(Generic[T]):
    def method(self, a: T, b: int) -> T: ...


for function in (
    scalars,
    models,
    one,
    described,
    context,
    context_deps,
    context_string,
    missing,
    missing_bad,
    syntax,
    attribute,
    decorated,
    Base[int]().method,
):
    tool(function.__name__, function)
for function in make(int):
    tool(function.__qualname__, function)
