"""`hinted`, and a `dataclass` that is: before Python 3.13, too, a constructor says which argument may have been meant."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .meant import with_hint

T = TypeVar('T')


def hinted(cls: type[T]) -> type[T]:
    """Let the constructor of a class say which argument may have been meant by one that it does not have.

    For what programs are configured with: before Python 3.13 that takes one call more, too much for what runs make.
    """
    if sys.version_info < (3, 13) and '__init__' in vars(cls):
        setattr(cls, '__init__', with_hint(vars(cls)['__init__']))
    return cls


if not TYPE_CHECKING:
    _dataclass = dataclass

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Return a class as a dataclass whose constructor is hinted; arguments as those of `dataclasses.dataclass`."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        return hinted(_dataclass(**options)(cls))


__all__ = ('dataclass', 'hinted')
