"""Helpers for dataclasses and plain containers."""

from __future__ import annotations

import dataclasses
from reprlib import recursive_repr
from typing import Any, TypeVar

from typing_extensions import TypeGuard

T = TypeVar('T')


def repr_without_defaults(self: Any) -> str:
    """Return the repr of a dataclass without fields that have `repr=False` or hold their default."""
    parts: list[str] = []
    for field in dataclasses.fields(self):
        if not field.repr:
            continue
        value = getattr(self, field.name)
        if not _is_same(value, field.default):
            parts.append(f'{field.name}={value!r}')
    return f'{type(self).__qualname__}({", ".join(parts)})'


class DataRecord:
    """A dataclass that is shown with its fields, and that equals another of its class if they hold the same.

    Its classes say `repr=False, eq=False`: left to `dataclass`, each of them would have methods of its own, whose text is
    written and compiled on import.
    """

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return _compared(self) == _compared(other)

    def __repr__(self) -> str:
        return _shown(self)


@recursive_repr()
def _shown(record: Any) -> str:
    shown = (f'{field.name}={getattr(record, field.name)!r}' for field in dataclasses.fields(record) if field.repr)
    return f'{type(record).__qualname__}({", ".join(shown)})'


def _compared(record: Any) -> list[Any]:
    return [getattr(record, field.name) for field in dataclasses.fields(record) if field.compare]


class ShortRepr(DataRecord):
    """A record that is shown without its defaults."""

    __repr__ = repr_without_defaults


def _is_same(value: object, default: object) -> bool:
    try:
        return (value == default) is True  # to compare an array returns one, which is neither true nor false
    except Exception:
        return False


def repr_with(self: object, names: str) -> str:
    """Return the repr of an object with some of its fields, whose names are separated by spaces."""
    return f'{type(self).__name__}({", ".join(f"{name}={getattr(self, name)!r}" for name in names.split())})'


def is_dict(obj: object) -> TypeGuard[dict[Any, Any]]:
    """Return whether an object is a dict, with keys and values of any type."""
    return isinstance(obj, dict)


def is_count(obj: object, least: int = 0) -> TypeGuard[int]:
    """Return whether an object is a whole number that is not less than another; `True` and `False` do not count."""
    return isinstance(obj, int) and not isinstance(obj, bool) and obj >= least


def is_list(obj: object) -> TypeGuard[list[Any]]:
    """Return whether an object is a list, with items of any type."""
    return isinstance(obj, list)


def is_str_dict(obj: object) -> bool:
    """Return whether an object is a dict with only strings for keys."""
    return isinstance(obj, dict) and all(isinstance(key, str) for key in obj)  # type: ignore[reportUnknownVariableType]


def replace_no_init(obj: T, **changes: Any) -> T:
    """Return a copy of an object with some attributes changed, without calling its constructor.

    Unlike `dataclasses.replace` it does not validate, and it works with subclasses whose constructor differs.
    """
    copy = object.__new__(type(obj))
    copy.__dict__.update(obj.__dict__)
    copy.__dict__.update(changes)
    return copy
