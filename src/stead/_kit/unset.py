"""A value that says that there is none, where `None` means something."""

from __future__ import annotations

from typing import Any, Literal


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return 'UNSET'

    def __bool__(self) -> Literal[False]:
        return False


UNSET: Any = Unset()


def is_set(value: Any) -> bool:
    """Return whether there is a value."""
    return value is not UNSET
