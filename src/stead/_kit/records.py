"""Small helpers for dataclasses."""

from __future__ import annotations

import dataclasses
from typing import Any


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
