"""`TrackedList`: a list that knows how many of its first items are where they were.

What reads a growing list again and again, such as a journal, need not compare all of it: it compares what follows these items.
Lists that only grow cost nothing, since `append` and `extend` are those of `list`.
"""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeVar

T = TypeVar('T')


class TrackedList(list[T]):
    """A list that can be changed anywhere, and notes the first place where it was."""

    kept: int = 0
    """How many of the first items are those of the last `keep`. A copy begins with 0: its items may be copies, too."""

    def __getstate__(self) -> None:
        return None

    def keep(self) -> None:
        """Count what changes from now on."""
        self.kept = len(self)

    def _change(self, place: int) -> None:
        self.kept = min(self.kept, max(place, 0))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._change(_first(key, len(self)))
        super().__setitem__(key, value)

    def __delitem__(self, key: SupportsIndex | slice) -> None:
        self._change(_first(key, len(self)))
        super().__delitem__(key)

    def insert(self, index: SupportsIndex, value: T) -> None:
        self._change(_first(index, len(self)))
        super().insert(index, value)

    def pop(self, index: SupportsIndex = -1) -> T:
        self._change(_first(index, len(self)))
        return super().pop(index)

    def remove(self, value: T) -> None:
        self._change(0)
        super().remove(value)

    def clear(self) -> None:
        self._change(0)
        super().clear()

    def reverse(self) -> None:
        self._change(0)
        super().reverse()

    def sort(self, **options: Any) -> None:
        self._change(0)
        super().sort(**options)

    def __imul__(self, count: SupportsIndex) -> Any:
        self._change(0)
        return super().__imul__(count)


def _first(key: SupportsIndex | slice, size: int) -> int:
    """Return the first place that a key of a list stands for."""
    if isinstance(key, slice):
        start, _, step = key.indices(size)
        return start if step > 0 else 0
    place = key.__index__()
    return place + size if place < 0 else place
