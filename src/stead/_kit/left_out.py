"""Fields that 1.x does not have: they are not written while they are empty, unless they were read from data that has them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from typing import Any, get_type_hints

import pydantic

UNREAD = '_unread'
"""The attribute with the unknown fields of an object; it is not a field, so it is neither shown nor compared."""
NO_VALUE, NO_COUNT, COMPLETE, CONVERSATION, REWRITE = [None], [0], ['complete'], ['conversation'], ['rewrite']
NO_ENTRIES: list[Any] = [{}]
"""What fields that 1.x does not have are not written with; at level 2 they are always written, and these equal nothing."""
CLOSED: ContextVar[bool] = ContextVar('closed', default=False)
"""Whether schemas are made for data of this version alone."""


_MARKS: dict[int, Any] = {}
"""The mark for each list, by its id: making one takes as long as a class, and there are dozens of fields."""


def left_out(empty: list[Any] = NO_VALUE) -> Any:
    """Return the mark of a field that 1.x does not have: it is not written while it is empty.

    Args:
        empty: Its value then; one of the lists above, or another if that is so at both levels.
    """
    if (mark := _MARKS.get(id(empty))) is None:
        # A method of a list, since it is called for each field of each part.
        mark = pydantic.Field(exclude_if=empty.__contains__)
        mark.metadata.append(_LeftOut(empty))
        _MARKS[id(empty)] = mark  # it holds the list, so that no other gets its id
    return mark


class _LeftOut:
    """The mark of a field that is not written while it is empty: data that has it anyway is read as that with unknown fields."""

    def __init__(self, empty: list[Any]) -> None:
        self.empty = empty

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import core_schema

        return (
            core_schema.no_info_after_validator_function(self._read, handler(source))
            if CLOSED.get()
            else handler(source)
        )

    def _read(self, value: object) -> object:
        if value in self.empty:
            raise ValueError('it is empty, and stored nevertheless')
        return value


@cache
def left_out_fields(kind: type[Any]) -> dict[str, list[Any]]:
    """Return the fields of a class that are not written while they are empty, and what they are then."""
    marked: dict[str, list[Any]] = {}
    # Python 3.10 does not take the mark of keyword-only fields for a type.
    for name, hint in get_type_hints(kind, localns={'KW_ONLY': type(None)}, include_extras=True).items():
        for mark in getattr(hint, '__metadata__', ()):
            found = [one for one in getattr(mark, 'metadata', ()) if isinstance(one, _LeftOut)]
            if found:
                marked[name] = found[0].empty
    return marked
