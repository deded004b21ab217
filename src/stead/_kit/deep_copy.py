"""Deep copies of data: as `copy.deepcopy` makes them, in a fraction of the calls for lists, dicts and models of pydantic."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import IOBase
from itertools import islice
from types import NoneType
from typing import TypeVar, cast
from uuid import UUID

from pydantic import BaseModel

T = TypeVar('T')

_ATOMS = frozenset({NoneType, bool, int, float, complex, str, bytes, date, datetime, time, timedelta, Decimal, UUID})
"""Types whose instances never change, so that a copy is the instance itself. Subclasses may hold more."""
_DEEP_COPY = BaseModel.__deepcopy__
_set = object.__setattr__  # that of a frozen model raises


_CONTAINERS = frozenset({dict, list, tuple})


def own_data(value: T) -> T:
    """Return data with lists and dicts of its own, so that no one who has the value can change them; other objects are shared.

    Raises:
        RecursionError: It is nested too deep, or contains itself.
    """
    kind = type(value)
    if kind is dict:
        items = cast('dict[object, object]', value).items()
        return cast(T, {key: own_data(item) if type(item) in _CONTAINERS else item for key, item in items})
    if kind is list or kind is tuple:
        own = [own_data(item) if type(item) in _CONTAINERS else item for item in cast('list[object]', value)]
        return cast(T, own if kind is list else tuple(own))
    return value


def own_result(value: T) -> T:
    """Return a deep copy of a result; of one with something in it that cannot be copied, a copy of its lists and dicts."""
    try:
        return cast(T, _copy(value, {}))
    except Exception:
        return own_data(value)


def read_out(value: T, most: int, deepest: int = 32) -> T:
    """Return data with a list in place of each iterator, which could be read only once; other data is returned unchanged.

    Args:
        value: The data. Lists and dicts in it that hold iterators are changed in place.
        most: How many items an iterator may have.
        deepest: How deep iterators are looked for.

    Raises:
        ValueError: An iterator has more items.
        Exception: What an iterator raises.
    """
    kind = type(value)
    if kind in _ATOMS or deepest < 0:
        return value
    if hasattr(kind, '__next__') and not isinstance(value, IOBase):
        items: list[object] = [*islice(cast('Iterator[object]', value), most + 1)]
        if len(items) > most:
            raise ValueError(f'it is an iterator of more than {most} items')
        return cast(T, [item if type(item) in _ATOMS else read_out(item, most, deepest - 1) for item in items])
    if kind is list or kind is dict:
        data = cast('dict[object, object]', value)
        for place, item in [*data.items()] if kind is dict else enumerate(cast('list[object]', value)):
            if type(item) not in _ATOMS and (own := read_out(item, most, deepest - 1)) is not item:
                data[place] = own
    elif kind is tuple:
        before = cast('tuple[object, ...]', value)
        after = tuple([read_out(item, most, deepest - 1) for item in before])
        return value if all(a is b for a, b in zip(before, after)) else cast(T, after)
    return value


def deep_copy(value: T) -> T:
    """Return a deep copy of any value.

    Args:
        value: What to copy. What is in it twice is in the copy twice, as one object.

    Raises:
        Exception: What `copy.deepcopy` raises for the value, or for something in it that cannot be copied.
    """
    return cast(T, _copy(value, {}))


def _copy(value: object, memo: dict[int, object]) -> object:
    """Return a copy; the memo, which is that of `deepcopy`, has the copies of what was met before by its id."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    place = id(value)
    if (known := memo.get(place)) is not None:
        return known
    if kind is list:
        items = memo[place] = list[object]()
        items += [item if type(item) in _ATOMS else _copy(item, memo) for item in cast('list[object]', value)]
        return items
    if kind is dict:
        table = memo[place] = dict[object, object]()
        for key, item in cast('dict[object, object]', value).items():
            if type(key) is not str:
                key = _copy(key, memo)
            table[key] = item if type(item) in _ATOMS else _copy(item, memo)
        return table
    if (
        isinstance(value, BaseModel)
        and type(value).__deepcopy__ is _DEEP_COPY
        and value.__pydantic_extra__ is None
        and getattr(value, '__pydantic_private__', None) is None
    ):
        model = memo[place] = kind.__new__(kind)
        state = value.__dict__
        fields = {name: item if type(item) in _ATOMS else _copy(item, memo) for name, item in state.items()}
        _set(model, '__dict__', fields)
        _set(model, '__pydantic_fields_set__', value.__pydantic_fields_set__.copy())
        _set(model, '__pydantic_extra__', None)
        _set(model, '__pydantic_private__', None)
        return model
    return deepcopy(value, memo)
