"""A marker for a missing value, where `None` is a value."""

from __future__ import annotations

from typing import Any, Literal


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return 'UNSET'

    def __bool__(self) -> Literal[False]:
        return False


UNSET: Any = Unset()


def those_set(**values: object) -> dict[str, object]:
    """Return the values that are not `UNSET`, by name."""
    return {name: value for name, value in values.items() if value is not UNSET}


def is_set(value: object) -> bool:
    """Return whether a value is anything but `UNSET`."""
    return value is not UNSET
