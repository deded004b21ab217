"""A late dataclass is one like those of the standard library, from whichever side it is used first."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import threading
from collections.abc import Callable
from dataclasses import KW_ONLY, field
from itertools import product
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from pydantic import TypeAdapter

from stead._kit.late import dataclass

T = TypeVar('T')


def family(decorate: Any) -> tuple[Any, Any]:
    @decorate
    class Base:
        """A base."""

        name: str
        tags: list[str] = field(default_factory=lambda: [])
        size: int = field(default=3, repr=False, compare=False)

    @decorate(repr=False)
    class Child(Base, Generic[T]):
        """A child."""

        _: KW_ONLY
        label: str | None = None

        def __post_init__(self) -> None:
            self.checked = True

        def __repr__(self) -> str:
            return 'child'

    return Base, Child


USES: dict[str, Callable[[Any, Any], object]] = {
    'signature': lambda base, child: [str(inspect.signature(one)) for one in (base, child)],
    'fields': lambda base, child: [
        [(one.name, one.default, one.repr, one.kw_only) for one in dataclasses.fields(each)] for each in (base, child)
    ],
    'params': lambda base, child: [repr(base.__dataclass_params__), repr(child.__dataclass_params__)],
    'match': lambda base, child: [base.__match_args__, child.__match_args__],
    'made': lambda base, child: vars(child('a', label='b')),
    'repr': lambda base, child: [repr(base('a')).rpartition('.')[2], repr(child('a'))],
    'equal': lambda base, child: [base('a', size=1) == base('a'), child('a') == child('a', ['b']), base('a') == 1],
    'hash': lambda base, child: [base.__hash__, child.__hash__],
    'replaced': lambda base, child: vars(dataclasses.replace(child('a'), label='c')),
    'dict': lambda base, child: dataclasses.asdict(child('a', ['b'])),
    'copied': lambda base, child: copy.deepcopy(child('a', ['b'])) == child('a', ['b']),
    'class': lambda base, child: [base.size, hasattr(base, 'tags'), hasattr(base, 'name'), child.label],
    'is': lambda base, child: [dataclasses.is_dataclass(base), dataclasses.is_dataclass(child('a'))],
    'subclass': lambda base, child: vars(type('Own', (child,), {})('a')),
    'dataclass': lambda base, child: [
        one.name for one in dataclasses.fields(dataclasses.dataclass(type('Own', (child,), {})))
    ],
    'missing': lambda base, child: pytest.raises(TypeError, base).value.args[0].rpartition('.')[2],
}


@pytest.mark.parametrize('use', USES)
def test_it_is_like_the_usual_one(use: str) -> None:
    assert USES[use](*family(dataclass)) == USES[use](*family(dataclasses.dataclass))


def frozen_family(decorate: Any) -> tuple[Any, Any]:
    @decorate(frozen=True)
    class Base:
        """A base."""

        name: str
        size: int = field(default=3, compare=False)

    @decorate(frozen=True, kw_only=True)
    class Child(Base):
        """A child with an equality of its own."""

        label: str = ''

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Child) and self.label == other.label

    return Base, Child


def slotted_family(decorate: Any) -> tuple[Any, Any]:
    @decorate(slots=True)
    class Base:
        """A base."""

        names: ClassVar[list[str]] = []
        name: str
        tags: list[str] = field(default_factory=lambda: [])
        size: int = 3

    @decorate(slots=True, repr=False)
    class Child(Base):
        """A child."""

        _: KW_ONLY
        label: str = 'none'

    return Base, Child


def frozen_slotted_family(decorate: Any) -> tuple[Any, Any]:
    @decorate(frozen=True, slots=True)
    class Base:
        """A base."""

        name: str
        size: int = 3

    @decorate(frozen=True, slots=True, kw_only=True)
    class Child(Base):
        """A child."""

        label: str = 'none'

    return Base, Child


def attempt(action: Callable[[], object]) -> str:
    try:
        return f'done: {action()}'
    except Exception as error:
        return f'{type(error).__name__}: {error}'


SAME: dict[str, Callable[[Any], object]] = {
    'set': lambda one: attempt(lambda: setattr(one, 'name', 'b')),
    'set another': lambda one: attempt(lambda: setattr(one, 'other', 'b')).rpartition('.')[2],
    'delete': lambda one: attempt(lambda: delattr(one, 'name')),
    'hash': lambda one: attempt(lambda: hash(one) == hash(copy.copy(one))),
    'equal': lambda one: [one == copy.deepcopy(one), one == 1],
    'repr': lambda one: repr(one).rpartition('.')[2].partition(' object at ')[0],
    'fields': lambda one: [(each.name, each.default, each.kw_only) for each in dataclasses.fields(one)],
    'params': lambda one: repr(type(one).__dataclass_params__),
    'slots': lambda one: [getattr(each, '__slots__', None) for each in type(one).__mro__],
    'default': lambda one: attempt(lambda: type(one).size).partition(' at ')[0],
    'replaced': lambda one: dataclasses.astuple(dataclasses.replace(one, name='c')),
    'signature': lambda one: str(inspect.signature(type(one))),
    'subclass': lambda one: attempt(
        lambda: setattr(type('Own', (type(one),), {'__init__': lambda self: None})(), 'own', 1)
    ),
    'subclass, a field': lambda one: attempt(
        lambda: setattr(type('Own', (type(one),), {'__init__': lambda self: None})(), 'size', 1)
    ),
    'names': lambda one: [
        (getattr(type(one), name).__name__, getattr(type(one), name).__qualname__.rpartition('.<locals>.')[2])
        for name in ('__init__', '__setattr__', '__eq__')
    ],
}


FAMILIES = {'frozen': frozen_family, 'slots': slotted_family, 'frozen, slots': frozen_slotted_family}
# The standard library's own raise a `TypeError` here, as they take the class without slots for theirs.
BROKEN = {('frozen, slots', 'set another'), ('frozen, slots', 'subclass')}
if sys.version_info < (3, 11):  # where they repeat the slots that they inherit
    BROKEN.update(product(('slots', 'frozen, slots'), ('slots', 'default')))


@pytest.mark.parametrize(('name', 'use'), [pair for pair in product(FAMILIES, SAME) if pair not in BROKEN])
def test_those_that_are_frozen_or_have_slots_are_like_the_usual_ones(name: str, use: str) -> None:
    family = FAMILIES[name]
    late, usual = family(dataclass), family(dataclasses.dataclass)
    assert [SAME[use](one('a')) for one in late] == [SAME[use](one('a')) for one in usual]


@dataclass
class Stored:
    """At the top of its module, for pickle and pydantic."""

    name: str
    tags: list[str] = field(default_factory=lambda: [])


def test_it_is_stored() -> None:
    one = object.__new__(Stored)
    vars(one).update(name='a', tags=['b'])  # as pickle makes it, which calls no constructor
    assert pickle.loads(pickle.dumps(one)) == one == Stored('a', ['b'])
    assert TypeAdapter(Stored).validate_json('{"name": "a", "tags": ["b"]}') == one


def test_threads_may_use_it_first_at_the_same_time() -> None:
    for _ in range(20):
        _, child = family(dataclass)
        equal: list[Any] = []
        ready = threading.Barrier(4)

        def use(child: Any = child, ready: threading.Barrier = ready, equal: list[Any] = equal) -> None:
            ready.wait()
            equal.append(child('a', label='b') == child('a', label='b'))

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert equal == [True] * 4
