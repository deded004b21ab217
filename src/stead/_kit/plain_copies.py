"""Fast copies of records, such as tools and definitions, of which every step makes some."""

from __future__ import annotations

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
            return cast(Any, replace)(record, **changes)
        plain_classes.add(kind)
    new = object.__new__(kind)
    new.__dict__ = state = record.__dict__ | changes
    if 'function_signature' in state and 'function_signature' not in changes:
        del state['function_signature']  # cached on the definition, and computed from its other fields
    return new


def have_changed(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether fields of a definition are not any more what they were; what is computed from them does not count."""
    return before != now and {**before, 'function_signature': None} != {**now, 'function_signature': None}
