"""Several objects of a class as one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields
from typing import Any, TypeVar, cast

from ..exceptions import UserError

T = TypeVar('T')
_COLLECTIONS: dict[object, Callable[..., Any]] = {kind: kind for kind in (list, tuple, set, frozenset)}


def merged(objects: Sequence[T]) -> T:
    """Return the last of several dataclass objects, with the fields that only earlier ones set, and the items of all collections.

    Raises:
        UserError: One has an attribute that is not a field, of which the meaning is not known.
    """
    last: Any = objects[-1]
    if len(objects) == 1:
        return last
    names = {one.name for one in fields(last)}
    for each in objects:
        if others := sorted(name for name in vars(each).keys() - names if not name.startswith('_')):
            raise UserError(
                f'Several {type(last).__name__} objects have the id {last.id!r}, and cannot be made one, since the attribute '
                f'{others[0]!r} is not a field of a dataclass. Make it one, override `combine`, or give them ids of their own.'
            )
    one = copy(last)  # its class may have a constructor of its own
    for name in names:
        setattr(one, name, united([getattr(each, name) for each in objects]))
    return one


def united(values: Sequence[object]) -> Any:
    """Return the last of several values that is not `None`, or the items of all of them if they are collections of a kind."""
    found: list[Any] = [value for value in values if value is not None]
    if not found:
        return None
    if any(type(value) is not type(found[-1]) for value in found):
        return found[-1]
    if isinstance(found[-1], dict):
        return {key: value for each in found for key, value in each.items()}
    if (kind := _COLLECTIONS.get(cast(object, type(found[-1])))) is not None:
        items = [item for each in found for item in each]
        return kind(item for index, item in enumerate(items) if item not in items[:index])
    return found[-1]
