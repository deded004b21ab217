"""A late dataclass of pydantic is one like pydantic's own, from whichever side it is used first."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import KW_ONLY, field
from typing import Annotated, Any, Literal, cast

import pydantic
import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError, computed_field

from stead._kit.validated import validated

from ..loading import run_program

CONFIG = ConfigDict(defer_build=True, populate_by_name=True)


def late(*, computed: tuple[str, ...] = ()) -> Any:
    return validated(config=CONFIG, computed=computed)


def usual(*, computed: tuple[str, ...] = ()) -> Any:
    def decorate(cls: Any) -> Any:
        for name in computed:
            setattr(cls, name, computed_field(vars(cls)[name]))
        return pydantic.dataclasses.dataclass(repr=False, config=CONFIG)(cls)

    return decorate


def family(decorate: Any) -> tuple[Any, Any]:
    @decorate(computed=('size',))
    class Base:
        """A base."""

        name: str
        tags: list[str] = field(default_factory=lambda: [])
        _: KW_ONLY
        _size: Annotated[int | None, pydantic.Field(alias='size', exclude=True)] = field(default=None, compare=False)

        def __init__(self, name: str, tags: list[str] = [], *, size: int | None = None) -> None: ...

        @property
        def size(self) -> int:
            return self._size or 1

    @decorate()
    class Child(Base):
        """A child."""

        kind: Literal['child'] = 'child'

        def __post_init__(self) -> None:
            self.checked = True

    return Base, Child


def refused(cls: Any, *args: object) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        cls(*args)
    return [f'{error["loc"]} {error["msg"]}' for error in caught.value.errors()]


USES: dict[str, Callable[[Any, Any], object]] = {
    'signature': lambda base, child: [str(inspect.signature(one)) for one in (base, child)],
    'fields': lambda base, child: [
        [(one.name, one.default, one.compare, one.kw_only) for one in dataclasses.fields(each)]
        for each in (base, child)
    ],
    'params': lambda base, child: [repr(base.__dataclass_params__), repr(child.__dataclass_params__)],
    'match': lambda base, child: [base.__match_args__, child.__match_args__],
    'made': lambda base, child: vars(child('a', size=2)),
    'refused': lambda base, child: [refused(base, 1), refused(child, 'a', 'b')],
    'equal': lambda base, child: [
        base('a', size=1) == base('a'),
        child('a') == child('a', ['b']),
        base('a') == child('a'),
    ],
    'hash': lambda base, child: [base.__hash__, child.__hash__],
    'replaced': lambda base, child: vars(dataclasses.replace(child('a'), name='b', _size=3)),
    'copied': lambda base, child: copy.deepcopy(child('a', ['b'])) == child('a', ['b']),
    'computed': lambda base, child: [
        child('a').size,
        isinstance(vars(base)['size'], property),
        child('a', size=4).size,
    ],
    'is': lambda base, child: [dataclasses.is_dataclass(child), pydantic.dataclasses.is_pydantic_dataclass(base)],
    'subclass': lambda base, child: vars(type('Own', (child,), {})('a')),
    'dataclass': lambda base, child: vars(dataclasses.dataclass(type('Own', (child,), {'more': 1}))('a')),
    'of pydantic': lambda base, child: refused(pydantic.dataclasses.dataclass(type('Own', (child,), {})), 1),
    'schema': lambda base, child: [TypeAdapter(one).json_schema(mode='serialization') for one in (base, child)],
    'dumped': lambda base, child: TypeAdapter(Any).dump_json(child('a')),
    'loaded': lambda base, child: vars(TypeAdapter(child).validate_python({'name': 'a', 'size': 3})),
    'members': lambda base, child: sorted(vars(base)),
}


@pytest.mark.parametrize('use', USES)
def test_it_is_like_the_usual_one(use: str) -> None:
    assert USES[use](*family(late)) == USES[use](*family(usual))


@validated(config=CONFIG)
class Stored:
    """At the top of its module, for pickle."""

    name: str

    def __init__(self, name: str) -> None: ...


def test_it_is_stored() -> None:
    one = object.__new__(Stored)
    vars(one).update(name='a')  # as pickle makes it, which calls no constructor
    assert pickle.loads(pickle.dumps(one)) == one == Stored('a')


def test_a_class_that_pydantic_refuses_is_refused_each_time() -> None:
    @late()
    class Wrong:
        name: str
        wrong: list[Unknown] = []  # type: ignore[name-defined]  # noqa: F821, RUF012

    for _ in range(2):
        with pytest.raises(ValueError, match='mutable default'):
            cast(Any, Wrong)('a')


def test_threads_may_use_it_first_at_the_same_time() -> None:
    for _ in range(10):
        _, child = family(late)
        outcomes: list[Any] = []
        ready = threading.Barrier(4)

        def use(child: Any = child, ready: threading.Barrier = ready, outcomes: list[Any] = outcomes) -> None:
            ready.wait()
            outcomes.append([child('a', size=2).size, child('a') == child('a'), refused(child, 1)])

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes == [[2, True, refused(child, 1)]] * 4


def test_what_pydantic_needs_for_it_is_not_loaded_before() -> None:
    program = """
import sys
from stead.messages import ImageUrl
print('pydantic.dataclasses' in sys.modules, ImageUrl.kind, end=' ')
print(ImageUrl('https://example.com/a.png').media_type, 'pydantic.dataclasses' in sys.modules)
"""
    process = run_program(program)
    assert (process.stdout.strip(), process.stderr) == ('False image-url image/png True', '')


def test_a_thread_that_finds_the_class_half_made_waits_for_it() -> None:
    urls: list[Any] = []

    @late()
    class Half:
        url: str
        size: int = 0

    def use() -> None:
        urls.append(TypeAdapter(list[Half]).validate_python([{'url': 'a'}])[0].url)

    others: list[threading.Thread] = []

    def begin(frame: object, event: str, argument: object) -> None:
        # From here on, anything that asks whether this is a dataclass is told that it is.
        fields: object = vars(Half).get('__dataclass_fields__')
        if not others and type(fields) is dict:
            others.append(threading.Thread(target=use))
            others[0].start()
            others[0].join(0.3)

    sys.setprofile(begin)
    try:
        Half(url='b')
    finally:
        sys.setprofile(None)
    others[0].join()
    assert urls == ['a']


class Slow:
    """Its schema is there when two threads want it, or after a while."""

    both = threading.Barrier(2)
    schemas = 0

    def __get_pydantic_core_schema__(self, source: Any, handler: pydantic.GetCoreSchemaHandler) -> Any:
        Slow.schemas += 1
        with suppress(threading.BrokenBarrierError):
            Slow.both.wait(0.2)
        return handler(source)


def test_the_validator_is_compiled_by_one_of_the_threads_that_construct_the_first_instance() -> None:
    @late()
    class Marked:
        url: Annotated[str, Slow()]

    urls: list[str] = []
    threads = [threading.Thread(target=lambda: urls.append(Marked(url='a').url)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert urls == ['a', 'a']
    assert Slow.schemas == 1
