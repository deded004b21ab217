"""Fast copies of records, such as tools and definitions, of which every step makes some."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar, cast

T = TypeVar('T')

plain_classes: set[type] = set()
"""Classes that are known to set `plain_copies` themselves."""


def changed(record: T, **changes: object) -> T:
    """Return a copy of a tool or definition with some fields changed.

    Instances of classes with `plain_copies` are copied by their `__dict__`, which is several times as fast as `replace`.
    """
    kind = type(record)
    if kind not in plain_classes:
        if not vars(kind).get('plain_copies'):  # it may have slots, or a `__post_init__`
            return _changed_by_fields(record, changes)
        plain_classes.add(kind)
    new = object.__new__(kind)
    new.__dict__ = state = record.__dict__ | changes
    if 'function_signature' in state and 'function_signature' not in changes:
        del state['function_signature']  # cached on the definition, and computed from its other fields
    return new


def own_copy(record: T) -> T:
    """Return a copy of a definition for code that may change it in place; its class may be a subclass that others wrote."""
    kind = record.__class__
    if kind not in plain_classes:
        if not vars(kind).get('plain_copies'):
            return _copied(record)  # `replace` would call a constructor that may take other arguments
        plain_classes.add(kind)
    new = object.__new__(kind)
    # Calls of functions, also of built-in ones, are saved: each call of a tool with hooks comes here.
    new.__dict__ = state = {**record.__dict__}
    if 'function_signature' in state:
        del state['function_signature']  # noqa: RUF051
    return new


def _changed_by_fields(record: T, changes: dict[str, Any]) -> T:
    try:
        return cast(Any, replace)(record, **changes)
    except TypeError:  # the constructor takes other arguments
        new = _copied(record)
        for name, value in changes.items():
            object.__setattr__(new, name, value)  # also where it is frozen
        return new


def _copied(record: T) -> T:
    new = copy(record)
    cast('dict[str, Any]', getattr(new, '__dict__', {})).pop('function_signature', None)
    return new


def own_copies(record: T, items: Sequence[str], lists: Sequence[str]) -> T:
    """Return a copy of a record for code that may change it, and what it holds, in place.

    Args:
        record: The record, a dataclass.
        items: The fields of which each has a copy, or a list of copies.
        lists: The fields of which each has a list of its own, with the same objects.
    """
    own: dict[str, Any] = {name: [*getattr(record, name)] for name in lists}
    for name in items:
        value: Any = getattr(record, name)
        if value:
            own[name] = [*map(own_copy, cast('list[Any]', value))] if isinstance(value, list) else own_copy(value)
        elif value is not None:
            own[name] = []
    return cast(Any, replace)(record, **own)


def have_changed(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether fields of a definition are not any more what they were; what is computed from them does not count."""
    try:
        return before != now and {**before, 'function_signature': None} != {**now, 'function_signature': None}
    except Exception:  # metadata may hold objects that cannot be compared, such as arrays
        return True
