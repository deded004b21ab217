"""Small helpers for dataclasses."""

from __future__ import annotations

import dataclasses
from typing import Any

from typing_extensions import TypeGuard


def repr_without_defaults(self: Any) -> str:
    """Return a dataclass repr that leaves out fields hidden from it and fields that hold their plain default."""
    parts: list[str] = []
    for field in dataclasses.fields(self):
        if not field.repr:
            continue
        value = getattr(self, field.name)
        if field.default is not dataclasses.MISSING and value == field.default:
            continue
        parts.append(f'{field.name}={value!r}')
    return f'{type(self).__qualname__}({", ".join(parts)})'


def is_dict(obj: Any) -> TypeGuard[dict[Any, Any]]:
    """Return whether an object is a dict; of what, nothing is known."""
    return isinstance(obj, dict)


def is_list(obj: Any) -> TypeGuard[list[Any]]:
    """Return whether an object is a list; of what, nothing is known."""
    return isinstance(obj, list)


def is_str_dict(obj: Any) -> bool:
    """Return whether an object is a dict with only strings for keys."""
    return isinstance(obj, dict) and all(isinstance(key, str) for key in obj)  # type: ignore[reportUnknownVariableType]


def replace_no_init(obj: Any, **changes: Any) -> Any:
    """Return a copy of an object with some attributes changed, without calling its constructor."""
    copy = object.__new__(type(obj))  # type: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    copy.__dict__.update(obj.__dict__)  # type: ignore[reportUnknownMemberType]
    copy.__dict__.update(changes)  # type: ignore[reportUnknownMemberType]
    return copy  # type: ignore[reportUnknownVariableType]
